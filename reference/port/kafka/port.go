// Package kafka is the port on a real Kafka protocol, by franz-go. It is the only place under reference/ that uses
// goroutines and real time. It keeps no state of roles and decides nothing for them.
package kafka

import (
	"context"
	"fmt"
	"sync"
	"time"

	"tahanuji/reference/port"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Config of one role instance's port.
type Config struct {
	Bootstrap []string
	ClientID  string
	Instance  int // from 1
	// OpenStore opens the role's store: one for all instances when shared, else the instance's own.
	OpenStore func(ctx context.Context, shared bool) (port.Store, error)
	// Clock is the roles' time; nil: the real one.
	Clock   *Clock
	Timings Timings
	// Dial opens connections; nil: TCP.
	Dial Dialer
	// Options come last and win.
	Options []kgo.Opt
}

// Timings are the client's settings. Fields that are zero are filled from Fast.
type Timings struct {
	Session        time.Duration // the broker gives a silent member's partitions away after it
	Rebalance      time.Duration // members have so long to rejoin
	Heartbeat      time.Duration
	MetadataMinAge time.Duration // how soon a client looks again where leaders are
	MetadataMaxAge time.Duration
	FetchMaxWait   time.Duration
	RetryBackoff   time.Duration // the longest pause before a retry
	Request        time.Duration // an unanswered request is given up after it
	Commit         time.Duration // a commit's outcome is open after it
	AutoCommit     time.Duration // interval, for a role that lets the client commit
}

// Fast are timings for tests on one machine, where a fault should be over in seconds.
func Fast() Timings {
	return Timings{Session: 6 * time.Second, Rebalance: 6 * time.Second, Heartbeat: 200 * time.Millisecond,
		MetadataMinAge: 50 * time.Millisecond, MetadataMaxAge: 10 * time.Second, FetchMaxWait: 250 * time.Millisecond,
		RetryBackoff: 100 * time.Millisecond, Request: 3 * time.Second, Commit: 5 * time.Second, AutoCommit: 100 * time.Millisecond}
}

func (t Timings) filled() Timings {
	d := Fast()
	for _, f := range []struct {
		has *time.Duration
		use time.Duration
	}{{&t.Session, d.Session}, {&t.Rebalance, d.Rebalance}, {&t.Heartbeat, d.Heartbeat}, {&t.MetadataMinAge, d.MetadataMinAge},
		{&t.MetadataMaxAge, d.MetadataMaxAge}, {&t.FetchMaxWait, d.FetchMaxWait}, {&t.RetryBackoff, d.RetryBackoff},
		{&t.Request, d.Request}, {&t.Commit, d.Commit}, {&t.AutoCommit, d.AutoCommit}} {
		if *f.has == 0 {
			*f.has = f.use
		}
	}
	return t
}

// Port is one role instance's way to Kafka.
type Port struct {
	c    Config
	life context.Context // ends with Kill
	end  context.CancelFunc
	conn *connections

	mu      sync.Mutex
	clients []*kgo.Client
	closing sync.WaitGroup
}

var _ port.Port = (*Port)(nil)

// New makes a port. It connects when a role opens a producer or a consumer.
func New(c Config) *Port {
	c.Timings = c.Timings.filled()
	if c.Clock == nil {
		c.Clock = NewClock(time.Time{})
	}
	p := &Port{c: c, conn: newConnections(c.Dial)}
	p.life, p.end = context.WithCancel(context.Background())
	return p
}

// Kill ends the role as kill -9 would: every call returns port.ErrGone at once, connections are reset, nothing is flushed,
// committed or left in good order. It does not wait; Gone does.
func (p *Port) Kill() {
	p.end()
	p.conn.reset()
	p.mu.Lock()
	clients := p.clients
	p.clients = nil
	p.mu.Unlock()
	for _, cl := range clients {
		p.closing.Go(cl.CloseAllowingRebalance)
	}
}

// Gone waits until a killed port's clients are closed, or ctx ends.
func (p *Port) Gone(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		p.closing.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("kafka: clients of a killed role are still closing: %w", ctx.Err())
	}
}

// Instance counts from 1.
func (p *Port) Instance() int { return p.c.Instance }

// Now is the clock's time.
func (p *Port) Now() time.Time { return p.c.Clock.Now() }

// Sleep sleeps on the clock.
func (p *Port) Sleep(ctx context.Context, d time.Duration) error {
	ctx, cancel := p.both(ctx)
	defer cancel()
	return p.gone(p.c.Clock.Sleep(ctx, d))
}

// OpenStore opens the role's store.
func (p *Port) OpenStore(ctx context.Context, shared bool) (port.Store, error) {
	if p.life.Err() != nil {
		return nil, port.ErrGone
	}
	s, err := p.c.OpenStore(ctx, shared)
	if err != nil {
		return nil, fmt.Errorf("kafka: open store: %w", err)
	}
	return &store{p: p, s: s}, nil
}

// both is a context that ends with ctx or with the role.
func (p *Port) both(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(p.life, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// gone turns whatever a killed role would hear into port.ErrGone.
func (p *Port) gone(err error) error {
	if p.life.Err() != nil {
		return port.ErrGone
	}
	return err
}

// client makes a client that dies with the role.
func (p *Port) client(opts ...kgo.Opt) (*kgo.Client, error) {
	t := p.c.Timings
	backoff := func(tries int) time.Duration {
		return min(t.RetryBackoff, time.Duration(tries)*t.RetryBackoff/4)
	}
	base := []kgo.Opt{
		kgo.WithContext(p.life), kgo.SeedBrokers(p.c.Bootstrap...), kgo.ClientID(p.c.ClientID), kgo.Dialer(p.conn.dial),
		kgo.MetadataMinAge(t.MetadataMinAge), kgo.MetadataMaxAge(t.MetadataMaxAge), kgo.RetryBackoffFn(backoff),
		kgo.RequestTimeoutOverhead(t.Request), kgo.DisableClientMetrics(), kgo.ConnIdleTimeout(time.Minute),
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.life.Err() != nil {
		return nil, port.ErrGone
	}
	cl, err := kgo.NewClient(append(append(base, opts...), p.c.Options...)...)
	if err != nil {
		return nil, fmt.Errorf("kafka: client: %w", err)
	}
	p.clients = append(p.clients, cl)
	return cl, nil
}

// close closes a client in good order, within ctx.
func (p *Port) close(ctx context.Context, cl *kgo.Client) {
	p.mu.Lock()
	for i, c := range p.clients {
		if c == cl {
			p.clients = append(p.clients[:i:i], p.clients[i+1:]...)
			break
		}
	}
	p.mu.Unlock()
	done := make(chan struct{})
	p.closing.Go(func() {
		cl.CloseAllowingRebalance()
		close(done)
	})
	select {
	case <-done:
	case <-p.life.Done():
	case <-ctx.Done():
	}
}
