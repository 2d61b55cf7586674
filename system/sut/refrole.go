package sut

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"tahanuji/reference/sensor"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sut/inside"
	"tahanuji/system/target"
)

// refRole is a role that the reference plays. A role of several kinds runs the core of each in every instance.
type refRole struct {
	system  *references
	plain   contract.Role
	config  sensor.Config
	hurting *inside.Hurting
	stores  *inside.Stores

	mu    sync.Mutex
	lives []*life // the present life of instance n at n-1; nil: it does not run
	dead  []*life // earlier lives
	turn  int
}

var _ target.Role = (*refRole)(nil)

func newRefRole(s *references, role contract.Role, config sensor.Config) (*refRole, error) {
	dir := ""
	if s.own.SQLite {
		abs, err := filepath.Abs(filepath.Join(s.env.Dir, "state", fileName(role.Name)))
		if err != nil {
			return nil, fmt.Errorf("sut: the state folder of %s: %w", role.Name, err)
		}
		dir = abs
	}
	return &refRole{system: s, plain: role, config: config, hurting: inside.NewHurting(), stores: inside.NewStores(dir)}, nil
}

// Name is the document's name of the role.
func (r *refRole) Name() string { return r.plain.Name }

func (r *refRole) has(kind contract.Kind) bool {
	return slices.ContainsFunc(r.plain.Flows, func(f *contract.Flow) bool { return f.Kind == kind })
}

func (r *refRole) proc(n int) string { return r.Name() + "/" + strconv.Itoa(n) }

func (r *refRole) saw(n int, key, value string) {
	r.system.env.Rec.Add(history.Event{Proc: r.proc(n), Op: history.OpRole, Phase: history.OK, Key: key, Value: value})
}

// Instances that run now.
func (r *refRole) Instances() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []int
	for i, l := range r.lives {
		if l != nil {
			out = append(out, i+1)
		}
	}
	return out
}

// running are the lives of the instances that run now.
func (r *refRole) running() []*life {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(r.lives), func(l *life) bool { return l == nil })
}

// take ends an instance in the books and gives its life, nil if it does not run.
func (r *refRole) take(n int) (*life, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n < 1 || n > len(r.lives) {
		return nil, fmt.Errorf("sut: %s: no such instance", r.proc(n))
	}
	l := r.lives[n-1]
	r.lives[n-1] = nil
	if l != nil {
		r.dead = append(r.dead, l)
	}
	return l, nil
}

// Kill cuts the instance's connections, then takes its port away: nothing that it does has an effect any more.
func (r *refRole) Kill(_ context.Context, n int) error {
	l, err := r.take(n)
	if err != nil || l == nil {
		return err
	}
	r.saw(n, "killed", "")
	l.kill()
	return nil
}

// Pause freezes an instance: its calls, and its connections with their heartbeats.
func (r *refRole) Pause(_ context.Context, n int) error { return r.freeze(n, true) }

// Resume thaws an instance.
func (r *refRole) Resume(_ context.Context, n int) error { return r.freeze(n, false) }

func (r *refRole) freeze(n int, on bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case n < 1 || n > len(r.lives) || r.lives[n-1] == nil && on:
		return fmt.Errorf("sut: pause or resume %s: it does not run", r.proc(n))
	case r.lives[n-1] == nil:
		return nil // it was killed while it was frozen
	}
	if on {
		r.lives[n-1].gate.Shut()
		r.saw(n, "paused", "")
		return nil
	}
	r.saw(n, "resumed", "")
	r.lives[n-1].gate.Open()
	return nil
}

// stopWithin bounds a clean stop; what has not ended then is killed.
const stopWithin = 10 * time.Second

// Stop asks an instance to end in good order: it leaves its group and flushes its producer.
func (r *refRole) Stop(ctx context.Context, n int) error {
	l, err := r.take(n)
	if err != nil || l == nil {
		return err
	}
	l.gate.Open()
	l.stop()
	limit := time.NewTimer(stopWithin)
	defer limit.Stop()
	select {
	case <-l.done:
		r.saw(n, "stopped", "")
	case <-limit.C:
		r.system.note("%s did not stop within %s and was killed", r.proc(n), stopWithin)
		r.saw(n, "stopped", "killed: it did not stop within "+stopWithin.String())
	case <-ctx.Done():
		r.saw(n, "stopped", "killed: "+ctx.Err().Error())
	}
	l.kill()
	return nil
}

// Start starts an instance with its number and its stores; 0 starts one more. It does not wait until it is ready.
func (r *refRole) Start(ctx context.Context, n int) (int, error) {
	r.mu.Lock()
	if n == 0 {
		r.lives = append(r.lives, nil)
		n = len(r.lives)
	}
	if n < 1 || n > len(r.lives) {
		r.mu.Unlock()
		return 0, fmt.Errorf("sut: start %s: no such instance", r.proc(n))
	}
	if r.lives[n-1] != nil {
		r.mu.Unlock()
		return 0, fmt.Errorf("sut: start %s: it runs already", r.proc(n))
	}
	before := slices.Clone(r.dead)
	r.mu.Unlock()
	// An earlier life of this instance may still be about to notice that it is over; two must not share a store.
	for _, l := range before {
		if l.number != n {
			continue
		}
		if err := l.over(ctx); err != nil {
			return 0, err
		}
	}
	l, err := r.begin(n)
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lives[n-1] != nil || r.system.over.Err() != nil {
		l.kill()
		return 0, fmt.Errorf("sut: start %s: it was started, or the system closed, meanwhile", r.proc(n))
	}
	r.lives[n-1] = l
	r.saw(n, "started", "")
	l.run()
	return n, nil
}

// ready asks once whether all instances are ready.
func (r *refRole) ready(ctx context.Context) (ok bool, saw string) {
	lives := r.running()
	for _, l := range lives {
		select {
		case <-l.done:
			return false, r.proc(l.number) + " ended: " + l.ended()
		default:
		}
		if l.recorder != nil && !l.recorder.Ready() {
			return false, r.proc(l.number) + " opens its outbox"
		}
	}
	if r.system.env.Group == nil {
		return true, ""
	}
	for _, group := range r.groups() {
		members, err := r.system.env.Group(ctx, group)
		if err != nil {
			return false, fmt.Sprintf("group %s: %s", group, err)
		}
		if members < len(lives) {
			return false, fmt.Sprintf("group %s has %d of %d members", group, members, len(lives))
		}
	}
	return true, ""
}

// groups that the role's cores join: a display with the flaw one-group-for-both is in the summarizer's.
func (r *refRole) groups() []string {
	var out []string
	if r.has(contract.Summarizer) {
		out = append(out, r.config.SummarizerGroup)
	}
	if r.has(contract.Display) && !r.system.flaws.Has(sensor.OneGroupForBoth) {
		out = append(out, r.config.DisplayGroup)
	}
	return out
}

// gone waits until all lives of the role are over.
func (r *refRole) gone(ctx context.Context) error {
	r.mu.Lock()
	dead := slices.Clone(r.dead)
	r.mu.Unlock()
	for _, l := range dead {
		if err := l.over(ctx); err != nil {
			return err
		}
	}
	return nil
}
