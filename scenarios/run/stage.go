package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"tahanuji/faults"
	"tahanuji/faults/proxy"
	"tahanuji/system/broker"
	"tahanuji/system/broker/observe"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sut"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// usualNodes is how many nodes a cluster has when nobody asks for a number.
const usualNodes = 3

// stage is everything that one run has started, and what it knows so far.
type stage struct {
	cell   Cell
	rec    *history.Recorder
	load   *workload.Load
	beside []*workload.Load // of the recorders\' other topics, until they are sent
	owed   map[string]bool  // labels of their valid events
	steps  []target.Step
	sends  []workload.Send
	acted  []target.Acted

	broker   broker.Broker
	proxy    *proxy.Proxy
	observer *observe.Observer
	system   sut.System
	running  []*faults.Running
	healing  sync.Mutex
	healed   bool
	unhealed error // what could not be healed
	label    func(topic string, value []byte) string
	senders  []*sender
	outrun   bool                      // a group did not follow the source, which goes on without it
	arrived  map[string]bool           // labels seen in their topics
	events   map[string]workload.Event // the load's valid events by label
	counted  map[string][]string       // an event's label -> labels of the summaries that it counts in
	elapsed  bool                      // the roles' clock was moved on, so that all windows are over
	marks    *marks
	ledger   []history.Exchange
	spent    map[string]time.Duration
	notes    []string // what a reader should know of the roles
}

// play runs the phases of a run. Whatever happens, all that was started is stopped before it returns.
func (st *stage) play(ctx context.Context) (err error) {
	st.arrived, st.spent, st.events = map[string]bool{}, map[string]time.Duration{}, map[string]workload.Event{}
	st.counted = map[string][]string{}
	for _, e := range st.load.Valid() {
		st.events[e.Label] = e
	}
	st.owed = map[string]bool{}
	for _, l := range st.beside {
		for _, e := range l.Valid() {
			st.owed[e.Label] = true
		}
	}
	defer func() { err = errors.Join(err, st.stop(ctx)) }()
	for _, phase := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"start", st.start}, {"load", st.loadBesidePlan}, {"heal", st.heal}, {"settle", st.settleDown},
		{"rest", st.look}, {"replay", st.replay},
	} {
		if phase.name == "replay" && !st.cell.Scenario.Replay {
			continue
		}
		begun := st.rec.Elapsed()
		st.rec.Phase(phase.name)
		if err := phase.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", phase.name, err)
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", phase.name, context.Cause(ctx))
		}
		st.spent[phase.name] = st.rec.Elapsed() - begun
	}
	return nil
}

// start brings up broker, proxy, observer and system, and waits until every role is ready.
func (st *stage) start(ctx context.Context) error {
	if s, ok := st.cell.Adapter.(interface{ Prepare(context.Context) error }); ok { // which may be a whole build
		if err := s.Prepare(ctx); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, st.cell.Limits.Start)
	defer cancel()
	var err error
	if err := os.MkdirAll(st.cell.Dir, 0o755); err != nil {
		return fmt.Errorf("run folder: %w", err)
	}
	c := broker.Config{Nodes: cmp.Or(st.cell.Nodes, usualNodes), Dir: st.cell.Dir, Topics: st.cell.Doc.Topics}
	if st.broker, err = st.cell.Backend.Start(ctx, c); err != nil {
		return err
	}
	st.label = workload.Identify(st.cell.Doc, append([]*workload.Load{st.load}, st.beside...)...)
	st.proxy, err = proxy.New(ctx, proxy.Config{Upstream: st.broker.Addrs(), Label: st.label, Started: st.rec.Elapsed})
	if err != nil {
		return err
	}
	if st.observer, err = observe.New(st.broker.Addrs()); err != nil {
		return err
	}
	st.marks = newMarks(st.proxy)
	if err := st.inject(ctx, true); err != nil {
		return err
	}
	st.system, err = st.cell.Adapter.Start(ctx, sut.Env{
		Doc: st.cell.Doc, Doors: st.proxy, Dir: st.cell.Dir, Seed: st.cell.Seed, Base: st.load.Base, Flaw: st.cell.plays(),
		Rec: st.rec, Group: st.members, Instances: st.cell.members(), Session: st.cell.Limits.Session,
	})
	return err
}

