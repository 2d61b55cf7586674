package cluster

import (
	"testing"
	"time"

	"tahanuji/reference/port"
	"tahanuji/system/sim/virtual"

	"pgregory.net/rapid"
)

func batchOf(n int) []Record { return make([]Record, n) }

func TestABatchThatIsInTheLogIsAnsweredWithItsFirstOffset(t *testing.T) {
	var l Log
	l.Append(batchOf(3), -1, -1, -1)
	base, code, fresh := l.Append(batchOf(2), 7, 0, 0)
	if base != 3 || code != 0 || !fresh {
		t.Fatalf("first: %d, code %d, %v", base, code, fresh)
	}
	if base, code, fresh = l.Append(batchOf(2), 7, 0, 0); base != 3 || code != 0 || fresh || len(l.Records) != 5 {
		t.Fatalf("again: %d, code %d, %v, %d records", base, code, fresh, len(l.Records))
	}
}

func TestNumbersOutOfOrderAreRefused(t *testing.T) {
	var l Log
	for n := range int32(7) {
		l.Append(batchOf(1), 7, 1, n)
	}
	for _, of := range []struct {
		epoch int16
		first int32
		want  int16
	}{{1, 9, OutOfOrder}, {1, 0, OutOfOrder}, {0, 7, OldEpoch}, {2, 3, OutOfOrder}, {2, 0, 0}, {2, 1, 0}} {
		if _, code, _ := l.Append(batchOf(1), 7, of.epoch, of.first); code != of.want {
			t.Errorf("epoch %d, number %d: code %d, want %d", of.epoch, of.first, code, of.want)
		}
	}
}

func TestAPartitionIsAssignedOnceAndToAReaderOfItsTopic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		topics := []Topic{{"a", rapid.IntRange(0, 7).Draw(rt, "a")}, {"b", rapid.IntRange(0, 7).Draw(rt, "b")}}
		var members []Member
		reads := map[string][]string{}
		for _, id := range rapid.SliceOfNDistinct(rapid.StringN(1, 3, 3), 1, 4, rapid.ID[string]).Draw(rt, "members") {
			m := Member{id, rapid.SampledFrom([][]string{{"a"}, {"b"}, {"a", "b"}}).Draw(rt, "topics")}
			members = append(members, m)
			for _, topic := range m.Topics {
				reads[topic] = append(reads[topic], id)
			}
		}
		owner := map[port.Partition]string{}
		for id, plan := range Share(topics, members) {
			for _, p := range plan {
				if owner[p] != "" {
					rt.Fatalf("%v belongs to %q and %q", p, owner[p], id)
				}
				owner[p] = id
			}
		}
		for _, topic := range topics {
			if len(reads[topic.Name]) == 0 {
				continue
			}
			for n := range topic.Partitions {
				if owner[port.Partition{Topic: topic.Name, Partition: int32(n)}] == "" {
					rt.Fatalf("%s/%d belongs to nobody", topic.Name, n)
				}
			}
		}
	})
}

func run(l *virtual.Loop, d time.Duration) { _, _ = l.Run(l.Now()+d, func() bool { return false }) }

func TestAMemberThatIsSilentIsOutAndItsCommitRefused(t *testing.T) {
	var l virtual.Loop
	g := NewGroup(&l, "g", 0, time.Second, time.Second)
	var in Joined
	g.Join("m", nil, func(j Joined) { in = j })
	g.Sync("m", in.Generation, map[string][]port.Partition{}, func([]port.Partition, int16) {})
	if code := g.MayCommit("m", in.Generation); code != 0 || !in.Leads {
		t.Fatalf("a member's commit gets code %d, leads %v", code, in.Leads)
	}
	run(&l, 900*time.Millisecond)
	if code := g.Heartbeat("m", in.Generation); code != 0 {
		t.Fatalf("a heartbeat in time gets code %d", code)
	}
	run(&l, 3*time.Second)
	if code := g.MayCommit("m", in.Generation); code != UnknownMember || g.Size() != 0 {
		t.Fatalf("a silent member's commit gets code %d, %d members", code, g.Size())
	}
}

func TestARebalanceWaitsForAllAndLeavesOutWhoDoesNotCome(t *testing.T) {
	var l virtual.Loop
	g := NewGroup(&l, "g", 0, 10*time.Second, time.Second)
	answers := map[string]Joined{}
	join := func(id string) { g.Join(id, nil, func(j Joined) { answers[id] = j }) }
	join("a")
	first := answers["a"].Generation
	g.Sync("a", first, map[string][]port.Partition{}, func([]port.Partition, int16) {})
	join("b")
	if _, ok := answers["b"]; ok {
		t.Fatal("the newcomer did not wait for the member")
	}
	if code := g.Heartbeat("a", first); code != Rebalance {
		t.Fatalf("the member's heartbeat gets code %d", code)
	}
	run(&l, 2*time.Second)
	if b := answers["b"]; b.Generation != first+1 || len(b.Members) != 1 {
		t.Fatalf("after the limit: %+v", b)
	}
	if code := g.MayCommit("a", first); code != UnknownMember {
		t.Fatalf("who did not come commits with code %d", code)
	}
}
