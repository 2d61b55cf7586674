package proxy

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"tahanuji/faults/proxy/wire"
	"tahanuji/system/target"
)

// whats is how many sentences an Acted carries.
const whats = 5

// Armed is a step that waits for its moment. All methods are safe for concurrent use.
type Armed struct {
	step target.Step
	hook func(context.Context) // nil for steps on requests
	late bool                  // the moment is known by the answer (see onAnswer)

	mu       sync.Mutex
	off      bool
	reserved int
	acted    target.Acted
	done     chan struct{}
	released chan struct{} // closed: what is held goes on
}

// claim is one match of an armed step, until it acted or turned out not to.
type claim struct {
	arm  *Armed
	once sync.Once
}

// arms are the armed steps of a proxy, in the order in which they were armed: the first that matches a request acts on it.
type arms struct {
	mu     sync.Mutex
	list   []*Armed
	copies int           // late copies under way
	idle   chan struct{} // closed when there are none any more; nil when there are none
}

// Arm lets a step act on requests (not-applied, applied, ack-lost, cut-before, copy, late-copy, hold) from now on. It refuses
// what no broker or network can do.
//
// Where a verb meets a Fetch that is named by what it carries, or is refused with a code that belongs to partitions, or a
// Metadata that is refused, the broker has answered before the moment is known: the client is told the error, and as a read
// changes nothing, that is as good as never having been asked. Hold without For holds until Disarm. A held request whose
// connection ends is dropped, as one that never left the client's machine; late-copy is what arrives after its sender died.
func (p *Proxy) Arm(step target.Step) (*Armed, error) {
	if err := check(step); err != nil {
		return nil, fmt.Errorf("proxy: arm %s: %w", step.Name, err)
	}
	return p.arms.add(step, nil), nil
}

// ArmHook calls a hook when the step's moment is met, once for each unit of its budget, from the connection's goroutine.
//
// Before: the hook is called while the request is withheld. After a Kill it is never passed on and its connection is reset;
// after any other verb it is passed on then. Otherwise: the request is passed on, the hook is called once the broker applied
// it (answered without an error), and the answer is delivered after that, or never after a Kill. With a Fetch that is named
// by what it carries both mean: before the client hears.
func (p *Proxy) ArmHook(step target.Step, hook func(context.Context)) (*Armed, error) {
	if err := moment(step.At); err != nil {
		return nil, fmt.Errorf("proxy: arm %s: %w", step.Name, err)
	}
	return p.arms.add(step, hook), nil
}

func (a *arms) add(step target.Step, hook func(context.Context)) *Armed {
	step.Budget = max(step.Budget, 1)
	arm := &Armed{
		step: step, hook: hook, late: onAnswer(step),
		acted: target.Acted{Step: step.Name, Fault: step.Fault},
		done:  make(chan struct{}), released: make(chan struct{}),
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, arm)
	return arm
}

// match claims a request or an answer for the first step that has its moment there.
func (a *arms) match(meets func(*Armed) bool) *claim {
	a.mu.Lock()
	list := slices.Clone(a.list)
	a.mu.Unlock()
	for _, arm := range list {
		if meets(arm) && arm.reserve() {
			return &claim{arm: arm}
		}
	}
	return nil
}

func (a *arms) disarm() {
	a.mu.Lock()
	list := a.list
	a.list = nil
	a.mu.Unlock()
	for _, arm := range list {
		arm.Disarm()
	}
}

// Heal disarms every step, lets go what is held, resets connections that a fault made silent, and waits until late copies
// are through, within the context's limit.
func (p *Proxy) Heal(ctx context.Context) error {
	p.arms.disarm()
	p.mu.Lock()
	var mute []*conn
	for _, c := range p.conns {
		c.mu.Lock()
		if c.mute {
			mute = append(mute, c)
		}
		c.mu.Unlock()
	}
	p.mu.Unlock()
	for _, c := range mute {
		c.end(rst)
	}
	p.arms.mu.Lock()
	idle := p.arms.idle
	p.arms.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("proxy: heal: late copies are still under way: %w", ctx.Err())
	}
}