// members is how many members a group has now.
func (st *stage) members(ctx context.Context, group string) (int, error) {
	state, err := st.observer.Group(ctx, group)
	return len(state.Members), err
}

// loadBesidePlan sends the workload while the plan acts. Where the plan has a step at rest, or the scenario awaits its steps, a
// part of the events waits until everything before has been handled: real defects needed a restart when the group is caught up,
// and then more events.
func (st *stage) loadBesidePlan(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, st.cell.Limits.Load)
	defer cancel()
	if err := st.inject(ctx, false); err != nil {
		return err
	}
	st.marks.reach("start")
	now, later := st.parts()
	lag := st.sampleLag(ctx, "load")
	defer lag()
	if err := st.sendAll(ctx, now); err != nil {
		return err
	}
	st.settle(ctx, calm) // moments of handling come after those of sending
	if len(later) == 0 {
		return nil
	}
	st.marks.reach("rest")
	st.awaitSteps(ctx)
	if err := st.sendAll(ctx, later); err != nil {
		return err
	}
	st.settle(ctx, calm)
	return nil
}

// inject arms the steps that are met from the very beginning, before any role starts, or all the others.
func (st *stage) inject(ctx context.Context, early bool) error {
	var steps []target.Step
	for _, s := range st.steps {
		if fromBeginning(s) == early {
			steps = append(steps, s)
		}
	}
	set := faults.Set{
		Doc: st.cell.Doc, Load: st.load, Requests: faults.Through(st.proxy), Nodes: st.broker.Nodes(), Poison: st.poison,
		Moments: st.marks, Limit: st.cell.Limits.Stop, Tell: st.tell,
	}
	if st.system != nil {
		set.Roles, set.Store = st.system.Roles(), st.system.Store
	}
	running, err := faults.Injector{Set: set}.Inject(ctx, scaled(steps, st.cell.Limits.Scale))
	if err != nil {
		return err
	}
	st.running = append(st.running, running)
	return nil
}

// fromBeginning says whether a step's moment is the first request of its kind in the whole run (see target.Moment).
func fromBeginning(s target.Step) bool {
	return s.At.API != "" && s.At.After == "" && s.At.Carries == "" && s.At.Passes == ""
}

// awaitSteps waits, no longer than Patience, until the steps at rest have acted, or every step where the scenario awaits them: the
// moments of others may be in the part of the load that is still to come. One that has not acted will be seen by its count.
func (st *stage) awaitSteps(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, st.cell.Limits.Patience)
	defer cancel()
	for _, r := range st.running {
		_ = r.WaitFor(ctx, func(s target.Step) bool { return s.At.After == "rest" || st.cell.Scenario.Await })
	}
}

// parts splits the sends: what comes after the calm is the last fifth, when a step waits for it.
func (st *stage) parts() (now, later []workload.Send) {
	for _, s := range st.steps {
		if s.At.After == "rest" || st.cell.Scenario.Await {
			cut := len(st.sends) - len(st.sends)/5
			return st.sends[:cut], st.sends[cut:]
		}
	}
	return st.sends, nil
}

// sendAll sends until each send has a final answer. When the limit passes before that, the faults are healed and the source
// gets as long again: what is not answered then stays unknown.
func (st *stage) sendAll(ctx context.Context, sends []workload.Send) error {
	if st.cell.Adapter.Lacks(st.cell.Doc)[contract.NeedsAccept] != "" {
		wait(ctx, st.cell.Limits.Watch) // nobody takes events from the source: what the services do by themselves is watched
		return nil
	}
	source := st.cell.Doc.Source
	after := source.After
	if st.system.Elapse(0) {
		after /= 20 // the roles' clock is ours; the source's impatience is scaled like everything that waits for it
	}
	s := &sender{source: source, after: max(after, 10*time.Millisecond), system: st.system, role: st.load.Role, handed: st.load.Handed,
		rec: st.rec, pace: st.pace()}
	st.senders = append(st.senders, s)
	done := make(chan struct{})
	sendCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*st.cell.Limits.Load)
	defer cancel()
	stopped := context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			_ = st.heal(sendCtx) // the sends that are left go on without faults; the phase of healing tells the error
			return
		}
		cancel()
	})
	defer stopped()
	others := st.sendBeside(sendCtx, s)
	go func() {
		defer close(done)
		s.send(sendCtx, sends)
		others()
	}()
	<-done
	if sendCtx.Err() != nil {
		return fmt.Errorf("not every one of %d sends had a final answer in time; last heard: %s; see the recorder's file under logs/", len(sends), s.waiting())
	}
	return nil
}

