package sut

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/port/kafka"
	"tahanuji/reference/sensor"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sut/inside"
)

// life is one start of one instance of a role that the reference plays: what a process is for a command.
type life struct {
	role     *refRole
	number   int
	gate     *inside.Gate
	port     *kafka.Port
	ctx      context.Context
	stop     context.CancelFunc
	recorder *sensor.Recorder
	display  *sensor.Display
	cores    []func(context.Context) error
	killed   chan struct{}
	once     sync.Once
	done     chan struct{} // all cores returned

	mu   sync.Mutex
	errs []string
}

// begin makes a life; run starts it.
func (r *refRole) begin(n int) (*life, error) {
	env := r.system.env
	bootstrap, err := env.Doors.Open(r.Name(), n)
	if err != nil {
		return nil, fmt.Errorf("sut: a door for %s: %w", r.proc(n), err)
	}
	env.Doors.Mend(r.Name(), n)
	l := &life{role: r, number: n, gate: inside.NewGate(), killed: make(chan struct{}), done: make(chan struct{})}
	l.ctx, l.stop = context.WithCancel(context.Background())
	session := env.Session
	if session == 0 {
		session = 500 * time.Millisecond
	}
	l.port = kafka.New(kafka.Config{
		Bootstrap: []string{bootstrap}, ClientID: r.Name() + "-" + strconv.Itoa(n), Instance: n, Clock: r.system.clock,
		Timings: kafka.Timings{Session: session, Rebalance: max(2*time.Second, session), Heartbeat: session / 8,
			Request: 2 * session, MetadataMinAge: 10 * time.Millisecond, FetchMaxWait: 100 * time.Millisecond, RetryBackoff: 50 * time.Millisecond},
		Dial: inside.Dial(l.gate, (&net.Dialer{}).DialContext),
		OpenStore: func(ctx context.Context, shared bool) (port.Store, error) {
			s, err := r.stores.Open(ctx, n, shared)
			if err != nil {
				return nil, err
			}
			return r.hurting.Wrap(s), nil
		},
	})
	if err := l.make(&inside.Port{Port: l.port, Gate: l.gate}); err != nil {
		l.kill()
		return nil, fmt.Errorf("sut: reference: %s: %w", r.proc(n), err)
	}
	return l, nil
}

// make makes the core of each kind that the role has.
func (l *life) make(p port.Port) error {
	r := l.role
	for _, kind := range []contract.Kind{contract.Recorder, contract.Summarizer, contract.Display} {
		if !r.has(kind) {
			continue
		}
		switch kind {
		case contract.Recorder:
			made, err := sensor.NewRecorder(p, r.config, r.system.flaws)
			if err != nil {
				return err
			}
			l.recorder = made
			l.cores = append(l.cores, made.Run)
		case contract.Summarizer:
			made, err := sensor.NewSummarizer(p, r.config, r.system.flaws)
			if err != nil {
				return err
			}
			made.Observe(l.watch())
			l.cores = append(l.cores, made.Run)
		case contract.Display:
			made, err := sensor.NewDisplay(p, r.config, r.system.flaws)
			if err != nil {
				return err
			}
			l.display = made
			l.cores = append(l.cores, made.Run)
		}
	}
	return nil
}

// watch writes down what the summarizer's store takes in. The hooks are called by one goroutine, in turns.
func (l *life) watch() sensor.Hooks {
	rec, proc := l.role.system.env.Rec, l.role.proc(l.number)
	var begun []history.Seq
	event := func(id string, at sensor.Position) history.Event {
		topic := strings.TrimPrefix(at.Topic, l.role.system.env.Prefix)
		return history.Event{Proc: proc, Op: history.OpStored, Phase: history.Invoke, Key: id,
			Where: &history.Position{Topic: topic, Partition: at.Partition, Offset: at.Offset}}
	}
	return sensor.Hooks{
		Storing: func(ids []string, at []sensor.Position) {
			begun = begun[:0]
			for i, id := range ids {
				begun = append(begun, rec.Add(event(id, at[i])))
			}
		},
		Stored: func(ids []string, at []sensor.Position) {
			for i, id := range ids {
				e := event(id, at[i])
				e.Phase, e.Of = history.OK, begun[i]
				rec.Add(e)
			}
		},
	}
}

// run starts the cores. One that ends by itself ends the life: the reference is not to do that.
func (l *life) run() {
	r := l.role
	var cores sync.WaitGroup
	for _, core := range l.cores {
		cores.Go(func() {
			err := core(l.ctx)
			if err != nil && !errors.Is(err, port.ErrGone) {
				l.mu.Lock()
				l.errs = append(l.errs, err.Error())
				l.mu.Unlock()
			}
			l.stop() // a process ends as a whole
		})
	}
	r.system.tasks.Go(func() {
		cores.Wait()
		close(l.done)
		r.mu.Lock()
		own := r.lives[l.number-1] == l
		if own {
			r.lives[l.number-1] = nil
			r.dead = append(r.dead, l)
		}
		r.mu.Unlock()
		if !own {
			return
		}
		r.system.env.Rec.Add(history.Event{Proc: r.proc(l.number), Op: history.OpRole, Phase: history.OK, Key: "exited",
			Value: l.ended(), Tag: restartTag(false)})
		r.system.note("%s ended by itself: %s", r.proc(l.number), l.ended())
		l.kill()
	})
}

// ended says why the cores ended.
func (l *life) ended() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.errs) == 0 {
		return "without an error"
	}
	return strings.Join(l.errs, "; ")
}

// kill does what kill -9 does, once: connections first, so that nothing leaves in good order.
func (l *life) kill() {
	l.once.Do(func() {
		l.role.system.env.Doors.Cut(l.role.Name(), l.number)
		l.port.Kill()
		close(l.killed)
		l.gate.Kill()
		l.stop()
	})
}

// over waits until a life that was ended is over: its cores returned and its clients are closed.
func (l *life) over(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	select {
	case <-l.done:
	case <-ctx.Done():
		return fmt.Errorf("sut: an earlier life of %s does not end: %w", l.role.proc(l.number), ctx.Err())
	}
	if err := l.port.Gone(ctx); err != nil {
		return fmt.Errorf("sut: an earlier life of %s: %w", l.role.proc(l.number), err)
	}
	return nil
}
