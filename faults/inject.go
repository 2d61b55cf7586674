package faults

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// Armed is a step that waits for its request.
type Armed interface {
	Acted() target.Acted
	// Done is closed once the step has acted as often as its budget allows. A request that is held or copied later is matched
	// first and counts when it is through.
	Done() <-chan struct{}
	// Disarm ends the step and lets go what it holds. Disarming twice is allowed.
	Disarm()
}

// Requests is where steps wait for requests: the fault proxy, through Through.
type Requests interface {
	Arm(step target.Step) (Armed, error)
	// ArmHook calls hook when the step's moment is met. The proxy tells whose request it is by target.WithDoor.
	ArmHook(step target.Step, hook func(ctx context.Context)) (Armed, error)
}

// healer is what Requests may do beside: end what outlives its step, such as connections that a fault made silent, and wait for
// late copies, within ctx.
type healer interface {
	Heal(ctx context.Context) error
}

// Moments tells steps that wait for no request when their moment has come.
type Moments interface {
	// Reached gives a channel that is closed once a record with the label is in its topic; for Rest and Start, once that state
	// is reached. It may be closed already. It stays open when ctx ends.
	Reached(ctx context.Context, after string) <-chan struct{}
	// Where is the position of a record that was reached, false while it is not known.
	Where(label string) (history.Position, bool)
}

// Set is what a run lets faults take hold of. What is nil can't be hurt: a step that needs it is refused by Inject.
type Set struct {
	Doc      *contract.Document
	Load     *workload.Load
	Requests Requests
	Roles    []target.Role
	Store    func(role string) target.Store // returns nil for a role whose store can't be hurt
	Nodes    target.BrokerNodes
	// Poison writes a record of the harness itself to a partition, and waits for the broker's answer.
	Poison  func(ctx context.Context, topic string, partition int32, key, value []byte) error
	Moments Moments
	// Limit bounds each action on a role, a node or a topic; 0 is 10 s.
	Limit time.Duration
	// Tell hears of every action as it begins and ends, from several goroutines; nil hears nothing.
	Tell func(Notice)
}

// Notice is one thing that a step did. Healed: the action is over (a role is back, a node is up, a store is well).
type Notice struct {
	Step   target.Step
	Healed bool
	What   string
}

// Injector carries out plans.
type Injector struct{ Set Set }

// defaultLimit bounds an action where Set.Limit is zero.
const defaultLimit = 10 * time.Second

// Inject arms every step of a plan but those on the input, which workload.Apply has carried out already. It returns at once.
// What it started ends with Running.Heal, which has to be called; the end of ctx alone ends nothing, because what was killed
// has to come back. An error means that nothing is armed.
func (in Injector) Inject(ctx context.Context, steps []target.Step) (*Running, error) {
	if in.Set.Limit <= 0 {
		in.Set.Limit = defaultLimit
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	r := &Running{set: in.Set, ctx: ctx, stop: stop, calm: make(chan struct{}), dead: map[instance]bool{}, asleep: map[instance]bool{}, down: map[int32]bool{}}
	var errs []error
	for _, step := range steps {
		if workload.IsInput(step.Do.Do) {
			continue
		}
		if err := r.lacks(step); err != nil {
			errs = append(errs, fmt.Errorf("faults: step %s: %w", step.Name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		stop()
		return nil, err
	}
	for _, step := range steps {
		if workload.IsInput(step.Do.Do) {
			continue
		}
		if err := r.arm(step); err != nil {
			r.disarm()
			stop()
			return nil, fmt.Errorf("faults: step %s: %w", step.Name, err)
		}
	}
	return r, nil
}

// lacks says why a step can't be carried out with what there is.
func (r *Running) lacks(step target.Step) error {
	missing := func(no bool, what string) error {
		if no {
			return fmt.Errorf("%s needs %s, and there is nothing to take hold of", step.Do.Do, what)
		}
		return nil
	}
	if step.At.API != "" {
		if err := missing(r.set.Requests == nil, "requests"); err != nil {
			return err
		}
	} else if err := missing(r.set.Moments == nil, "moments"); err != nil {
		return err
	}
	switch step.Do.Do {
	case target.NotApplied, target.Applied, target.AckLost, target.CutBefore, target.Copy, target.LateCopy, target.Hold:
		return missing(step.At.API == "", "a request")
	case target.Kill, target.Stop, target.Pause, target.Join, target.Leave:
		if name := roleOf(step); name != "" && r.role(name) == nil {
			return fmt.Errorf("role %q does not run here", name)
		}
		return missing(len(r.set.Roles) == 0, "roles")
	case target.NodeDown, target.LeaderMove, target.CoordinatorMove:
		return missing(r.set.Nodes == nil, "broker nodes")
	case target.StoreFail, target.StoreFull, target.StoreSlow:
		return missing(r.set.Store == nil || r.set.Store(step.Do.Role) == nil, "the store of "+step.Do.Role)
	case target.Poison:
		return missing(r.set.Poison == nil || r.set.Load == nil, "topics")
	case target.SendTwice, target.SendLater, target.Reorder, target.Late, target.Invalid, target.Burst:
		return nil
	}
	return fmt.Errorf("verb %q is not known", step.Do.Do)
}

// Through makes Requests of a proxy whose Arm and ArmHook return a type of its own. Where the proxy has a Heal(ctx) error, healing
// calls it once every step is disarmed.
func Through[A Armed](proxy interface {
	Arm(step target.Step) (A, error)
	ArmHook(step target.Step, hook func(ctx context.Context)) (A, error)
},
) Requests {
	t := through[A]{proxy.Arm, proxy.ArmHook, func(context.Context) error { return nil }}
	if h, ok := proxy.(healer); ok {
		t.heal = h.Heal
	}
	return t
}

type through[A Armed] struct {
	arm  func(target.Step) (A, error)
	hook func(target.Step, func(context.Context)) (A, error)
	heal func(context.Context) error
}

var _ healer = through[Armed]{}

// Heal ends what outlives the steps.
func (t through[A]) Heal(ctx context.Context) error { return t.heal(ctx) }

func (t through[A]) Arm(step target.Step) (Armed, error) {
	a, err := t.arm(step)
	if err != nil {
		return nil, err
	}
	return a, nil
}

func (t through[A]) ArmHook(step target.Step, hook func(context.Context)) (Armed, error) {
	a, err := t.hook(step, hook)
	if err != nil {
		return nil, err
	}
	return a, nil
}
