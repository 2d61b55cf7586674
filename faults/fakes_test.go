package faults_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"tahanuji/faults"
	"tahanuji/system/history"
	"tahanuji/system/target"
)

// door stands for the proxy: a test calls meet when a request comes.
type door struct {
	mu     sync.Mutex
	arms   []*arm
	healed int
}

func (d *door) Heal(context.Context) error {
	d.healed++
	for _, a := range d.arms {
		if !a.isDisarmed() {
			return errors.New("a step is still armed")
		}
	}
	return nil
}

type arm struct {
	step     target.Step
	hook     func(context.Context)
	mu       sync.Mutex
	acted    target.Acted
	done     chan struct{}
	disarmed bool
}

func (d *door) Arm(step target.Step) (*arm, error) { return d.ArmHook(step, nil) }

func (d *door) ArmHook(step target.Step, hook func(context.Context)) (*arm, error) {
	if step.At.API == "Nonsense" {
		return nil, errors.New("no such API")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	a := &arm{step: step, hook: hook, done: make(chan struct{})}
	d.arms = append(d.arms, a)
	return a, nil
}

func (d *door) meet(i int, who target.Door) {
	d.mu.Lock()
	a := d.arms[i]
	d.mu.Unlock()
	if a.hook != nil {
		a.hook(target.WithDoor(context.Background(), who))
	}
	a.mu.Lock()
	a.acted.Matched++
	a.mu.Unlock()
	if a.hook == nil && a.step.Do.For > 0 {
		time.AfterFunc(a.step.Do.For, a.count)
		return
	}
	a.count()
}

// count says that the request is through.
func (a *arm) count() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.disarmed {
		return
	}
	a.acted.Count++
	a.acted.What = append(a.acted.What, "met")
	if a.acted.Count == max(1, a.step.Budget) {
		close(a.done)
	}
}

func (a *arm) Acted() target.Acted {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.acted
}
func (a *arm) Done() <-chan struct{} { return a.done }
func (a *arm) Disarm() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.disarmed = true
}

func (a *arm) isDisarmed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.disarmed
}

// diary writes down what was done to the system, with the time since its start.
type diary struct {
	mu    sync.Mutex
	start time.Time
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf("%v ", time.Since(d.start))+fmt.Sprintf(format, args...))
}

func (d *diary) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.lines)
}

type process struct {
	*diary
	name  string
	count int
	fails bool
}

func (p *process) Name() string { return p.name }
func (p *process) Instances() []int {
	var all []int
	for i := range p.count {
		all = append(all, i+1)
	}
	return all
}

func (p *process) Kill(_ context.Context, n int) error {
	p.note("kill %s/%d", p.name, n)
	return nil
}

func (p *process) Pause(_ context.Context, n int) error {
	p.note("pause %s/%d", p.name, n)
	return nil
}

func (p *process) Resume(_ context.Context, n int) error {
	p.note("resume %s/%d", p.name, n)
	return nil
}

func (p *process) Stop(_ context.Context, n int) error {
	p.note("stop %s/%d", p.name, n)
	return nil
}

func (p *process) Start(_ context.Context, n int) (int, error) {
	if n == 0 {
		p.count++
		n = p.count
	}
	p.note("start %s/%d", p.name, n)
	if p.fails {
		return 0, errors.New("it does not come up")
	}
	return n, nil
}

type cluster struct{ *diary }

func (c cluster) IDs() []int32 { return []int32{3, 4} }
func (c cluster) Leader(_ context.Context, topic string, p int32) (int32, error) {
	if p == 1 {
		return 4, nil
	}
	return 3, nil
}
func (c cluster) Coordinator(context.Context, string) (int32, error) { return 3, nil }
func (c cluster) Down(_ context.Context, id int32) error {
	c.note("down %d", id)
	return nil
}

func (c cluster) Up(_ context.Context, id int32) error {
	c.note("up %d", id)
	return nil
}

func (c cluster) MoveLeader(_ context.Context, topic string, p int32) error {
	c.note("move leader of %s/%d", topic, p)
	return nil
}

func (c cluster) MoveCoordinator(_ context.Context, group string) error {
	c.note("move coordinator of %s", group)
	return nil
}

type cupboard struct {
	*diary
	touched int
	idle    *int // times that it is hurt and nobody touches it
}

func (c cupboard) Hurt(do target.Verb, d time.Duration) func() int {
	c.note("%s by %v", do, d)
	return func() int {
		c.note("well")
		if c.idle != nil && *c.idle > 0 {
			*c.idle--
			return 0
		}
		return c.touched
	}
}

// moments are reached when a test says so.
type moments struct {
	mu    sync.Mutex
	chans map[string]chan struct{}
	at    map[string]history.Position
}

func (m *moments) Reached(_ context.Context, after string) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.chans == nil {
		m.chans = map[string]chan struct{}{}
	}
	if m.chans[after] == nil {
		m.chans[after] = make(chan struct{})
	}
	return m.chans[after]
}

func (m *moments) reach(after string) {
	m.Reached(context.Background(), after)
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.chans[after])
}

func (m *moments) Where(label string) (history.Position, bool) {
	at, ok := m.at[label]
	return at, ok
}

var (
	_ target.Role        = (*process)(nil)
	_ target.BrokerNodes = cluster{}
	_ target.Store       = cupboard{}
	_ faults.Moments     = (*moments)(nil)
)
