package model

import (
	"context"
	"reflect"
	"testing"
	"time"

	"tahanuji/system/history"
	"tahanuji/system/target"
)

func TestWithoutFaultsEachEventArrivesOnceAndIsCommitted(t *testing.T) {
	c := sensor(t, 120, 1)
	c.Roles = strict.roles()
	r := run(t, c)
	if r.Unsettled != "" {
		t.Fatal(r.Unsettled)
	}
	got := copies(c, r.History)
	for _, e := range c.Load.Valid() {
		if got[e.Label] < 1 {
			t.Errorf("%s is %d times in its topic", e.Label, got[e.Label])
		}
	}
	if n := behind(r.History, "perekap"); n != 0 {
		t.Errorf("the group is %d behind", n)
	}
}

func TestTheSameSeedGivesTheSameHistory(t *testing.T) {
	steps := []target.Step{{Name: "kill", At: target.Moment{API: "OffsetCommit", Role: "summarizer", Passes: "event:9"},
		Do: target.Action{Do: target.Kill, For: time.Second}}}
	var first *history.History
	for range 3 {
		c := sensor(t, 80, 3)
		c.Roles, c.Steps, c.Members = strict.roles(), steps, map[string]int{"summarizer": 2}
		h := run(t, c).History
		if first == nil {
			first = h
			continue
		}
		if !reflect.DeepEqual(first.Events, h.Events) || !reflect.DeepEqual(first.Ledger, h.Ledger) {
			t.Fatal("two runs of one seed differ")
		}
	}
}

func TestAnotherSeedGivesAnotherHistory(t *testing.T) {
	c := sensor(t, 40, 3)
	c.Roles = strict.roles()
	a := run(t, c)
	c.Seed = 4
	if reflect.DeepEqual(a.History.Ledger, run(t, c).History.Ledger) {
		t.Fatal("the seed draws nothing")
	}
}

func TestAnEventReachesTheSamePartitionAsOnABroker(t *testing.T) {
	// Partitions of three keys under murmur2 over 3, as Kafka's own clients place them.
	w := newWorld(sensor(t, 10, 1))
	for key, want := range map[string]int32{"21": murmur("21", 3), "foobar": murmur("foobar", 3), "sensor-07": murmur("sensor-07", 3)} {
		if got := w.place(w.topics[events], []byte(key)).n; got != want {
			t.Errorf("%s is placed in %d, want %d", key, got, want)
		}
	}
}

