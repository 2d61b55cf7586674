package found_test

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// FOUND.md 2: a member whose connection ends while its JoinGroup waits for the others becomes a member of the next generation, every
// other time without a session timer, and then keeps its partitions for ever. Apache Kafka starts the timer when it completes the
// join, whoever reads the answer.
func TestKfakeNeverMissesAMemberThatDiedWhileItJoined(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	defer cancel()
	const rounds = 24 // half of them show it
	for range rounds {
		if staysForEver(ctx, t) {
			return
		}
	}
	t.Fatalf("a member that died while it joined was missed %d times of %d: this release has the fix; take the entry out of FOUND.md", rounds, rounds)
}

// staysForEver lets a member die while it joins and says whether the group still has it after four sessions.
func staysForEver(ctx context.Context, t *testing.T) bool {
	t.Helper()
	const session = 300 * time.Millisecond
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.GroupMinSessionTimeout(session), kfake.SeedTopics(1, "t"))
	if err != nil {
		t.Fatal(err)
	}
	defer cluster.Close()
	stays, dies, asks := member(t, cluster), member(t, cluster), member(t, cluster)
	defer stays.Close()
	defer asks.Close()

	first := asked[*kmsg.JoinGroupResponse](ctx, t, stays, joining("", session))
	asked[*kmsg.SyncGroupResponse](ctx, t, stays, syncing(first.MemberID, first.Generation))
	go func() { _, _ = joining("", session).RequestWith(ctx, dies) }() // it has no answer: the other must join again first
	until(ctx, t, func() bool { return members(ctx, t, asks) == 2 })
	dies.Close()
	time.Sleep(session / 3) // for kfake to see that the connection has ended
	again := asked[*kmsg.JoinGroupResponse](ctx, t, stays, joining(first.MemberID, session))
	asked[*kmsg.SyncGroupResponse](ctx, t, stays, syncing(again.MemberID, again.Generation))

	for begun := time.Now(); time.Since(begun) < 4*session; time.Sleep(session / 6) {
		beat := kmsg.NewPtrHeartbeatRequest()
		beat.Group, beat.MemberID, beat.Generation = "g", again.MemberID, again.Generation
		if asked[*kmsg.HeartbeatResponse](ctx, t, stays, beat).ErrorCode != 0 {
			return false // the group is balanced anew, for one member is gone
		}
	}
	return members(ctx, t, asks) == 2
}

func member(t *testing.T, cluster *kfake.Cluster) *kgo.Client {
	t.Helper()
	// JoinGroup as of Kafka 2.0 needs no second round for a member's id.
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.MaxVersions(kversion.V2_0_0()))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func joining(id string, session time.Duration) *kmsg.JoinGroupRequest {
	req := kmsg.NewPtrJoinGroupRequest()
	req.Group, req.MemberID, req.ProtocolType = "g", id, "consumer"
	req.SessionTimeoutMillis, req.RebalanceTimeoutMillis = int32(session.Milliseconds()), 10_000
	protocol := kmsg.NewJoinGroupRequestProtocol()
	protocol.Name = "range"
	req.Protocols = append(req.Protocols, protocol)
	return req
}

func syncing(id string, generation int32) *kmsg.SyncGroupRequest {
	req := kmsg.NewPtrSyncGroupRequest()
	req.Group, req.MemberID, req.Generation = "g", id, generation
	return req
}

func members(ctx context.Context, t *testing.T, client *kgo.Client) int {
	t.Helper()
	req := kmsg.NewPtrDescribeGroupsRequest()
	req.Groups = []string{"g"}
	return len(asked[*kmsg.DescribeGroupsResponse](ctx, t, client, req).Groups[0].Members)
}

func until(ctx context.Context, t *testing.T, holds func() bool) {
	t.Helper()
	for !holds() {
		if ctx.Err() != nil {
			t.Fatal("the second member never joined")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// asked sends a request and returns its answer.
func asked[R kmsg.Response](ctx context.Context, t *testing.T, client *kgo.Client, req kmsg.Request) R {
	t.Helper()
	resp, err := client.Request(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	return resp.(R)
}