// heal takes every fault back, once.
func (st *stage) heal(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, st.cell.Limits.Start)
	defer cancel()
	st.healing.Lock()
	defer st.healing.Unlock()
	if st.healed {
		return st.unhealed // whoever asked first may have dropped it: what could not be healed cuts the run short
	}
	st.healed = true
	var errs []error
	for _, r := range st.running {
		acted, err := r.Heal(ctx)
		st.acted = append(st.acted, acted...)
		errs = append(errs, err)
	}
	st.unhealed = errors.Join(errs...)
	return st.unhealed
}

// settleDown waits for rest, lets the windows close by the clock where the clock is ours, and waits again.
func (st *stage) settleDown(ctx context.Context) error {
	lag := st.sampleLag(ctx, "healed")
	defer lag()
	st.settle(ctx, "settle")
	var silence time.Duration
	for _, f := range st.cell.Doc.Flows {
		if f.Fold != nil && f.Fold.Close > 0 {
			silence = max(silence, f.Fold.Close+f.Fold.Window.Grace)
		}
	}
	if silence > 0 && st.system.Elapse(silence+time.Second) {
		st.rec.Add(history.Event{Op: history.OpPhase, Phase: history.OK, Key: "elapsed", Value: (silence + time.Second).String()})
		st.elapsed = true
		st.settle(ctx, "settle")
	}
	return nil
}

func (st *stage) look(ctx context.Context) error { return st.scan(ctx, history.ScanRest) }

// hurry bounds each half of a stop when the sitting was interrupted: somebody waits for the prompt.
const hurry = 1500 * time.Millisecond

// stop ends everything, in the order that leaves nothing behind, and keeps the ledger.
func (st *stage) stop(ctx context.Context) error {
	st.rec.Phase("end")
	limit := st.cell.Limits.Stop
	if ctx.Err() != nil {
		limit = min(limit, hurry)
		st.rec.Add(history.Event{Op: history.OpPhase, Phase: history.Unknown, Key: interruption, Err: context.Cause(ctx).Error()})
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	var errs []error
	errs = append(errs, st.heal(ctx))
	if st.system != nil {
		errs = append(errs, st.system.Close(ctx))
		st.notes = st.system.Notes()
	}
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), limit) // services that take all of it leave the rest as long
	defer cancel()
	if st.observer != nil {
		st.observer.Close()
	}
	if st.proxy != nil {
		st.ledger = st.proxy.Ledger()
		errs = append(errs, st.proxy.Close(ctx))
	}
	if st.broker != nil {
		errs = append(errs, st.broker.Close(ctx))
	}
	return errors.Join(errs...)
}

func (st *stage) history() *history.History {
	return &history.History{Events: st.rec.Events(), Ledger: st.ledger}
}

// measured are figures of the run that no verdict hangs on.
func (st *stage) measured() map[string]string {
	out := map[string]string{"exchanges": strconv.Itoa(len(st.ledger))}
	if st.cell.Try > 0 {
		out["runs before, in which no fault acted"] = strconv.Itoa(st.cell.Try)
	}
	for phase, d := range st.spent {
		out["ms "+phase] = strconv.FormatInt(d.Milliseconds(), 10)
	}
	return out
}

// cutDoor splits "summarizer/2".
func cutDoor(door string) (role string, instance int, ok bool) {
	role, number, ok := strings.Cut(door, "/")
	instance, err := strconv.Atoi(number)
	return role, instance, ok && err == nil
}
