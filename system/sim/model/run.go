package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tahanuji/reference/port"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/seed"
	"tahanuji/system/sim/cluster"
	"tahanuji/system/sim/virtual"
	"tahanuji/system/workload"

	"github.com/twmb/franz-go/pkg/kgo"
)

// world is everything that one run holds.
type world struct {
	cfg        Config
	time       Timing
	loop       virtual.Loop
	rng        *rand.Rand
	nodes      []node
	topics     map[string]*topic
	topicOrder []string
	groups     map[string]*cluster.Group
	roles      map[string]*role
	order      []*role
	plan       *plan
	holds      []*held
	source     *source
	events     []history.Event
	ledger     []history.Exchange
	label      func(topic string, value []byte) string
	where      map[string]history.Position // label -> first place in its topic
	promised   map[string]bool             // recorded and not in the topic yet
	spareItems []history.Item
	spareNames []string
	scratch    kgo.Record
	lastPID    int64
	lastMember int
	lastConn   int64
	lastAppend time.Duration
	watched    time.Duration // when the wait for quiet began
	elapsed    time.Duration // the roles' clock runs ahead by it
	resend     time.Duration
	lagTag     string
	started    bool
	rested     bool
	unsettled  string
}

type node struct{ down bool }

// Run runs the roles of cfg on the model. An error means that there was no run: a role spins or panicked, or cfg is not whole.
// The run is a function of cfg alone, as far as the roles' code is.
func Run(ctx context.Context, cfg Config) (Result, error) {
	if cfg.Doc == nil || cfg.Load == nil || len(cfg.Roles) == 0 {
		return Result{}, fmt.Errorf("model: the configuration needs a document, a load and roles")
	}
	sends, input, err := workload.Apply(cfg.Load, cfg.Steps)
	if err != nil {
		return Result{}, fmt.Errorf("model: %w", err)
	}
	if cfg.Sends == nil {
		cfg.Sends = sends
	}
	w := newWorld(cfg)
	w.plan.onInput(input)
	defer w.loop.Close()
	if err := w.play(ctx); err != nil {
		return Result{}, fmt.Errorf("model: seed %s: %w", seed.Format(cfg.Seed), err)
	}
	acted := w.plan.acted()
	return Result{History: &history.History{Events: w.events, Ledger: w.ledger}, Acted: acted, Unsettled: w.unsettled,
		Virtual: w.loop.Now(), Took: w.loop.Steps()}, nil
}

func newWorld(cfg Config) *world {
	w := &world{cfg: cfg, time: cfg.Timing.filled(cfg.Paced), topics: map[string]*topic{}, groups: map[string]*cluster.Group{}, roles: map[string]*role{},
		where: make(map[string]history.Position, len(cfg.Sends)), promised: map[string]bool{}, label: cfg.Label}
	w.rng = rand.New(rand.NewPCG(seed.Derive(cfg.Seed, "model", "a"), seed.Derive(cfg.Seed, "model", "b")))
	if cfg.Nodes <= 0 {
		cfg.Nodes = 3
	}
	w.nodes = make([]node, cfg.Nodes)
	if w.label == nil {
		w.label = quickLabels(cfg.Doc, cfg.Load)
	}
	w.events = make([]history.Event, 0, w.expected())
	if !cfg.NoLedger {
		w.ledger = make([]history.Exchange, 0, 4*len(cfg.Sends)+256)
	}
	for _, t := range cfg.Doc.Topics {
		w.addTopic(t.Name, t.Partitions, t.Config)
	}
	for _, g := range cfg.Doc.Groups {
		w.group(g.Name)
	}
	w.plan = newPlan(w, cfg.Steps)
	for _, r := range cfg.Roles {
		o := &role{Role: r, w: w}
		w.roles[r.Name] = o
		w.order = append(w.order, o)
	}
	w.source = &source{w: w, lanes: map[string]*line{}}
	w.resend = orTime(cfg.Doc.Source.After, time.Second)
	return w
}

// play runs the phases, the same as a real run's.
func (w *world) play(ctx context.Context) error {
	phases := []struct {
		name string
		do   func() error
	}{{"start", w.start}, {"load", w.load}, {"heal", w.outlast}, {"settle", w.settle},
		{"rest", func() error { w.scan(history.ScanRest); return nil }}, {"replay", w.replay}}
	for _, p := range phases {
		if p.name == "replay" && !w.cfg.Replay {
			continue
		}
		w.phase(p.name)
		if err := p.do(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", p.name, context.Cause(ctx))
		}
	}
	w.phase("end")
	return nil
}

func (w *world) start() error {
	for _, r := range w.order {
		for range max(1, w.cfg.Members[r.Name]) {
			r.next().start()
		}
	}
	ok, err := w.until(w.time.Within, 5*time.Millisecond, w.allReady)
	if err == nil && !ok {
		err = fmt.Errorf("not every role was ready after %v", w.time.Within)
	}
	return err
}

func (w *world) allReady() bool {
	for _, r := range w.order {
		for _, i := range r.instances {
			if !i.away && (i.proc == nil || i.proc.dead || !i.proc.ready) {
				return false
			}
		}
	}
	return true
}

// load sends the workload beside the plan. Where a step waits for rest, the last fifth comes after it.
func (w *world) load() error {
	w.started = true
	w.plan.due("start")
	w.lagTag = "load"
	if len(w.cfg.Steps) > 0 {
		w.lagTag = "fault"
	}
	w.sampleLag()
	now, later := w.cfg.Sends, []workload.Send(nil)
	for _, s := range w.cfg.Steps {
		if s.At.After == "rest" {
			cut := len(now) - len(now)/5
			now, later = w.cfg.Sends[:cut], w.cfg.Sends[cut:]
			break
		}
	}
	if err := w.send(now); err != nil || len(later) == 0 {
		return err
	}
	if err := w.quiet(); err != nil {
		return err
	}
	w.rested = true
	if w.plan.due("rest") > 0 {
		if err := w.quiet(); err != nil {
			return err
		}
	}
	return w.send(later)
}

