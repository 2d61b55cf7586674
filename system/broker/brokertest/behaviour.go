package brokertest

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tahanuji/system/broker"
	"tahanuji/system/broker/observe"
)

func produceAndScan(t *testing.T, b broker.Backend) {
	c := start(t, b, 3)
	client := c.client(t, manual())
	c.produce(t, client, 0, "a", "b")
	c.produce(t, client, 2, "c")
	recs, err := c.Scan(c.ctx, topics[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "scan", c.values(t), []string{"a", "b", "c"})
	if recs[1].Where.Offset != 1 || recs[2].Where.Partition != 2 || string(recs[0].Key) != "k" {
		t.Errorf("places or keys are wrong: %+v", recs)
	}
	if recs[0].Producer.ID < 0 || recs[0].Producer.ID != recs[1].Producer.ID || recs[1].Producer.Seq != 1 {
		t.Errorf("producers are %+v and %+v, want one producer's sequences 0 and 1", recs[0].Producer, recs[1].Producer)
	}
	plain := c.client(t, manual(), kgo.DisableIdempotentWrite())
	c.produce(t, plain, 1, "d")
	if recs, err = c.Scan(c.ctx, topics[0].Name); err != nil {
		t.Fatal(err)
	}
	if p := recs[2].Producer; p.ID != -1 || p.Seq != -1 {
		t.Errorf("producer of a record that is not idempotent is %+v, want -1", p)
	}
	ends, err := c.Ends(c.ctx, topics[0].Name)
	if err != nil {
		t.Fatal(err)
	}
	if ends[0] != 2 || ends[1] != 1 || ends[2] != 1 {
		t.Errorf("ends are %v, want 2, 1, 1", ends)
	}
}

func (c cluster) consumer(t *testing.T, group string) *kgo.Client {
	t.Helper()
	return c.client(t, kgo.ConsumerGroup(group), kgo.ConsumeTopics(topics[0].Name), kgo.DisableAutoCommit(),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(50*time.Millisecond))
}

// consume polls until n records came, and commits them.
func (c cluster) consume(t *testing.T, client *kgo.Client, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(c.ctx, limit/2)
	defer cancel()
	for got := 0; got < n; {
		fetches := client.PollFetches(ctx)
		if err := ctx.Err(); err != nil {
			t.Fatalf("%d of %d records came: %v", got, n, err)
		}
		got += fetches.NumRecords()
	}
	if err := client.CommitUncommittedOffsets(ctx); err != nil {
		t.Fatal(err)
	}
}

func groups(t *testing.T, b broker.Backend) {
	c := start(t, b, 3)
	c.produce(t, c.client(t, manual()), 0, "a", "b", "c")
	if g, err := c.Group(c.ctx, "uji"); err != nil || g.State != "Dead" {
		t.Fatalf("a group that there is not: %+v, %v; want Dead", g, err)
	}
	if done, err := c.Committed(c.ctx, "uji"); err != nil || len(done) != 0 {
		t.Fatalf("a group that there is not has committed %v (%v)", done, err)
	}
	client := c.consumer(t, "uji")
	c.consume(t, client, 3)
	at := observe.TP{Topic: topics[0].Name, Partition: 0}
	done, err := c.Committed(c.ctx, "uji")
	if err != nil || done[at] != 3 {
		t.Fatalf("committed %v, %v; want 3", done, err)
	}
	g, err := c.Group(c.ctx, "uji")
	if err != nil || g.State != "Stable" || len(g.Members) != 1 || len(g.Members[0].Assigned) != 3 {
		t.Fatalf("group %+v, %v; want Stable with one member and its three partitions", g, err)
	}
	short, cancel := context.WithTimeout(c.ctx, 100*time.Millisecond)
	defer cancel()
	if err := c.SetOffsets(short, "uji", map[observe.TP]int64{at: 0}); err == nil {
		t.Fatal("offsets of a group with a member were set")
	}
	client.Close()
	if err := c.SetOffsets(c.ctx, "uji", map[observe.TP]int64{at: 1}); err != nil {
		t.Fatal(err)
	}
	lag, err := c.Lag(c.ctx, "uji", topics[0].Name)
	if err != nil || lag[at] != 2 {
		t.Fatalf("lag %v, %v; want 2", lag, err)
	}
}

// hurt gives the nodes of a cluster of three, and skips where faults can't take hold of them.
func hurt(t *testing.T, b broker.Backend) cluster {
	t.Helper()
	c := start(t, b, 3)
	if c.Nodes() == nil {
		t.Skipf("%s lets no fault take hold of its nodes", b.Name)
	}
	return c
}

func nodeComesBack(t *testing.T, b broker.Backend) {
	c := hurt(t, b)
	client := c.client(t, manual())
	for p := range int32(3) {
		c.produce(t, client, p, "before")
	}
	for _, id := range c.Nodes().IDs() {
		if err := c.Nodes().Down(c.ctx, id); err != nil {
			t.Fatal(err)
		}
		for p := range int32(3) {
			c.produce(t, client, p, "while")
			if leader, err := c.Nodes().Leader(c.ctx, topics[0].Name, p); err != nil || leader == id {
				t.Fatalf("node %d is down and leads %d (%v)", id, p, err)
			}
		}
		if err := c.Nodes().Up(c.ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(c.values(t)); n != 12 {
		t.Fatalf("%d records are in the topic, want the 12 that were acknowledged", n)
	}
}

func leaderMoves(t *testing.T, b broker.Backend) {
	c := hurt(t, b)
	client := c.client(t, manual())
	c.produce(t, client, 0, "a")
	was, err := c.Nodes().Leader(c.ctx, topics[0].Name, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Nodes().MoveLeader(c.ctx, topics[0].Name, 0); err != nil {
		t.Fatal(err)
	}
	is, err := c.Nodes().Leader(c.ctx, topics[0].Name, 0)
	if err != nil || is == was {
		t.Fatalf("the leader was %d and is %d (%v)", was, is, err)
	}
	c.produce(t, client, 0, "b")
	want(t, "after the move", c.values(t), []string{"a", "b"})
}

func coordinatorMoves(t *testing.T, b broker.Backend) {
	c := hurt(t, b)
	c.produce(t, c.client(t, manual()), 0, "a")
	c.consume(t, c.consumer(t, "uji"), 1)
	was, err := c.Nodes().Coordinator(c.ctx, "uji")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Nodes().MoveCoordinator(c.ctx, "uji"); err != nil {
		t.Fatal(err)
	}
	is, err := c.Nodes().Coordinator(c.ctx, "uji")
	if err != nil || is == was {
		t.Fatalf("the coordinator was %d and is %d (%v)", was, is, err)
	}
	// A new coordinator shows a commit once its log's high watermark has passed it, which may be one fetch later.
	for {
		done, err := c.Committed(c.ctx, "uji")
		if err == nil && done[observe.TP{Topic: topics[0].Name}] == 1 {
			return
		}
		if c.ctx.Err() != nil || len(done) > 0 {
			t.Fatalf("committed %v, %v; want 1", done, err)
		}
	}
}
