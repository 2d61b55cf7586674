package faults

import (
	"context"
	"slices"
	"sync"
	"time"

	"tahanuji/system/target"
)

// whats is how many sentences an Acted carries at most.
const whats = 5

// active is one step under way.
type active struct {
	step  target.Step
	armed Armed         // of a step on requests
	over  chan struct{} // closed when the step did all that it will do, and its actions have ended

	mu      sync.Mutex
	going   int // actions that have begun and not ended
	matched int
	count   int
	what    []string
}

// missed keeps why an action or its end did not work. It is no error of the run: a step without effect shows by its count, and
// what was left hurt is put right by Heal, or is Heal's error.
func (a *active) missed(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.what) < whats {
		a.what = append(a.what, "it did not work: "+err.Error())
	}
}

func (a *active) isOver() bool {
	select {
	case <-a.over:
		return true
	default:
		return false
	}
}

func (a *active) isGoing() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.going > 0
}

// slack is what a held or copied request may take beyond the step's length of time until the proxy counts it.
const slack = time.Second

// through waits until a request that the proxy holds or will copy has had its time: it is counted only then.
func (a *active) through(ctx context.Context) {
	if a.armed == nil || hooks(a.step.Do.Do) || a.step.Do.For <= 0 {
		return
	}
	if acted := a.armed.Acted(); acted.Matched <= acted.Count {
		return
	}
	limit := time.NewTimer(a.step.Do.For + slack)
	defer limit.Stop()
	select {
	case <-a.armed.Done():
	case <-limit.C:
	case <-ctx.Done():
	}
}

// acted is the proof of what the step did: the proxy's for requests, its own for all else.
func (a *active) acted() target.Acted {
	if a.armed != nil && !hooks(a.step.Do.Do) {
		acted := a.armed.Acted()
		acted.Step, acted.Fault = a.step.Name, a.step.Fault
		return acted
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return target.Acted{Step: a.step.Name, Fault: a.step.Fault, Matched: a.matched, Count: a.count, What: slices.Clone(a.what)}
}

func firstOf(what []string) string {
	if len(what) == 0 {
		return ""
	}
	return what[0]
}