// begin and end count late copies under way.
func (a *arms) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.copies == 0 {
		a.idle = make(chan struct{})
	}
	a.copies++
}

func (a *arms) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.copies--
	if a.copies == 0 {
		close(a.idle)
		a.idle = nil
	}
}

// Acted says what the step did so far: Matched counts moments met, Count what took effect.
func (a *Armed) Acted() target.Acted {
	a.mu.Lock()
	defer a.mu.Unlock()
	acted := a.acted
	acted.What = slices.Clone(acted.What)
	return acted
}

// Done is closed once the step has acted as often as its budget allows.
func (a *Armed) Done() <-chan struct{} { return a.done }

// Disarm ends the step: nothing matches it any more, and what it holds goes on. Disarming twice is allowed.
func (a *Armed) Disarm() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.off {
		a.off = true
		close(a.released)
	}
}

// healed says whether the step was disarmed while the broker was answering a request that it had claimed.
func (a *Armed) healed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.off
}

func (a *Armed) reserve() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.off || a.acted.Count+a.reserved >= a.step.Budget {
		return false
	}
	a.reserved++
	a.acted.Matched++
	return true
}

// act says that the claimed match took effect. On no claim it does nothing.
func (c *claim) act(what string) {
	if c == nil {
		return
	}
	c.once.Do(func() {
		a := c.arm
		a.mu.Lock()
		defer a.mu.Unlock()
		a.reserved--
		a.acted.Count++
		if len(a.acted.What) < whats {
			a.acted.What = append(a.acted.What, what)
		}
		if a.acted.Count == a.step.Budget {
			close(a.done)
		}
	})
}

// release says that it did not, so that the next match may.
func (c *claim) release() {
	if c == nil {
		return
	}
	c.once.Do(func() {
		c.arm.mu.Lock()
		defer c.arm.mu.Unlock()
		c.arm.reserved--
	})
}

// check says why a step on requests can't be armed.
func check(step target.Step) error {
	if err := moment(step.At); err != nil {
		return err
	}
	do := step.Do
	switch do.Do {
	case target.NotApplied:
		return wire.CheckCode(step.At.API, do.Code, false)
	case target.Applied:
		return wire.CheckCode(step.At.API, do.Code, true)
	case target.AckLost:
		return oneOf(do.How, "", silence, fin, rst)
	case target.CutBefore:
		return oneOf(do.How, "", fin, rst)
	case target.Hold:
		return nil
	case target.Copy, target.LateCopy:
		if onAnswer(step) {
			return fmt.Errorf("a Fetch that is known by what it brought can't be copied: its answer has come")
		}
		return nil
	case target.Kill, target.Stop, target.Pause, target.Join, target.Leave, target.NodeDown, target.LeaderMove, target.CoordinatorMove,
		target.SendTwice, target.SendLater, target.Reorder, target.Late, target.Invalid, target.Burst,
		target.StoreFail, target.StoreFull, target.StoreSlow, target.Poison:
	}
	return fmt.Errorf("%q is nothing to do to a request", do.Do)
}

// moment says why a moment is no request's.
func moment(m target.Moment) error {
	if _, ok := wire.Key(m.API); !ok {
		return fmt.Errorf("%q is no API of Kafka", m.API)
	}
	if m.Carries != "" && m.API != "Produce" && m.API != "Fetch" {
		return fmt.Errorf("a %s carries no records", m.API)
	}
	if m.Passes != "" && m.API != "OffsetCommit" && m.API != "TxnOffsetCommit" {
		return fmt.Errorf("a %s passes no records", m.API)
	}
	return nil
}

func oneOf(how string, known ...string) error {
	if slices.Contains(known, how) {
		return nil
	}
	return fmt.Errorf("a connection can't end by %q; known are %q", how, known)
}
