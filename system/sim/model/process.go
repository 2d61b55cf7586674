package model

import (
	"context"
	"fmt"
	"time"

	"tahanuji/system/history"
	"tahanuji/system/sim/store"
	"tahanuji/system/sim/virtual"
	"tahanuji/system/sut"
	"tahanuji/system/target"
)

// role is a role with all its instances.
type role struct {
	Role
	w         *world
	instances []*instance
	shared    store.Memory
	sick      []*sickness
}

// sickness is a fault on the role's stores.
type sickness struct {
	step  *step
	until time.Duration
	left  int // slow transactions to come
}

// instance is a numbered place of a role: processes come and go in it, its state stays.
type instance struct {
	role   *role
	number int
	door   string
	own    store.Memory
	proc   *Process // nil before the first start
	exits  int      // of its own
	away   bool     // stays down until the harness starts it
	paused bool
	frozen []func() // callbacks that came while it was paused
}

// Process is one process of an instance, from start to end. It is the port of its program.
type Process struct {
	*instance
	w       *world
	client  string
	conn    int64
	begun   time.Duration
	dead    bool
	ready   bool
	ctx     context.Context
	cancel  context.CancelFunc
	program Program
	cores   []*virtual.Task
	workers []*worker
	idle    []*worker
	members []*consumer
	blocked [classes]time.Duration
	got     map[string]bool
	last    string // what the role was last given
	calls   int    // since time last moved
	callsAt time.Duration
}

func (r *role) next() *instance {
	n := len(r.instances) + 1
	p := &instance{role: r, number: n, door: fmt.Sprintf("%s/%d", r.Name, n)}
	r.instances = append(r.instances, p)
	return p
}

// start starts a process, unless one runs.
func (i *instance) start() {
	if i.proc != nil && !i.proc.dead {
		return
	}
	w := i.role.w
	i.away, i.paused = false, false
	p := &Process{instance: i, w: w, conn: w.lastConn, client: i.door, begun: w.loop.Now()}
	w.lastConn += int64(classes)
	p.ctx, p.cancel = context.WithCancel(context.Background())
	if w.plan.calls() {
		p.got = map[string]bool{}
	}
	i.proc = p
	w.roleEvent(i, "started", "")
	p.program = i.role.New(p)
	w.loop.After(w.latency(), func() {
		if p.dead {
			return
		}
		left := len(p.program.Cores)
		for _, core := range p.program.Cores {
			p.cores = append(p.cores, w.loop.Go(i.door, func(*virtual.Task) {
				err := core(p.ctx)
				left--
				if !p.dead && (err != nil || left == 0) {
					p.exited(err)
				}
			}))
		}
		w.loop.After(2*w.time.Latency+time.Millisecond, func() { p.whenReady() })
	})
}

// whenReady notes that the process is ready: its members have joined.
func (p *Process) whenReady() {
	if p.dead || p.ready {
		return
	}
	waits := p.program.Ready != nil && !p.program.Ready()
	if p.program.Ready == nil && len(p.members) == 0 {
		waits = p.w.loop.Now() < p.begun+100*time.Millisecond // it may still be about to join a group
	}
	for _, c := range p.members {
		waits = waits || !c.stable && !c.closed
	}
	if waits {
		p.later(5*time.Millisecond, p.whenReady)
		return
	}
	p.ready = true
	p.w.roleEvent(p.instance, "ready", "")
}

// exited is the end of a program that returned: as asked, or by itself. By itself, it is started again (restart: always).
func (p *Process) exited(err error) {
	asked := p.ctx.Err() != nil
	p.end()
	if asked {
		p.w.roleEvent(p.instance, "stopped", "")
		return
	}
	why := ""
	if err != nil {
		why = err.Error()
	}
	p.w.roleEvent(p.instance, "exited", why)
	pause := min(100*time.Millisecond<<min(p.exits, 6), 5*time.Second) // longer each time, as supervisors do
	p.exits++
	p.w.loop.After(pause, func() {
		if !p.away && p.proc == p {
			p.start()
		}
	})
}

// end takes the process from the world: what it still has under way has no effect.
func (p *Process) end() {
	p.dead = true
	p.cancel()
	for _, t := range p.cores {
		t.Drop()
	}
	for _, k := range p.workers {
		k.task.Drop()
		k.fail()
	}
}

// kill is kill -9.
func (i *instance) kill() {
	p := i.proc
	if p == nil || p.dead {
		return
	}
	p.end()
	i.role.w.roleEvent(i, "killed", "")
}

