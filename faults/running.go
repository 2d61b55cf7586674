package faults

import (
	"context"
	"fmt"
	"sync"
	"time"

	"tahanuji/system/target"
)

// Running is a plan under way. All methods are safe for concurrent use.
type Running struct {
	set  Set
	ctx  context.Context // ends with Heal
	stop context.CancelFunc
	calm chan struct{} // closed by Heal: no step begins any more

	busy sync.WaitGroup // actions that have begun and not ended

	mu     sync.Mutex
	steps  []*active
	healed bool
	dead   map[instance]bool // killed or stopped by a step, to be started again
	asleep map[instance]bool // paused by a step
	down   map[int32]bool    // nodes taken down by a step
}

// instance is one process of a role.
type instance struct {
	role   string
	number int
}

// arm lets a step wait for its moment.
func (r *Running) arm(step target.Step) error {
	a := &active{step: step, over: make(chan struct{})}
	if step.At.API == "" {
		r.add(a)
		go r.atMoment(a)
		return nil
	}
	var err error
	if hooks(step.Do.Do) {
		h := &hooked{running: r, active: a, left: max(1, step.Budget)}
		if a.armed, err = r.set.Requests.ArmHook(step, h.met); err != nil {
			return err
		}
		r.add(a)
		return nil
	}
	if a.armed, err = r.set.Requests.Arm(step); err != nil {
		return err
	}
	r.add(a)
	go r.atRequest(a)
	return nil
}

func (r *Running) add(a *active) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.steps = append(r.steps, a)
}

// atMoment waits for a moment that is no request, and acts.
func (r *Running) atMoment(a *active) {
	defer close(a.over)
	select {
	case <-r.set.Moments.Reached(r.ctx, a.step.At.After):
	case <-r.calm:
		return
	case <-r.ctx.Done():
		return
	}
	if !r.begin(a) {
		return
	}
	defer r.end(a)
	if err := r.act(a); err != nil {
		a.missed(err)
	}
}

// atRequest waits until the proxy has acted as often as the step may.
func (r *Running) atRequest(a *active) {
	defer close(a.over)
	select {
	case <-a.armed.Done():
	case <-r.calm:
		return
	case <-r.ctx.Done():
		return
	}
	r.tell(a, false, firstOf(a.armed.Acted().What))
	r.tell(a, true, "")
}

// begin says that an action begins; after Heal none does.
func (r *Running) begin(a *active) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.healed {
		return false
	}
	r.busy.Add(1)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.going++
	a.matched++
	return true
}

func (r *Running) end(a *active) {
	a.mu.Lock()
	a.going--
	a.mu.Unlock()
	r.busy.Done()
}

// act carries out an action that is not on a request.
func (r *Running) act(a *active) error {
	switch a.step.Do.Do {
	case target.Kill, target.Stop, target.Pause, target.Join, target.Leave:
		who, err := r.whom(a.step, target.Door{})
		if err != nil {
			return err
		}
		end, err := r.hurtRole(a, who)
		if err == nil && end != nil {
			err = end()
		}
		return err
	case target.NodeDown, target.LeaderMove, target.CoordinatorMove:
		return r.hurtNode(a)
	case target.StoreFail, target.StoreFull, target.StoreSlow:
		r.hurtStore(a)
		return nil
	case target.Poison:
		return r.poison(a)
	case target.NotApplied, target.Applied, target.AckLost, target.CutBefore, target.Copy, target.LateCopy, target.Hold,
		target.SendTwice, target.SendLater, target.Reorder, target.Late, target.Invalid, target.Burst:
	}
	return fmt.Errorf("%s is no action at this moment", a.step.Do.Do)
}

// calmed says whether healing has begun.
func (r *Running) calmed() bool {
	select {
	case <-r.calm:
		return true
	default:
		return false
	}
}

// pause lets a length of time pass. Heal waits for what has begun, and cuts it short when its own limit passes.
func (r *Running) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-r.ctx.Done():
	}
}

// limited bounds one action. It goes on when Heal's limit has passed, because healing must.
func (r *Running) limited() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(r.ctx), r.set.Limit)
}

func (r *Running) tell(a *active, healed bool, what string) {
	if r.set.Tell != nil {
		r.set.Tell(Notice{Step: a.step, Healed: healed, What: what})
	}
}

// did counts an effect and says it.
func (r *Running) did(a *active, what string) {
	a.mu.Lock()
	a.count++
	if len(a.what) < whats {
		a.what = append(a.what, what)
	}
	a.mu.Unlock()
	r.tell(a, false, what)
}
