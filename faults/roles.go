package faults

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"tahanuji/system/target"
)

// roleOf is the role that a step names, "" where the request tells.
func roleOf(step target.Step) string {
	if step.Do.Role != "" {
		return step.Do.Role
	}
	return step.At.Role
}

func (r *Running) role(name string) target.Role {
	for _, role := range r.set.Roles {
		if role.Name() == name {
			return role
		}
	}
	return nil
}

// whom is the instance that a step hits: the one that it names, the one whose request it waited for, or the only one.
func (r *Running) whom(step target.Step, door target.Door) (instance, error) {
	who := instance{role: roleOf(step), number: step.Do.Member}
	if who.role == "" {
		who.role = door.Role
	}
	if who.number == 0 && (step.Do.Role == "" || step.Do.Role == step.At.Role) {
		who.number = step.At.Member
	}
	if who.number == 0 && door.Role == who.role {
		who.number = door.Instance
	}
	role := r.role(who.role)
	if role == nil {
		return who, fmt.Errorf("role %q does not run here", who.role)
	}
	if step.Do.Do == target.Join {
		return who, nil
	}
	all := role.Instances()
	if len(all) == 0 {
		return who, fmt.Errorf("role %s has no instance", who.role)
	}
	if !slices.Contains(all, who.number) { // none named, or the role runs with fewer than the plan was aimed at
		who.number = all[max(0, who.number-1)%len(all)]
	}
	return who, nil
}

// hooked is an action on a role, or a move of a coordinator, at a request.
type hooked struct {
	running *Running
	active  *active

	mu   sync.Mutex
	left int // of the budget
}

// met is called by the proxy while the request waits. Kill and pause act before it returns; asking a role to stop does not wait
// for it, because the role may wait for this very request.
func (h *hooked) met(ctx context.Context) {
	r, a := h.running, h.active
	if !r.begin(a) {
		return
	}
	if a.step.Do.Do == target.CoordinatorMove {
		h.finish(nil, r.hurtNode(a))
		return
	}
	door, _ := target.DoorOf(ctx)
	who, err := r.whom(a.step, door)
	if err != nil {
		a.missed(err)
		h.over()
		return
	}
	if v := a.step.Do.Do; v == target.Kill || v == target.Pause {
		end, err := r.hurtRole(a, who)
		go h.finish(end, err)
		return
	}
	go func() {
		end, err := r.hurtRole(a, who)
		h.finish(end, err)
	}()
}

func (h *hooked) finish(end func() error, err error) {
	if err == nil && end != nil {
		err = end()
	}
	if err != nil {
		h.active.missed(err)
	}
	h.over()
}

func (h *hooked) over() {
	h.running.end(h.active)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.left--; h.left == 0 {
		close(h.active.over)
	}
}

// roleActs are the actions on a role. Each acts within ctx and returns what ends it, nil if nothing does.
func (r *Running) roleActs() map[target.Verb]func(context.Context, *active, target.Role, int) (end func() error, err error) {
	return map[target.Verb]func(context.Context, *active, target.Role, int) (func() error, error){
		target.Kill: r.kill, target.Stop: r.stopRole, target.Pause: r.pauseRole, target.Join: r.join, target.Leave: r.leave,
	}
}

// hooks says whether a verb that waits for a request takes hold of something else than the request.
func hooks(v target.Verb) bool { return onRole(v) || v == target.CoordinatorMove }

// onRole says whether a verb takes hold of a role's process.
func onRole(v target.Verb) bool { return (&Running{}).roleActs()[v] != nil }

// hurtRole acts on a role and returns what ends it, nil if nothing does.
func (r *Running) hurtRole(a *active, who instance) (end func() error, err error) {
	act, ok := r.roleActs()[a.step.Do.Do]
	if !ok {
		return nil, fmt.Errorf("%s is nothing to do to a role", a.step.Do.Do)
	}
	ctx, cancel := r.limited()
	defer cancel()
	return act(ctx, a, r.role(who.role), who.number)
}

func (r *Running) kill(ctx context.Context, a *active, role target.Role, n int) (func() error, error) {
	return r.away(a, role, n, "was killed"+where(a.step), func() error { return role.Kill(ctx, n) })
}

// where says at which moment a process dies, and for a request what the broker saw of it.
func where(step target.Step) string {
	if step.At.API == "" {
		return " at " + step.At.String()
	}
	if step.Do.Before {
		return " at " + step.At.String() + ", before the broker saw it"
	}
	return " at " + step.At.String() + ", after it was applied"
}

func (r *Running) stopRole(ctx context.Context, a *active, role target.Role, n int) (func() error, error) {
	return r.away(a, role, n, "was stopped", func() error { return role.Stop(ctx, n) })
}

// away ends a process and brings it back after the step's length of time; with a negative one it stays away until Heal.
func (r *Running) away(a *active, role target.Role, n int, what string, do func() error) (func() error, error) {
	who := instance{role.Name(), n}
	r.mark(r.dead, who, true)
	if err := do(); err != nil {
		return nil, err
	}
	r.did(a, fmt.Sprintf("%s/%d %s", who.role, n, what))
	if a.step.Do.For < 0 {
		return nil, nil
	}
	return func() error {
		r.pause(a.step.Do.For)
		return r.start(a, who)
	}, nil
}

func (r *Running) pauseRole(ctx context.Context, a *active, role target.Role, n int) (func() error, error) {
	who := instance{role.Name(), n}
	r.mark(r.asleep, who, true)
	if err := role.Pause(ctx, n); err != nil {
		return nil, err
	}
	r.did(a, fmt.Sprintf("%s/%d was paused", who.role, n))
	return func() error {
		r.pause(a.step.Do.For)
		return r.resume(a, who)
	}, nil
}

func (r *Running) join(ctx context.Context, a *active, role target.Role, _ int) (func() error, error) {
	n, err := role.Start(ctx, 0)
	if err != nil {
		return nil, err
	}
	r.did(a, fmt.Sprintf("%s/%d joined", role.Name(), n))
	return nil, nil
}

func (r *Running) leave(ctx context.Context, a *active, role target.Role, n int) (func() error, error) {
	if err := role.Stop(ctx, n); err != nil {
		return nil, err
	}
	r.did(a, fmt.Sprintf("%s/%d was asked to stop and stays away", role.Name(), n))
	return nil, nil
}

func (r *Running) mark(in map[instance]bool, who instance, yes bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if yes {
		in[who] = true
	} else {
		delete(in, who)
	}
}

func (r *Running) start(a *active, who instance) error {
	ctx, cancel := r.limited()
	defer cancel()
	if _, err := r.role(who.role).Start(ctx, who.number); err != nil {
		return fmt.Errorf("start %s/%d again: %w", who.role, who.number, err)
	}
	r.mark(r.dead, who, false)
	r.tell(a, true, fmt.Sprintf("%s/%d was started again", who.role, who.number))
	return nil
}

func (r *Running) resume(a *active, who instance) error {
	ctx, cancel := r.limited()
	defer cancel()
	if err := r.role(who.role).Resume(ctx, who.number); err != nil {
		return fmt.Errorf("resume %s/%d: %w", who.role, who.number, err)
	}
	r.mark(r.asleep, who, false)
	r.tell(a, true, fmt.Sprintf("%s/%d went on", who.role, who.number))
	return nil
}
