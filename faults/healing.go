package faults

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tahanuji/system/target"
)

// Wait waits until every step has acted and its actions have ended, or ctx ends: then the error names the steps that wait.
func (r *Running) Wait(ctx context.Context) error {
	return r.WaitFor(ctx, func(target.Step) bool { return true })
}

// WaitFor waits like Wait, for some of the steps.
func (r *Running) WaitFor(ctx context.Context, which func(target.Step) bool) error {
	r.mu.Lock()
	steps := slices.Clone(r.steps)
	r.mu.Unlock()
	steps = slices.DeleteFunc(steps, func(a *active) bool { return !which(a.step) })
	for _, a := range steps {
		select {
		case <-a.over:
		case <-ctx.Done():
			open := names(steps, func(a *active) bool { return !a.isOver() })
			return fmt.Errorf("faults: %s: %w", strings.Join(open, ", "), ctx.Err())
		}
	}
	return nil
}

// names are the names of the steps of which something is true.
func names(steps []*active, which func(*active) bool) []string {
	var out []string
	for _, a := range steps {
		if which(a) {
			out = append(out, a.step.Name)
		}
	}
	return out
}

// Heal ends all faults: no step begins any more, actions that have begun run their length (within ctx), roles that were left
// dead are started, paused ones go on, nodes come up. It says for every step what it did; a step whose moment never came has
// Count 0, and so has one whose action did not work, with the reason. The error says what could not be healed. Healing twice
// changes nothing more.
func (r *Running) Heal(ctx context.Context) ([]target.Acted, error) {
	r.mu.Lock()
	if !r.healed {
		r.healed = true
		close(r.calm)
	}
	steps := slices.Clone(r.steps)
	r.mu.Unlock()
	var errs []error
	ended := make(chan struct{})
	go func() { r.busy.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-ctx.Done():
		errs = append(errs, fmt.Errorf("faults: heal: %s: %w", strings.Join(names(steps, (*active).isGoing), ", "), ctx.Err()))
	}
	for _, a := range steps {
		a.through(ctx)
	}
	r.disarm()
	if h, ok := r.set.Requests.(healer); ok {
		bounded, cancel := r.limited()
		errs = append(errs, h.Heal(bounded))
		cancel()
	}
	r.stop()
	over := time.NewTimer(r.set.Limit) // what Heal's limit cut short ends at once, but for the action that it is in
	defer over.Stop()
	select {
	case <-ended:
	case <-over.C:
	}
	errs = append(errs, r.restore()...)
	acted := make([]target.Acted, len(steps))
	for i, a := range steps {
		acted[i] = a.acted()
	}
	return acted, errors.Join(errs...)
}

func (r *Running) disarm() {
	r.mu.Lock()
	steps := slices.Clone(r.steps)
	r.mu.Unlock()
	for _, a := range steps {
		if a.armed != nil {
			a.armed.Disarm()
		}
	}
}

// restore starts and resumes what steps left dead or asleep, and brings nodes up.
func (r *Running) restore() []error {
	r.mu.Lock()
	dead, asleep, down := keys(r.dead), keys(r.asleep), keys(r.down)
	r.mu.Unlock()
	var errs []error
	try := func(what string, do func(context.Context) error) {
		ctx, cancel := r.limited()
		defer cancel()
		if err := do(ctx); err != nil {
			errs = append(errs, fmt.Errorf("faults: heal: %s: %w", what, err))
		}
	}
	for _, id := range down {
		try(fmt.Sprintf("node %d", id), func(ctx context.Context) error { return r.set.Nodes.Up(ctx, id) })
	}
	for _, who := range asleep {
		try(fmt.Sprintf("resume %s/%d", who.role, who.number), func(ctx context.Context) error { return r.role(who.role).Resume(ctx, who.number) })
	}
	for _, who := range dead {
		try(fmt.Sprintf("start %s/%d", who.role, who.number), func(ctx context.Context) error {
			_, err := r.role(who.role).Start(ctx, who.number)
			return err
		})
	}
	r.mu.Lock()
	clear(r.dead)
	clear(r.asleep)
	clear(r.down)
	r.mu.Unlock()
	return errs
}

func keys[K comparable](m map[K]bool) []K {
	var out []K
	for k := range m {
		out = append(out, k)
	}
	return out
}