// send sends until each send has a final answer; at the limit the faults are healed, and at twice the limit the source gives up.
func (w *world) send(sends []workload.Send) error {
	limit := w.time.Load
	if n := len(sends); w.cfg.Paced && n > 0 {
		limit += max(0, sends[n-1].Event.At.Sub(w.cfg.Load.Base)-w.loop.Now())
	}
	w.source.begin(sends)
	for range 2 {
		ok, err := w.loop.Run(w.loop.Now()+limit, w.source.done)
		if ok || err != nil {
			return err
		}
		w.heal()
		limit = w.time.Load
	}
	w.source.ended = true
	w.unsettled = fmt.Sprintf("%d sends had no final answer in time", w.source.open)
	return nil
}

// outstanding is how long the requests that steps still wait for may take to come after the load.
const outstanding = 3 * time.Second

// outlast lets the faults begin that only wait for a group's next request, lets each last as long as its step says, and then
// heals what is left. Virtual time costs nothing.
func (w *world) outlast() error {
	open := func() bool { return slices.ContainsFunc(w.plan.all, w.plan.soon) }
	if _, err := w.until(outstanding, 50*time.Millisecond, func() bool { return !open() }); err != nil {
		return err
	}
	_, err := w.until(w.time.Within, 50*time.Millisecond, func() bool {
		return !slices.ContainsFunc(w.holds, func(h *held) bool { return h.fn != nil })
	})
	w.heal()
	return err
}

// settle waits for quiet, lets the windows close by the clock, and waits again.
func (w *world) settle() error {
	w.lagTag = "healed"
	defer func() { w.lagTag = "" }()
	if err := w.quiet(); err != nil {
		return err
	}
	var silence time.Duration
	for _, f := range w.cfg.Doc.Flows {
		if f.Fold != nil && f.Fold.Close > 0 {
			silence = max(silence, f.Fold.Close+f.Fold.Window.Grace)
		}
	}
	if silence == 0 {
		return nil
	}
	w.elapsed += silence + time.Second
	w.phase("elapsed")
	return w.quiet()
}

// until runs until cond holds, looked at every step; false at the limit.
func (w *world) until(limit, step time.Duration, cond func() bool) (bool, error) {
	never := func() bool { return false }
	for end := w.loop.Now() + limit; ; {
		if cond() {
			return true, nil
		}
		if w.loop.Now() >= end {
			return false, nil
		}
		if _, err := w.loop.Run(w.loop.Now()+step, never); err != nil {
			return false, err
		}
	}
}

// quiet waits until what was promised is in its topic, no group lags, and nothing new was published for the settling time. Its
// limit is no error: what was last seen is an event for the checkers.
func (w *world) quiet() error {
	w.watched = w.loop.Now()
	ok, err := w.until(w.time.Within, w.time.Settle/20, func() bool { return w.stir() == "" })
	if err != nil || ok {
		return err
	}
	w.unsettled = fmt.Sprintf("not at rest after %v: %s", w.time.Within, w.stir())
	w.add(history.Event{Op: history.OpPhase, Phase: history.Unknown, Key: "settle", Err: w.unsettled})
	return nil
}

// stir says what still moves, "" for nothing.
func (w *world) stir() string {
	if d := w.loop.Now() - max(w.lastAppend, w.watched); d < w.time.Settle {
		return "something was published less than " + w.time.Settle.String() + " ago"
	}
	for _, g := range w.cfg.Doc.Groups {
		if n := w.lag(g.Name, g.Reads); n > 0 {
			return fmt.Sprintf("lag of %s is %d", g.Name, n)
		}
	}
	for label := range w.promised {
		return "recorded and not in its topic: " + label
	}
	if !w.allReady() {
		return "a role is not ready"
	}
	return ""
}

// replay lets the summarizers read their topic again from its start, with their state kept, and then with it emptied.
func (w *world) replay() error {
	for _, tag := range []string{history.ScanReplayKept, history.ScanReplayEmptied} {
		for _, f := range w.cfg.Doc.Flows {
			if f.Fold == nil || f.Group == "" || w.roles[f.Role] == nil {
				continue
			}
			if err := w.replayFlow(f, tag); err != nil {
				return fmt.Errorf("%s of %s: %w", tag, f.Name, err)
			}
		}
		w.scan(tag)
	}
	return nil
}

func (w *world) replayFlow(f contract.Flow, tag string) error {
	r := w.roles[f.Role]
	down := 0
	for _, i := range r.instances {
		i.away = true
		i.stop(func() { down++ })
	}
	g := w.group(f.Group)
	if ok, err := w.until(2*w.time.Accept+2*w.time.Session, 10*time.Millisecond, func() bool { return down == len(r.instances) && g.Size() == 0 }); err != nil || !ok {
		if err == nil {
			err = fmt.Errorf("group %s still has %d members", f.Group, g.Size())
		}
		return err
	}
	if tag == history.ScanReplayEmptied {
		r.shared.Clear()
		for _, i := range r.instances {
			i.own.Clear()
		}
	}
	w.phase(tag)
	for n := range w.topics[f.Reads].count() {
		g.Offsets[port.Partition{Topic: f.Reads, Partition: int32(n)}] = 0
	}
	for _, i := range r.instances {
		i.start()
	}
	return w.settle()
}
