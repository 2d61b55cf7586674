package sensor_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/port/kafka"
	"tahanuji/reference/port/memory"
	"tahanuji/reference/sensor"

	"github.com/tidwall/gjson"
	"github.com/twmb/franz-go/pkg/kfake"
)

// world is a broker in this process with the two topics, and stores that outlive the roles.
type world struct {
	t       *testing.T
	cluster *kfake.Cluster
	addrs   []string
	clock   *kafka.Clock
	c       sensor.Config

	mu     sync.Mutex
	stores map[string]*memory.Store
}

func newWorld(t *testing.T) *world {
	t.Helper()
	c := sensor.Default()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(100*time.Millisecond), kfake.SeedTopics(3, c.Events.Name), kfake.SeedTopics(1, c.Summaries.Name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return &world{t: t, cluster: cluster, addrs: cluster.ListenAddrs(), clock: kafka.NewClock(base), c: c, stores: map[string]*memory.Store{}}
}

var base = time.Date(2026, 11, 7, 8, 0, 0, 0, time.UTC)

func (w *world) port(role string, instance int) *kafka.Port {
	return kafka.New(kafka.Config{Bootstrap: w.addrs, ClientID: role, Instance: instance, Clock: w.clock,
		Timings: kafka.Timings{Session: time.Second, Rebalance: 2 * time.Second, Heartbeat: 50 * time.Millisecond},
		OpenStore: func(_ context.Context, shared bool) (port.Store, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			name := role
			if !shared {
				name = fmt.Sprint(role, instance)
			}
			if w.stores[name] == nil {
				w.stores[name] = memory.New()
			}
			return w.stores[name], nil
		}})
}

// running is a role's life: stop ends it in good order, kill does not.
type running struct {
	t      *testing.T
	port   *kafka.Port
	cancel context.CancelFunc
	done   chan error
}

func (w *world) run(p *kafka.Port, run func(context.Context) error) *running {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{t: w.t, port: p, cancel: cancel, done: make(chan error, 1)}
	go func() { r.done <- run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		p.Kill()
	})
	return r
}

func (r *running) wait() error {
	r.t.Helper()
	select {
	case err := <-r.done:
		return err
	case <-time.After(10 * time.Second):
		r.t.Fatal("the role did not end within 10s")
		return nil
	}
}

func (r *running) stop() {
	r.t.Helper()
	r.cancel()
	if err := r.wait(); err != nil {
		r.t.Fatalf("clean stop: %v", err)
	}
}

func (r *running) kill() {
	r.t.Helper()
	r.port.Kill()
	if err := r.wait(); !errors.Is(err, port.ErrGone) {
		r.t.Fatalf("after kill: %v, want ErrGone", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := r.port.Gone(ctx); err != nil {
		r.t.Fatal(err)
	}
}

func (w *world) recorder(flaws sensor.Flaws) (*sensor.Recorder, *running) {
	p := w.port("recorder", 1)
	r, err := sensor.NewRecorder(p, w.c, flaws)
	if err != nil {
		w.t.Fatal(err)
	}
	return r, w.run(p, r.Run)
}

func (w *world) summarizer(instance int, flaws sensor.Flaws) *running {
	p := w.port("summarizer", instance)
	s, err := sensor.NewSummarizer(p, w.c, flaws)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.run(p, s.Run)
}

func (w *world) display(flaws sensor.Flaws) (*sensor.Display, *running) {
	p := w.port("display", 1)
	d, err := sensor.NewDisplay(p, w.c, flaws)
	if err != nil {
		w.t.Fatal(err)
	}
	return d, w.run(p, d.Run)
}

// stored waits until the summarizers' store knows n ids: silence counts from then on.
func (w *world) stored(n int) {
	w.t.Helper()
	until(w.t, "the store", func() (bool, string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		got := w.stores["summarizer"].Len("ids")
		return got == n, fmt.Sprintf("%d ids of %d", got, n)
	})
}

func reading(n, device int, at time.Time, value string) []byte {
	return fmt.Appendf(nil, `{"event_id":"00000000-0000-4000-8000-%012x","event_type":"sensor.suhu.terbaca","occurred_at":%q,`+
		`"data":{"id_perangkat":"sensor-%02d","lantai":3,"suhu_c":%s}}`, n, at.Format(time.RFC3339), device, value)
}

func until(t *testing.T, what string, ok func() (bool, string)) {
	t.Helper()
	last := ""
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var done bool
		if done, last = ok(); done {
			return
		}
	}
	t.Fatalf("%s: not within 15s; last seen: %s", what, last)
}

// counts waits until the display shows want events in all, over the given number of rows.
func counts(t *testing.T, d *sensor.Display, rows int, want int64) {
	t.Helper()
	until(t, "the display", func() (bool, string) {
		var sum int64
		shown := d.Rows()
		for _, r := range shown {
			sum += gjson.GetBytes(r.Value, "jumlah").Int()
		}
		return len(shown) == rows && sum == want, fmt.Sprintf("%d rows, %d events", len(shown), sum)
	})
}

func accept(t *testing.T, r *sensor.Recorder, raw []byte) sensor.Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	a := r.Accept(ctx, raw)
	if !a.Recorded {
		t.Fatalf("%s: not recorded: %+v", raw, a)
	}
	return a
}

func TestEveryEventIsShownOnceWithTwoMembersAndRestarts(t *testing.T) {
	w := newWorld(t)
	rec, recorder := w.recorder(nil)
	one := w.summarizer(1, nil)
	d, display := w.display(nil)
	const devices, minutes = 5, 60
	n := 0
	send := func(r *sensor.Recorder, hour int) {
		for m := range minutes {
			for dev := range devices {
				n++
				raw := reading(n, dev, base.Add(time.Duration(hour)*time.Hour+time.Duration(m)*time.Minute), "24.5")
				if a := accept(t, r, raw); !a.HasPosition {
					t.Fatalf("no position without any fault: %+v", a)
				}
				if m%7 == 0 {
					accept(t, r, raw)
				}
			}
		}
	}
	send(rec, 0)
	two := w.summarizer(2, nil)
	send(rec, 1)
	recorder.kill()
	one.kill()
	one = w.summarizer(1, nil)
	rec, recorder = w.recorder(nil)
	send(rec, 2)
	w.stored(n)
	w.clock.Elapse(3 * time.Minute)
	counts(t, d, 3*devices, int64(n))
	display.kill()
	d, display = w.display(nil)
	counts(t, d, 3*devices, int64(n))
	for _, r := range []*running{recorder, one, two, display} {
		r.stop()
	}
}