// murmur is Kafka's placement, written anew from org.apache.kafka.common.utils.Utils.murmur2.
func murmur(key string, n int32) int32 {
	const m = 0x5bd1e995
	h := uint32(0x9747b28c) ^ uint32(len(key))
	b := []byte(key)
	for ; len(b) >= 4; b = b[4:] {
		k := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		k *= m
		k ^= k >> 24
		k *= m
		h = h*m ^ k
	}
	switch len(b) {
	case 3:
		h ^= uint32(b[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(b[1]) << 8
		fallthrough
	case 1:
		h = (h ^ uint32(b[0])) * m
	}
	h ^= h >> 13
	h *= m
	h ^= h >> 15
	return int32(h&0x7fffffff) % n
}

func TestALostAnswerIsNoDuplicateOfAnIdempotentProducerAndOneOfAnother(t *testing.T) {
	step := target.Step{At: target.Moment{API: "Produce", Carries: "event:5"}, Do: target.Action{Do: target.AckLost, How: "rst"}}
	for _, idempotent := range []bool{true, false} {
		o := strict
		o.producer.Idempotent = idempotent
		c := one(t, o, step)
		r := run(t, c)
		want := 1
		if !idempotent {
			want = 2
		}
		if got := copies(c, r.History)["event:5"]; got != want || r.Acted[0].Count != 1 {
			t.Errorf("idempotent %v: event:5 is %d times in its topic, want %d; acted %d times", idempotent, got, want, r.Acted[0].Count)
		}
	}
}

func TestEachVerbOnAProduceActsAndLosesNothing(t *testing.T) {
	for _, do := range []target.Action{
		{Do: target.NotApplied, Code: 7}, {Do: target.Applied, Code: 7}, {Do: target.AckLost, How: "silence"},
		{Do: target.CutBefore, How: "fin"}, {Do: target.Copy}, {Do: target.LateCopy, For: 300 * time.Millisecond},
		{Do: target.Hold, For: time.Second}, {Do: target.LeaderMove}, {Do: target.NodeDown, Of: "leader", For: time.Second},
		{Do: target.Kill, Before: true, For: time.Second}, {Do: target.Kill, For: time.Second}, {Do: target.Pause, For: 30 * time.Second},
		{Do: target.Stop, For: time.Second},
	} {
		c := one(t, strict, target.Step{At: target.Moment{API: "Produce", Role: "recorder", Carries: "event:5"}, Do: do})
		r := run(t, c)
		if r.Acted[0].Count == 0 {
			t.Errorf("%s did not act", do.Do)
		}
		got := copies(c, r.History)
		for _, e := range c.Load.Valid() {
			if got[e.Label] == 0 {
				t.Errorf("%s: %s is not in its topic", do.Do, e.Label)
			}
		}
		if do.Do != target.Kill && do.Do != target.Pause && do.Do != target.Stop && got["event:5"] != 1 {
			t.Errorf("%s: event:5 is %d times in its topic", do.Do, got["event:5"])
		}
		if r.Unsettled != "" {
			t.Errorf("%s: %s", do.Do, r.Unsettled)
		}
	}
}

func TestEachVerbOnAGroupsRequestsActsAndTheGroupCatchesUp(t *testing.T) {
	for _, api := range []string{"OffsetCommit", "Heartbeat", "JoinGroup", "SyncGroup", "Fetch"} {
		for _, do := range []target.Action{
			{Do: target.NotApplied, Code: 16}, {Do: target.NotApplied, Code: 25}, {Do: target.Applied, Code: 7}, {Do: target.AckLost, How: "rst"},
			{Do: target.CutBefore, How: "rst"}, {Do: target.Hold, For: 30 * time.Second}, {Do: target.CoordinatorMove},
			{Do: target.Kill, Before: true, For: time.Second}, {Do: target.Kill, For: time.Second}, {Do: target.Pause, For: 30 * time.Second},
		} {
			at := target.Moment{API: api, Role: "summarizer"}
			c := one(t, strict, target.Step{At: at, Do: do})
			c.Members = map[string]int{"summarizer": 2}
			r := run(t, c)
			if r.Acted[0].Count == 0 {
				t.Errorf("%s at %s did not act", do.Do, api)
			}
			if n := behind(r.History, "perekap"); n != 0 || r.Unsettled != "" {
				t.Errorf("%s at %s: the group is %d behind: %s", do.Do, api, n, r.Unsettled)
			}
		}
	}
}

func TestAKillBetweenCommitAndStoreLosesWhatWasCommittedFirst(t *testing.T) {
	for _, first := range []bool{true, false} {
		o := strict
		o.commitFirst = first
		c := one(t, o, target.Step{At: target.Moment{API: "OffsetCommit", Role: "summarizer", Passes: "event:20"},
			Do: target.Action{Do: target.Kill, For: time.Second}})
		stored := map[string]int{}
		for i := range c.Roles {
			if c.Roles[i].Name == "summarizer" {
				spy(&c.Roles[i], stored)
			}
		}
		run(t, c)
		missing := 0
		for _, e := range c.Load.Valid() {
			if stored[e.ID] == 0 {
				missing++
			}
		}
		if (missing > 0) != first {
			t.Errorf("commit first %v: %d events were never stored", first, missing)
		}
	}
}

// spy counts what the role's shared store holds when its last process ends.
func spy(r *Role, into map[string]int) {
	make := r.New
	r.New = func(p *Process) Program {
		g := make(p)
		rest := g.Cores[0]
		g.Cores[0] = func(ctx context.Context) error {
			defer func() {
				_ = p.role.shared.Scan("seen", "", "", func(id string, v []byte) bool { into[id] = len(v); return true })
			}()
			return rest(ctx)
		}
		return g
	}
}

func TestAStepOnACallKillsTheRoleThere(t *testing.T) {
	for _, call := range []string{CallUpdate, CallPoll, CallCommit} {
		for _, before := range []bool{true, false} {
			c := one(t, strict, target.Step{At: target.Moment{API: call, Role: "summarizer", Carries: "event:20"},
				Do: target.Action{Do: target.Kill, For: time.Second, Before: before}})
			r := run(t, c)
			if r.Acted[0].Count != 1 || r.Unsettled != "" {
				t.Errorf("%s, before %v: acted %d times; %s", call, before, r.Acted[0].Count, r.Unsettled)
			}
		}
	}
}

func TestAStoreThatFailsDelaysAndLosesNothing(t *testing.T) {
	for _, do := range []target.Verb{target.StoreFail, target.StoreFull, target.StoreSlow} {
		c := one(t, strict, target.Step{At: target.Moment{After: "event:9"}, Do: target.Action{Do: do, Role: "summarizer", For: 2 * time.Second}})
		r := run(t, c)
		if r.Acted[0].Count == 0 || r.Unsettled != "" || behind(r.History, "perekap") != 0 {
			t.Errorf("%s: acted %d times, %d behind, %s", do, r.Acted[0].Count, behind(r.History, "perekap"), r.Unsettled)
		}
	}
}

func TestMembersComeAndGo(t *testing.T) {
	c := one(t, strict, target.Step{At: target.Moment{After: "event:9"}, Do: target.Action{Do: target.Join, Role: "summarizer"}})
	c.Steps = append(c.Steps, target.Step{Name: "leave", At: target.Moment{After: "event:30"}, Do: target.Action{Do: target.Leave, Role: "summarizer", Member: 1}})
	r := run(t, c)
	for _, a := range r.Acted {
		if a.Count != 1 {
			t.Errorf("%s acted %d times", a.Step, a.Count)
		}
	}
	if r.Unsettled != "" {
		t.Error(r.Unsettled)
	}
	doors := map[string]bool{}
	for _, x := range r.History.Ledger {
		if x.API == "OffsetCommit" {
			doors[x.Door] = true
		}
	}
	if !doors["summarizer/2"] {
		t.Error("the new member never committed")
	}
}

func TestAStepAtRestComesBeforeTheLastEvents(t *testing.T) {
	c := one(t, strict, target.Step{At: target.Moment{After: "rest"}, Do: target.Action{Do: target.Kill, Role: "summarizer", For: time.Second}})
	r := run(t, c)
	killed, sentAfter := false, 0
	for _, e := range r.History.Events {
		killed = killed || e.Op == history.OpRole && e.Key == "killed"
		if killed && e.Op == history.OpSend && e.Phase == history.OK {
			sentAfter++
		}
	}
	if !killed || sentAfter == 0 || r.Unsettled != "" {
		t.Errorf("killed %v, %d sends after it, %s", killed, sentAfter, r.Unsettled)
	}
}

func TestARoleThatSpinsIsNamedWithWhatItLastSaw(t *testing.T) {
	c := sensor(t, 20, 1)
	c.Roles = strict.roles()
	c.Roles[1].New = func(p *Process) Program {
		return Program{Cores: cores(func(ctx context.Context) error {
			for {
				_ = p.NewSignal().Wait(ctx, 0)
			}
		})}
	}
	_, err := Run(t.Context(), c)
	if err == nil {
		t.Fatal("a role that spins went unnoticed")
	}
	t.Log(err)
}

func TestTheLedgerSaysWhatWasTrueAndWhatTheClientWasTold(t *testing.T) {
	c := one(t, strict, target.Step{Fault: "produce-applied-error", At: target.Moment{API: "Produce", Carries: "event:5"}, Do: target.Action{Do: target.Applied, Code: 7}})
	for _, x := range run(t, c).History.Ledger {
		if x.Fault == "" {
			continue
		}
		it := x.Items[0]
		if x.Applied != history.OK || x.Told != history.Fail || it.Code != 0 || it.ToldCode != 7 || it.Offset < 0 || x.Acks != -1 || it.ProducerID < 0 {
			t.Fatalf("the ledger says %+v", x)
		}
		return
	}
	t.Fatal("the ledger does not name the fault")
}

func TestAPausedMemberLosesItsPartitionsAndItsCommit(t *testing.T) {
	o := strict
	lost := 0
	o.lost = &lost
	c := one(t, o, target.Step{At: target.Moment{API: CallCommit, Role: "summarizer", Member: 1, Carries: "event:9"}})
	c.Steps[0].At = target.Moment{API: "OffsetCommit", Role: "summarizer", Member: 1}
	c.Steps[0].Do = target.Action{Do: target.Hold, For: 40 * time.Second}
	c.Members = map[string]int{"summarizer": 2}
	r := run(t, c)
	if lost == 0 || r.Unsettled != "" {
		t.Errorf("%d commits were refused; %s", lost, r.Unsettled)
	}
}

func TestNoFaultBeginsAfterHealing(t *testing.T) {
	last := sensor(t, 60, 7).Load.Valid()
	c := one(t, strict, target.Step{At: target.Moment{API: "Heartbeat", Role: "summarizer", After: last[len(last)-1].Label}, Budget: 1000,
		Do: target.Action{Do: target.NotApplied, Code: 15}})
	healed := time.Duration(0)
	r := run(t, c)
	for _, e := range r.History.Events {
		if e.Op == history.OpPhase && e.Key == "settle" {
			healed = e.At
		}
	}
	acted := 0
	for _, x := range r.History.Ledger {
		if x.Fault == "" {
			continue
		}
		acted++
		if x.At > healed {
			t.Fatalf("exchange %d was hurt at %v, after healing at %v", x.Seq, x.At, healed)
		}
	}
	if acted == 0 || healed == 0 {
		t.Fatalf("%d exchanges were hurt, healed at %v", acted, healed)
	}
}

func TestAReplayReadsTheWholeTopicAgain(t *testing.T) {
	c := sensor(t, 40, 2)
	c.Roles, c.Replay = strict.roles(), true
	r := run(t, c)
	tags := map[string]int{}
	for _, e := range r.History.Events {
		if e.Op == history.OpRecord && e.Where.Topic == events {
			tags[e.Tag]++
		}
	}
	if tags[history.ScanRest] == 0 || tags[history.ScanRest] != tags[history.ScanReplayKept] || tags[history.ScanRest] != tags[history.ScanReplayEmptied] {
		t.Fatalf("records seen: %v", tags)
	}
	fetched := int64(0)
	for _, x := range r.History.Ledger {
		for _, it := range x.Items {
			if x.API == "Fetch" && it.Topic == events {
				fetched += int64(it.Records)
			}
		}
	}
	if fetched < 3*int64(tags[history.ScanRest]) {
		t.Fatalf("%d records were fetched of %d three times", fetched, tags[history.ScanRest])
	}
}
