package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"tahanuji/reference/port"
	"tahanuji/system/history"
	"tahanuji/system/sim/cluster"
	"tahanuji/system/sim/store"
	"tahanuji/system/sim/virtual"
	"tahanuji/system/target"
)

// errStore is what a store under a fault fails with.
var errStore = errors.New("the store fails")

// errFull is what a write to a full store fails with.
var errFull = errors.New("no space left on device")

// park gives up the thread until end or a wake-up. Only tasks of the process call it.
func (p *Process) park(end time.Duration) {
	t := p.w.loop.Current()
	if t == nil {
		panic("model: " + p.door + " calls its port outside of its own code")
	}
	t.Park(end)
}

// sleep lets d pass.
func (p *Process) sleep(ctx context.Context, d time.Duration) error {
	for end := p.w.loop.Now() + d; p.w.loop.Now() < end; {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.park(end)
	}
	return ctx.Err()
}

// Now implements port.Clock.
func (p *Process) Now() time.Time { return p.w.clock() }

// Sleep implements port.Clock.
func (p *Process) Sleep(ctx context.Context, d time.Duration) error {
	if p.dead {
		return port.ErrGone
	}
	p.before(CallSleep)
	err := p.sleep(ctx, max(d, time.Microsecond))
	p.after(CallSleep)
	return err
}

// Instance implements port.Port.
func (p *Process) Instance() int { return p.number }

// Record writes an event to the run's history, such as what a store committed.
func (p *Process) Record(e history.Event) history.Seq {
	if p.dead {
		return 0
	}
	return p.w.add(e)
}

// Watched says whether the run wants to know what stores commit.
func (p *Process) Watched() bool { return !p.w.cfg.NoStored }

// Door names the process's instance, as histories do: "ROLE/INSTANCE".
func (p *Process) Door() string { return p.door }

// NewProducer implements port.Port.
func (p *Process) NewProducer(ctx context.Context, c port.ProducerConfig) (port.Producer, error) {
	if p.dead {
		return nil, port.ErrGone
	}
	p.before(CallProducer)
	if err := p.sleep(ctx, p.w.latency()); err != nil {
		return nil, err
	}
	q := p.newProducer(c)
	p.after(CallProducer)
	return q, nil
}

// NewConsumer implements port.Port.
func (p *Process) NewConsumer(ctx context.Context, c port.ConsumerConfig) (port.Consumer, error) {
	if p.dead {
		return nil, port.ErrGone
	}
	p.before(CallConsumer)
	if err := p.sleep(ctx, p.w.latency()); err != nil {
		return nil, err
	}
	k := p.newConsumer(c)
	p.members = append(p.members, k)
	p.after(CallConsumer)
	return k, nil
}

// OpenStore implements port.Port.
func (p *Process) OpenStore(ctx context.Context, shared bool) (port.Store, error) {
	if p.dead {
		return nil, port.ErrGone
	}
	p.before(CallStore)
	if err := p.sleep(ctx, p.w.latency()); err != nil {
		return nil, err
	}
	h := &handle{p: p, m: &p.own}
	if shared {
		h.m = &p.role.shared
	}
	p.after(CallStore)
	return h, nil
}

// CreateTopic implements port.Port.
func (p *Process) CreateTopic(ctx context.Context, name string, partitions int32) error {
	if p.dead {
		return port.ErrGone
	}
	if err := p.sleep(ctx, p.w.latency()); err != nil {
		return err
	}
	x := &exchange{from: p, api: apiCreate, generation: -1, items: []history.Item{{Topic: name}}, w: p.w, entry: -1, arrived: p.w.loop.Now()}
	x.note(nil)
	x.replied = true
	if x.entry >= 0 {
		p.w.ledger[x.entry].Applied, p.w.ledger[x.entry].Told = history.OK, history.OK
	}
	p.w.addTopic(name, int(partitions), map[string]string{})
	return nil
}

// AlterTopic implements port.Port.
func (p *Process) AlterTopic(ctx context.Context, name string, change port.TopicChange) error {
	if p.dead {
		return port.ErrGone
	}
	if err := p.sleep(ctx, p.w.latency()); err != nil {
		return err
	}
	t := p.w.topics[name]
	if t == nil {
		return fmt.Errorf("model: alter %s: %w", name, cluster.Failure(cluster.UnknownTopic))
	}
	t.config = maps.Clone(t.config)
	if t.config == nil {
		t.config = map[string]string{}
	}
	maps.Copy(t.config, change.Config)
	p.w.grow(t, int(change.Partitions))
	return nil
}

// handle is a process's way to a store.
type handle struct {
	p *Process
	m *store.Memory
}

// Update implements port.Store. The transaction happens at one instant; its call takes a latency.
func (h *handle) Update(ctx context.Context, fn func(port.Tx) error) error {
	p := h.p
	if p.dead {
		return port.ErrGone
	}
	p.before(CallUpdate)
	if err := p.sleep(ctx, p.w.latency()/2); err != nil {
		return err
	}
	deny, err := h.suffer(ctx)
	if err != nil {
		return err
	}
	h.m.Deny = deny
	err = h.m.Update(fn)
	h.m.Deny = nil
	p.after(CallUpdate)
	return err
}

// suffer lets the faults on the role's stores act on a transaction: it fails, it may not write (deny), or it waits.
func (h *handle) suffer(ctx context.Context) (deny func() error, err error) {
	w := h.p.w
	for _, s := range h.p.role.sick {
		verb := s.step.Do.Do
		if verb == target.StoreSlow && s.left == 0 || verb != target.StoreSlow && s.until <= w.loop.Now() {
			w.faultHealed(s.step)
			continue
		}
		if verb == target.StoreFail {
			w.acted(s.step, "a transaction of %s failed", h.p.door)
			return nil, fmt.Errorf("model: %w", errStore)
		}
		if verb == target.StoreFull {
			deny = func() error {
				w.acted(s.step, "a write of %s found the disk full", h.p.door)
				return fmt.Errorf("model: %w", errFull)
			}
			continue
		}
		s.left--
		w.acted(s.step, "a transaction of %s took %v longer", h.p.door, s.step.Do.For)
		if err := h.p.sleep(ctx, s.step.Do.For); err != nil {
			return nil, err
		}
	}
	return deny, nil
}

// Close implements port.Store.
func (h *handle) Close() error { return nil }

// signal implements port.Signal.
type signal struct {
	p       *Process
	raised  bool
	waiting []*virtual.Task
}

// NewSignal implements port.Port.
func (p *Process) NewSignal() port.Signal { return &signal{p: p} }

func (s *signal) Raise() {
	s.raised = true
	for _, t := range s.waiting {
		t.Wake()
	}
	s.waiting = nil
}

func (s *signal) Wait(ctx context.Context, limit time.Duration) error {
	if s.p.dead {
		return port.ErrGone
	}
	s.p.spin("Signal.Wait")
	for end := s.p.w.loop.Now() + limit; !s.raised; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.p.w.loop.Now() >= end {
			return port.ErrWaiting
		}
		s.waiting = append(s.waiting, s.p.w.loop.Current())
		s.p.park(end)
	}
	return nil
}
