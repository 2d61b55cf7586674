// Package brokertest is the one suite that every backend passes. It asks what runs rely on: topics as the document has them,
// records and groups that work, nodes that come back with what they acknowledged, and that nothing is left behind. It does
// not test Kafka, and it says nothing about what a backend states as its limits.
package brokertest

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tahanuji/system/broker"
	"tahanuji/system/broker/observe"
	"tahanuji/system/contract"
)

// limit bounds each test of the suite: JVMs on busy cores are slow.
const limit = 3 * time.Minute

// Run runs the whole suite against a backend. A backend that is missing here skips it, with the backend's own sentence.
func Run(t *testing.T, b broker.Backend) {
	if why := b.Missing(); why != "" {
		t.Skip(why)
	}
	for _, c := range []struct {
		name string
		test func(*testing.T, broker.Backend)
	}{
		{"a topic has the partitions and the configuration of the document", topicAsWritten},
		{"what is produced is read back, with its producer and its place", produceAndScan},
		{"a group commits, is described and is set back when it is empty", groups},
		{"a node that comes back has what was acknowledged", nodeComesBack},
		{"a leader moves and nothing is lost", leaderMoves},
		{"a coordinator moves and the offsets stay", coordinatorMoves},
		{"two clusters at once do not meet", twoAtOnce},
		{"closing leaves nothing", closeLeavesNothing},
		{"a cluster without nodes is refused", refused},
		{"limits are stated as data", limits},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, b) })
	}
}

var topics = []contract.Topic{
	{Name: "uji-kejadian", Partitions: 3, Config: map[string]string{"retention.ms": "604800000", "cleanup.policy": "delete"}},
	{Name: "uji-rangkuman", Partitions: 1, Config: map[string]string{"retention.ms": "2592000000"}},
}

// cluster is a started broker with an observer of it.
type cluster struct {
	broker.Broker
	*observe.Observer
	ctx context.Context
}

func start(t *testing.T, b broker.Backend, nodes int) cluster {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	br, err := b.Start(ctx, broker.Config{Nodes: nodes, Dir: t.TempDir(), Topics: topics})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := br.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	o, err := observe.New(br.Addrs())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return cluster{br, o, ctx}
}

func (c cluster) client(t *testing.T, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(c.Addrs()...),
		kgo.MetadataMinAge(10 * time.Millisecond),
		kgo.RetryBackoffFn(func(int) time.Duration { return 10 * time.Millisecond }),
		kgo.DisableClientMetrics(),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// produce sends values to partition p of the first topic and wants each acknowledged.
func (c cluster) produce(t *testing.T, client *kgo.Client, p int32, values ...string) {
	t.Helper()
	for _, v := range values {
		r := &kgo.Record{Topic: topics[0].Name, Partition: p, Key: []byte("k"), Value: []byte(v)}
		if err := client.ProduceSync(c.ctx, r).FirstErr(); err != nil {
			t.Fatalf("produce %s: %v", v, err)
		}
	}
}

func (c cluster) values(t *testing.T) []string {
	t.Helper()
	recs, err := c.Scan(c.ctx, topics[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	var vs []string
	for _, r := range recs {
		vs = append(vs, string(r.Value))
	}
	return vs
}

func want(t *testing.T, what string, got, wanted []string) {
	t.Helper()
	if !slices.Equal(got, wanted) {
		t.Fatalf("%s: got %q, want %q", what, got, wanted)
	}
}

func manual() kgo.Opt { return kgo.RecordPartitioner(kgo.ManualPartitioner()) }

func topicAsWritten(t *testing.T, b broker.Backend) {
	c := start(t, b, 3)
	live, err := c.Topics(c.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(live) != len(topics) {
		t.Fatalf("%d topics, want %d: %+v", len(live), len(topics), live)
	}
	for i, want := range topics {
		if live[i].Name != want.Name || live[i].Partitions != want.Partitions {
			t.Errorf("topic %d is %s with %d partitions, want %s with %d", i, live[i].Name, live[i].Partitions, want.Name, want.Partitions)
		}
		for k, v := range want.Config {
			if live[i].Config[k] != v {
				t.Errorf("%s of %s is %q, want %q", k, want.Name, live[i].Config[k], v)
			}
		}
	}
}

func twoAtOnce(t *testing.T, b broker.Backend) {
	one, two := start(t, b, 1), start(t, b, 1)
	one.produce(t, one.client(t, manual()), 0, "satu")
	two.produce(t, two.client(t, manual()), 0, "dua")
	want(t, "the first cluster", one.values(t), []string{"satu"})
	want(t, "the second cluster", two.values(t), []string{"dua"})
}

func closeLeavesNothing(t *testing.T, b broker.Backend) {
	c := start(t, b, 3)
	addrs := c.Addrs()
	c.Observer.Close()
	if err := c.Broker.Close(c.ctx); err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(c.ctx, "tcp", a)
		if err == nil {
			_ = conn.Close()
			t.Errorf("%s still accepts connections", a)
		}
	}
	if err := c.Broker.Close(c.ctx); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

func refused(t *testing.T, b broker.Backend) {
	if br, err := b.Start(context.Background(), broker.Config{Nodes: 0}); err == nil {
		_ = br.Close(context.Background())
		t.Fatal("a cluster of 0 nodes was started")
	}
}

func limits(t *testing.T, b broker.Backend) {
	for f, why := range b.Lacks {
		if why == "" {
			t.Errorf("%s lacks %s without a reason", b.Name, f)
		}
	}
	for _, l := range b.Limits {
		if l.Of == "" || l.Text == "" {
			t.Errorf("%s has a limit without words: %+v", b.Name, l)
		}
	}
	if b.Doc == "" {
		t.Errorf("%s has no description", b.Name)
	}
}