// stop asks the process to stop and calls then once it has. One that does not obey is killed.
func (i *instance) stop(then func()) {
	p := i.proc
	w := i.role.w
	if then == nil {
		then = func() {}
	}
	if p == nil || p.dead {
		then()
		return
	}
	i.resume()
	p.cancel()
	p.wake()
	deadline := w.loop.Now() + w.time.Accept
	var look func()
	look = func() {
		if !p.dead && w.loop.Now() >= deadline {
			i.kill()
		}
		if p.dead {
			then()
			return
		}
		w.loop.After(10*time.Millisecond, look)
	}
	w.loop.After(10*time.Millisecond, look)
}

// wake lets everything that waits look at its context again.
func (p *Process) wake() {
	for _, t := range p.cores {
		t.Wake()
	}
	for _, k := range p.workers {
		k.task.Wake()
	}
}

// pause is SIGSTOP: no code of the process runs, its client does not either.
func (i *instance) pause() {
	if i.proc == nil || i.proc.dead || i.paused {
		return
	}
	i.paused = true
	i.proc.each((*virtual.Task).Freeze)
	i.role.w.roleEvent(i, "paused", "")
}

// resume is SIGCONT.
func (i *instance) resume() {
	if !i.paused {
		return
	}
	i.paused = false
	frozen := i.frozen
	i.frozen = nil
	if i.proc.dead {
		return
	}
	i.role.w.roleEvent(i, "resumed", "")
	i.proc.each((*virtual.Task).Thaw)
	for _, fn := range frozen {
		fn()
	}
}

func (p *Process) each(fn func(*virtual.Task)) {
	for _, t := range p.cores {
		fn(t)
	}
	for _, k := range p.workers {
		fn(k.task)
	}
}

// when runs fn now, or once the process is no longer paused.
func (p *Process) when(fn func()) {
	if p.paused {
		p.frozen = append(p.frozen, fn)
		return
	}
	fn()
}

// later runs fn once d from now if the process then lives.
func (p *Process) later(d time.Duration, fn func()) {
	p.w.loop.After(d, func() {
		if !p.dead {
			p.when(func() {
				if !p.dead {
					fn()
				}
			})
		}
	})
}

// receive notes that a record reached the role.
func (p *Process) receive(label string) {
	p.last = label
	if p.got != nil {
		p.got[label] = true
	}
}

// before and after stand round each call of the port: a step may kill the process there.
func (p *Process) before(call string) { p.point(call, true) }
func (p *Process) after(call string)  { p.point(call, false) }

func (p *Process) point(call string, before bool) {
	w := p.w
	if before {
		p.spin(call)
	}
	if p.got == nil {
		return
	}
	s := w.plan.crash(p, call, before)
	if s == nil {
		return
	}
	s.Do.Do = target.Kill
	w.hurt(s, p.instance)
	w.loop.Current().Unwind()
}

// spin ends the run when a role calls and calls and no time passes.
func (p *Process) spin(call string) {
	now := p.w.loop.Now()
	if now != p.callsAt {
		p.calls, p.callsAt = 0, now
	}
	p.calls++
	if p.calls == spinLimit {
		p.w.loop.Fail(fmt.Errorf("model: %s spins: %d calls at %v, the last one %s; it was last given %q", p.door, p.calls, now, call, p.last))
	}
	if p.calls > spinLimit {
		p.park(now)
	}
}

// spinLimit bounds a process's calls while virtual time stands still.
const spinLimit = 100_000

// worker is a coroutine of a recorder that takes one event at a time from its source.
type worker struct {
	p    *Process
	task *virtual.Task
	job  *job
}

// job is one event handed over.
type job struct {
	label  string
	record []byte
	done   func(sut.Answer)
}

// accept hands an event to the process.
func (p *Process) accept(j *job) {
	if n := len(p.idle); n > 0 {
		k := p.idle[n-1]
		p.idle = p.idle[:n-1]
		k.job = j
		k.task.Wake()
		return
	}
	k := &worker{p: p, job: j}
	p.workers = append(p.workers, k)
	k.task = p.w.loop.Go(p.door+" accept", func(t *virtual.Task) {
		for {
			p.receive(k.job.label)
			a := p.program.Accept(p.ctx, k.job.record)
			if p.dead {
				return
			}
			j := k.job
			k.job = nil
			j.done(a)
			p.idle = append(p.idle, k)
			for k.job == nil {
				t.Park(virtual.Never)
			}
		}
	})
	if p.paused {
		k.task.Freeze()
	}
}

// fail tells the source that the process is gone.
func (k *worker) fail() {
	if j := k.job; j != nil {
		k.job = nil
		j.done(sut.Answer{Phase: history.Unknown, Err: "connection reset", Reached: true})
	}
}
