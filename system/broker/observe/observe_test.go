package observe_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tahanuji/system/broker"
	"tahanuji/system/broker/observe"
	"tahanuji/system/contract"
)

const topic = "uji"

func look(t *testing.T) (context.Context, broker.Broker, *observe.Observer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	b, err := broker.Embedded().Start(ctx, broker.Config{Nodes: 3, Topics: []contract.Topic{{Name: topic, Partitions: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	o, err := observe.New(b.Addrs())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return ctx, b, o
}

func client(t *testing.T, b broker.Broker, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	c, err := kgo.NewClient(append(opts, kgo.SeedBrokers(b.Addrs()...), kgo.DefaultProduceTopic(topic), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.MetadataMinAge(10*time.Millisecond), kgo.DisableClientMetrics())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func send(ctx context.Context, t *testing.T, c *kgo.Client, values ...string) {
	t.Helper()
	for _, v := range values {
		if err := c.ProduceSync(ctx, kgo.StringRecord(v)).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

func scan(ctx context.Context, t *testing.T, o *observe.Observer) []string {
	t.Helper()
	recs, err := o.Scan(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	var vs []string
	for _, r := range recs {
		vs = append(vs, string(r.Value))
	}
	return vs
}

func TestAnEmptyTopicScansEmpty(t *testing.T) {
	ctx, _, o := look(t)
	if got := scan(ctx, t, o); len(got) != 0 {
		t.Fatalf("got %q", got)
	}
}

func TestCompressedBatchesOfAnyCodecAreScanned(t *testing.T) {
	ctx, b, o := look(t)
	want := []string{}
	for i, codec := range []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()} {
		c := client(t, b, kgo.ProducerBatchCompression(codec), kgo.ProducerLinger(50*time.Millisecond))
		for j := range 20 {
			v := strconv.Itoa(i*100 + j)
			want = append(want, v)
			c.Produce(ctx, kgo.StringRecord(v), nil)
		}
		if err := c.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if got := scan(ctx, t, o); !slices.Equal(got, want) {
		t.Fatalf("got %q", got)
	}
}

// What stands in the log is what is judged: the markers of transactions are no records, and those of an aborted one are.
func TestTransactionMarkersAreNoRecords(t *testing.T) {
	ctx, b, o := look(t)
	c := client(t, b, kgo.TransactionalID("uji"))
	for _, commit := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort} {
		if err := c.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		send(ctx, t, c, "committed: "+strconv.FormatBool(bool(commit)))
		if err := c.EndTransaction(ctx, commit); err != nil {
			t.Fatal(err)
		}
	}
	if got := scan(ctx, t, o); !slices.Equal(got, []string{"committed: true", "committed: false"}) {
		t.Fatalf("got %q", got)
	}
	ends, err := o.Ends(ctx, topic)
	if err != nil || ends[0] != 4 {
		t.Fatalf("ends %v (%v), want 4 with the two markers", ends, err)
	}
}

func TestAScanFollowsTheLeader(t *testing.T) {
	ctx, b, o := look(t)
	c := client(t, b)
	var want []string
	for i := range 6 {
		v := strconv.Itoa(i)
		want = append(want, v)
		send(ctx, t, c, v)
		if got := scan(ctx, t, o); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
		if err := b.Nodes().MoveLeader(ctx, topic, 0); err != nil {
			t.Fatal(err)
		}
	}
	id, err := b.Nodes().Leader(ctx, topic, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Nodes().Down(ctx, id); err != nil {
		t.Fatal(err)
	}
	if got := scan(ctx, t, o); !slices.Equal(got, want) {
		t.Fatalf("with node %d down: got %q, want %q", id, got, want)
	}
}

func TestALookWithoutADeadlineIsRefused(t *testing.T) {
	_, _, o := look(t)
	if _, err := o.Topics(context.Background()); err == nil {
		t.Fatal("the observer was ready to wait for ever")
	}
}

func TestALookEndsWithItsContextAndSaysWhatItSaw(t *testing.T) {
	_, b, o := look(t)
	for _, id := range b.Nodes().IDs() {
		if err := b.Nodes().Down(context.Background(), id); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if _, err := o.Topics(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v", err)
	}
}

func TestATopicThatThereIsNotEndsWithTheContext(t *testing.T) {
	_, _, o := look(t)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := o.Scan(ctx, "tiada"); err == nil {
		t.Fatal("a topic that there is not was scanned")
	}
}

func TestOffsetsOfSeveralPartitionsAreSetAtOnce(t *testing.T) {
	ctx, b, o := look(t)
	send(ctx, t, client(t, b), "a", "b", "c")
	want := map[observe.TP]int64{{Topic: topic, Partition: 0}: 2, {Topic: topic, Partition: 1}: 0}
	if err := o.SetOffsets(ctx, "uji", want); err != nil {
		t.Fatal(err)
	}
	got, err := o.Committed(ctx, "uji")
	if err != nil || len(got) != 2 || got[observe.TP{Topic: topic}] != 2 {
		t.Fatalf("got %v (%v)", got, err)
	}
	lag, err := o.Lag(ctx, "uji", topic)
	if err != nil || lag[observe.TP{Topic: topic}] != 1 {
		t.Fatalf("lag %v (%v)", lag, err)
	}
	if err := o.SetOffsets(ctx, "uji", nil); err != nil {
		t.Errorf("setting nothing: %v", err)
	}
}
