package proxy_test

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tahanuji/faults/proxy"
	"tahanuji/system/broker"
	"tahanuji/system/broker/observe"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/target"
)

const topic = "uji"

// rig is a broker behind a proxy, with an observer that looks past it.
type rig struct {
	*proxy.Proxy
	t   *testing.T
	ctx context.Context
	br  broker.Broker
	obs *observe.Observer
}

func newRig(t *testing.T) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	br, err := broker.Embedded().Start(ctx, broker.Config{Nodes: 3, Topics: []contract.Topic{{Name: topic, Partitions: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = br.Close(context.Background()) })
	obs, err := observe.New(br.Addrs())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(obs.Close)
	p, err := proxy.New(ctx, proxy.Config{Upstream: br.Addrs(), Label: label})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := p.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return &rig{Proxy: p, t: t, ctx: ctx, br: br, obs: obs}
}

// label takes a value such as "event:3" for its own label.
func label(_ string, value []byte) string {
	if strings.HasPrefix(string(value), "event:") {
		return string(value)
	}
	return ""
}

func (r *rig) client(role string, instance int, opts ...kgo.Opt) *kgo.Client {
	r.t.Helper()
	addr, err := r.Open(role, instance)
	if err != nil {
		r.t.Fatal(err)
	}
	c, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(addr), kgo.DefaultProduceTopic(topic), kgo.DisableClientMetrics(),
		kgo.MetadataMinAge(10 * time.Millisecond), kgo.ProducerLinger(0),
		kgo.RetryBackoffFn(func(int) time.Duration { return 10 * time.Millisecond }),
	}, opts...)...)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(c.Close)
	return c
}

func (r *rig) consumer(role string, instance int, opts ...kgo.Opt) *kgo.Client {
	return r.client(role, instance, append([]kgo.Opt{
		kgo.ConsumerGroup("uji-grup"), kgo.ConsumeTopics(topic), kgo.DisableAutoCommit(), kgo.FetchMaxWait(50 * time.Millisecond),
		kgo.SessionTimeout(500 * time.Millisecond), kgo.HeartbeatInterval(30 * time.Millisecond), kgo.RebalanceTimeout(time.Second),
	}, opts...)...)
}

// send produces values and returns the offset of the last.
func (r *rig) send(c *kgo.Client, values ...string) int64 {
	r.t.Helper()
	last := int64(-1)
	for _, v := range values {
		rec, err := c.ProduceSync(r.ctx, kgo.StringRecord(v)).First()
		if err != nil {
			r.t.Fatalf("produce %s: %v", v, err)
		}
		last = rec.Offset
	}
	return last
}

// poll waits for n records and returns their values.
func (r *rig) poll(c *kgo.Client, n int) []string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, 10*time.Second)
	defer cancel()
	var got []string
	for len(got) < n {
		f := c.PollFetches(ctx)
		if ctx.Err() != nil {
			r.t.Fatalf("%d of %d records came: %q", len(got), n, got)
		}
		f.EachRecord(func(rec *kgo.Record) { got = append(got, string(rec.Value)) })
	}
	return got
}

func (r *rig) log() []string {
	r.t.Helper()
	recs, err := r.obs.Scan(r.ctx, topic)
	if err != nil {
		r.t.Fatal(err)
	}
	var vs []string
	for _, rec := range recs {
		vs = append(vs, string(rec.Value))
	}
	return vs
}

func (r *rig) committed() int64 {
	r.t.Helper()
	done, err := r.obs.Committed(r.ctx, "uji-grup")
	if err != nil {
		r.t.Fatal(err)
	}
	if at, ok := done[observe.TP{Topic: topic}]; ok {
		return at
	}
	return -1
}

func (r *rig) arm(at target.Moment, do target.Action, budget int) *proxy.Armed {
	r.t.Helper()
	a, err := r.Arm(target.Step{Name: "step", Fault: "fault", At: at, Do: do, Budget: budget})
	if err != nil {
		r.t.Fatal(err)
	}
	return a
}

// acted waits until the step has acted as often as its budget allows.
func (r *rig) acted(a *proxy.Armed, count int) {
	r.t.Helper()
	select {
	case <-a.Done():
	case <-r.ctx.Done():
		r.t.Fatalf("the step never acted: %+v", a.Acted())
	}
	if got := a.Acted(); got.Count != count || len(got.What) == 0 {
		r.t.Fatalf("acted %+v, want count %d", got, count)
	}
}

// touched are the exchanges that the step had a hand in.
func (r *rig) touched() []history.Exchange {
	return slices.DeleteFunc(r.Ledger(), func(ex history.Exchange) bool { return ex.Fault == "" })
}

// one wants exactly one exchange that the step touched and that is no copy.
func (r *rig) one() history.Exchange {
	r.t.Helper()
	exs := slices.DeleteFunc(r.touched(), func(ex history.Exchange) bool { return ex.Copy })
	if len(exs) != 1 {
		r.t.Fatalf("%d exchanges were touched, want 1: %+v", len(exs), exs)
	}
	return exs[0]
}

func (r *rig) wantLog(want ...string) {
	r.t.Helper()
	if got := r.log(); !slices.Equal(got, want) {
		r.t.Fatalf("the log holds %q, want %q", got, want)
	}
}

func wantPhases(t *testing.T, ex history.Exchange, applied, told history.Phase) {
	t.Helper()
	if ex.Applied != applied || ex.Told != told {
		t.Fatalf("applied %s and told %s, want %s and %s: %+v", ex.Applied, ex.Told, applied, told, ex)
	}
}

func refusesConnections(addr string) bool {
	c, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return true
	}
	_ = c.Close()
	return false
}
