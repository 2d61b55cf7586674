package proxy_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tahanuji/system/history"
	"tahanuji/system/target"
)

func (r *rig) commit(c *kgo.Client) {
	r.t.Helper()
	if err := c.CommitUncommittedOffsets(r.ctx); err != nil {
		r.t.Fatal(err)
	}
}

func TestAStepActsAsOftenAsItsBudgetAndNoMore(t *testing.T) {
	r := newRig(t)
	a := r.arm(target.Moment{API: "Produce"}, target.Action{Do: target.NotApplied, Code: 6}, 2)
	r.send(r.client("recorder", 1), "event:0", "event:1", "event:2")
	r.acted(a, 2)
	if n := len(r.touched()); n != 2 {
		t.Fatalf("%d exchanges were touched, want 2", n)
	}
}

func TestAMomentIsOfItsRoleAndInstanceAlone(t *testing.T) {
	r := newRig(t)
	a := r.arm(target.Moment{API: "Produce", Role: "recorder", Member: 2}, target.Action{Do: target.NotApplied, Code: 6}, 0)
	b := r.arm(target.Moment{API: "Produce", Role: "summarizer"}, target.Action{Do: target.NotApplied, Code: 6}, 0)
	r.send(r.client("recorder", 1), "event:0")
	if a.Acted().Matched != 0 || b.Acted().Matched != 0 {
		t.Fatalf("another's request was matched: %+v, %+v", a.Acted(), b.Acted())
	}
	r.send(r.client("recorder", 2), "event:1")
	r.acted(a, 1)
	r.send(r.client("summarizer", 3), "event:2")
	r.acted(b, 1)
}

func TestAfterWaitsUntilTheRecordIsInItsTopic(t *testing.T) {
	r := newRig(t)
	a := r.arm(target.Moment{API: "Produce", After: "event:1"}, target.Action{Do: target.Copy}, 0)
	c := r.client("recorder", 1, kgo.DisableIdempotentWrite())
	r.send(c, "event:0", "event:1")
	if got := a.Acted(); got.Matched != 0 {
		t.Fatalf("the moment came early: %+v", got)
	}
	r.send(c, "event:2")
	r.acted(a, 1)
	r.wantLog("event:0", "event:1", "event:2", "event:2")
}

func TestAMarkedMomentComesWithItsMark(t *testing.T) {
	r := newRig(t)
	a := r.arm(target.Moment{API: "Produce", After: "rest"}, target.Action{Do: target.NotApplied, Code: 6}, 0)
	c := r.client("recorder", 1)
	r.send(c, "event:0")
	select {
	case <-r.Seen("rest"):
		t.Fatal("rest was seen before it was marked")
	default:
	}
	if a.Acted().Matched != 0 {
		t.Fatal("the moment came before its mark")
	}
	r.Mark("rest")
	<-r.Seen("rest")
	r.send(c, "event:1")
	r.acted(a, 1)
	<-r.Seen("event:1")
}

func TestTheCommitThatFirstPassesARecordIsFound(t *testing.T) {
	r := newRig(t)
	r.send(r.client("recorder", 1), "event:0", "event:1", "event:2")
	a := r.arm(target.Moment{API: "OffsetCommit", Role: "summarizer", Passes: "event:1"}, target.Action{Do: target.NotApplied, Code: 16}, 0)
	c := r.consumer("summarizer", 1)
	var recs []*kgo.Record
	for len(recs) < 3 {
		recs = append(recs, c.PollFetches(r.ctx).Records()...)
	}
	if err := c.CommitRecords(r.ctx, recs[0]); err != nil {
		t.Fatal(err)
	}
	if a.Acted().Matched != 0 {
		t.Fatal("a commit that passes only event:0 was matched")
	}
	if err := c.CommitRecords(r.ctx, recs[2]); err != nil {
		t.Fatal(err) // franz-go asks again after NOT_COORDINATOR
	}
	r.acted(a, 1)
	ex := r.one()
	wantPhases(t, ex, history.Fail, history.Fail)
	if ex.Group != "uji-grup" || ex.Member == "" || ex.Generation < 1 || ex.Items[0].Offset != 3 || ex.Items[0].ToldCode != 16 {
		t.Fatalf("the ledger has %+v", ex)
	}
	if at := r.committed(); at != 3 {
		t.Fatalf("committed %d, want 3", at)
	}
	b := r.arm(target.Moment{API: "OffsetCommit", Passes: "event:1"}, target.Action{Do: target.NotApplied, Code: 16}, 0)
	if err := c.CommitRecords(r.ctx, recs[2]); err != nil {
		t.Fatal(err)
	}
	if b.Acted().Matched != 0 {
		t.Fatal("a commit matched although an earlier one had passed the record")
	}
}

func TestACommitThatWasAppliedMayBeToldAnError(t *testing.T) {
	r := newRig(t)
	r.send(r.client("recorder", 1), "event:0")
	c := r.consumer("summarizer", 1)
	r.poll(c, 1)
	a := r.arm(target.Moment{API: "OffsetCommit"}, target.Action{Do: target.Applied, Code: 15}, 0)
	r.commit(c)
	r.acted(a, 1)
	wantPhases(t, r.one(), history.OK, history.Fail)
	if at := r.committed(); at != 1 {
		t.Fatalf("committed %d, want 1", at)
	}
}

func TestALateCommitOfADeadMemberIsAnsweredAndCounted(t *testing.T) {
	r := newRig(t)
	r.send(r.client("recorder", 1), "event:0")
	c := r.consumer("summarizer", 1)
	r.poll(c, 1)
	a := r.arm(target.Moment{API: "OffsetCommit"}, target.Action{Do: target.LateCopy, For: time.Hour}, 0)
	r.commit(c)
	c.Close() // leaves the group: the copy comes from a member that there is no more
	a.Disarm()
	r.acted(a, 1)
	i := slices.IndexFunc(r.Ledger(), func(ex history.Exchange) bool { return ex.Copy })
	if ex := r.Ledger()[i]; ex.Applied != history.OK || ex.Items[0].Code == 0 {
		t.Fatalf("the copy of a dead member's commit was taken: %+v", ex)
	}
}

func TestFaultsOfGroupRequestsActAndTheGroupGoesOn(t *testing.T) {
	for _, c := range []struct {
		api  string
		do   target.Action
		last int
	}{
		{"JoinGroup", target.Action{Do: target.NotApplied, Code: 16}, 1},
		{"JoinGroup", target.Action{Do: target.CutBefore, How: "rst"}, 1},
		{"SyncGroup", target.Action{Do: target.NotApplied, Code: 27}, 1},
		{"SyncGroup", target.Action{Do: target.CutBefore, How: "rst"}, 1},
		{"SyncGroup", target.Action{Do: target.Applied, Code: 15}, 1},
		{"Heartbeat", target.Action{Do: target.NotApplied, Code: 25}, 1},
		{"Heartbeat", target.Action{Do: target.NotApplied, Code: 22}, 1},
		{"Heartbeat", target.Action{Do: target.Hold, For: 700 * time.Millisecond}, 1},
		{"OffsetFetch", target.Action{Do: target.NotApplied, Code: 14}, 1},
		{"FindCoordinator", target.Action{Do: target.NotApplied, Code: 15}, 1},
		{"ListOffsets", target.Action{Do: target.NotApplied, Code: 6}, 1},
		{"Metadata", target.Action{Do: target.NotApplied, Code: 5}, 1},
		{"Fetch", target.Action{Do: target.NotApplied, Code: 70}, 1},
		{"Fetch", target.Action{Do: target.NotApplied, Code: 6}, 1},
		{"Fetch", target.Action{Do: target.CutBefore, How: "rst"}, 1},
		{"Fetch", target.Action{Do: target.Hold, For: 50 * time.Millisecond}, 1},
		{"Fetch", target.Action{Do: target.Copy}, 1},
	} {
		t.Run(c.api+" "+string(c.do.Do)+" "+c.do.How, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			p := r.client("recorder", 1)
			r.send(p, "event:0")
			a := r.arm(target.Moment{API: c.api, Role: "summarizer"}, c.do, 0)
			client := r.consumer("summarizer", 1)
			r.poll(client, 1)
			r.acted(a, 1)
			r.send(p, "event:1")
			for !slices.Contains(r.poll(client, 1), "event:1") { // after a rebalance event:0 may come again first
				continue
			}
		})
	}
}

func TestAFetchIsNamedByWhatItBrings(t *testing.T) {
	for _, do := range []target.Action{
		{Do: target.NotApplied, Code: 6},
		{Do: target.NotApplied, Code: 71},
		{Do: target.AckLost, How: "rst"},
		{Do: target.CutBefore, How: "rst"},
		{Do: target.Hold, For: 20 * time.Millisecond},
	} {
		t.Run(string(do.Do), func(t *testing.T) {
			r := newRig(t)
			p := r.client("recorder", 1)
			r.send(p, "event:0")
			a := r.arm(target.Moment{API: "Fetch", Carries: "event:1"}, do, 0)
			c := r.consumer("summarizer", 1)
			r.poll(c, 1)
			if a.Acted().Matched != 0 {
				t.Fatal("a Fetch without the record was matched")
			}
			r.send(p, "event:1")
			if got := r.poll(c, 1); !slices.Equal(got, []string{"event:1"}) {
				t.Fatalf("got %q", got)
			}
			r.acted(a, 1)
			if ex := r.one(); !slices.Contains(ex.Items[0].Labels, "event:1") || ex.Applied != history.OK {
				t.Fatalf("the ledger has %+v", ex)
			}
		})
	}
}

func TestAHookBeforeARequestKillsItsSenderAndNothingIsPassedOn(t *testing.T) {
	r := newRig(t)
	a, err := r.ArmHook(target.Step{Name: "step", Fault: "fault", At: carries, Do: target.Action{Do: target.Kill, Before: true}},
		func(context.Context) { r.Cut("recorder", 1) })
	if err != nil {
		t.Fatal(err)
	}
	c := r.client("recorder", 1)
	r.send(c, "event:0")
	c.Produce(r.ctx, kgo.StringRecord("event:1"), nil)
	r.acted(a, 1)
	r.wantLog("event:0")
	wantPhases(t, r.one(), history.Fail, history.Unknown)
}

func TestAHookAfterARequestKillsItsSenderBeforeItHears(t *testing.T) {
	r := newRig(t)
	var seen []string
	a, err := r.ArmHook(target.Step{Name: "step", Fault: "fault", At: carries, Do: target.Action{Do: target.Kill}},
		func(context.Context) { seen = r.log(); r.Cut("recorder", 1) })
	if err != nil {
		t.Fatal(err)
	}
	c := r.client("recorder", 1)
	r.send(c, "event:0")
	c.Produce(r.ctx, kgo.StringRecord("event:1"), nil)
	r.acted(a, 1)
	if !slices.Equal(seen, []string{"event:0", "event:1"}) {
		t.Fatalf("at the hook the log held %q", seen)
	}
	r.until("the exchange is complete", func() bool { return r.one().Took > 0 })
	wantPhases(t, r.one(), history.OK, history.Unknown)
	r.Mend("recorder", 1)
	r.until("the client goes on", func() bool { return len(r.log()) == 2 && r.connected("recorder/1") })
	r.wantLog("event:0", "event:1")
}

func TestAHookThatKillsNobodyLetsTheRequestGoOn(t *testing.T) {
	for _, before := range []bool{true, false} {
		r := newRig(t)
		a, err := r.ArmHook(target.Step{Name: "step", At: carries, Do: target.Action{Do: target.LeaderMove, Before: before}},
			func(ctx context.Context) {
				if err := r.br.Nodes().MoveLeader(ctx, topic, 0); err != nil {
					t.Error(err)
				}
			})
		if err != nil {
			t.Fatal(err)
		}
		r.send(r.client("recorder", 1), "event:0", "event:1", "event:2")
		r.acted(a, 1)
		r.wantLog("event:0", "event:1", "event:2")
	}
}

// connected says whether a door has a Produce that was told the truth after its last connection was made.
func (r *rig) connected(door string) bool {
	last := int64(0)
	for _, c := range r.Conns() {
		if c.Door == door {
			last = c.ID
		}
	}
	return slices.ContainsFunc(r.Ledger(), func(ex history.Exchange) bool { return ex.Conn == last && ex.Told == history.OK })
}

func TestWhatNoBrokerDoesIsNotArmed(t *testing.T) {
	r := newRig(t)
	for why, step := range map[string]target.Step{
		"a code that the API does not answer":   {At: target.Moment{API: "Heartbeat"}, Do: target.Action{Do: target.NotApplied, Code: 6}},
		"an applied Produce with a refusal":     {At: target.Moment{API: "Produce"}, Do: target.Action{Do: target.Applied, Code: 2}},
		"a read that was applied":               {At: target.Moment{API: "Fetch"}, Do: target.Action{Do: target.Applied, Code: 6}},
		"an invented offset":                    {At: target.Moment{API: "Fetch"}, Do: target.Action{Do: target.NotApplied, Code: 1}},
		"success as an error":                   {At: target.Moment{API: "Produce"}, Do: target.Action{Do: target.NotApplied}},
		"an API that there is not":              {At: target.Moment{API: "Prodcue"}, Do: target.Action{Do: target.Hold}},
		"a moment that is no request":           {Do: target.Action{Do: target.Hold}},
		"a commit that carries records":         {At: target.Moment{API: "OffsetCommit", Carries: "event:1"}, Do: target.Action{Do: target.Hold}},
		"a Produce that passes a record":        {At: target.Moment{API: "Produce", Passes: "event:1"}, Do: target.Action{Do: target.Hold}},
		"a connection cut by silence":           {At: carries, Do: target.Action{Do: target.CutBefore, How: "silence"}},
		"an end that there is not":              {At: carries, Do: target.Action{Do: target.AckLost, How: "bang"}},
		"a copy of a Fetch known by its answer": {At: target.Moment{API: "Fetch", Carries: "event:1"}, Do: target.Action{Do: target.Copy}},
		"a verb on roles without its hook":      {At: carries, Do: target.Action{Do: target.Kill}},
		"a verb on the input":                   {At: carries, Do: target.Action{Do: target.SendTwice}},
		"a verb that there is not":              {At: carries, Do: target.Action{Do: "explode"}},
	} {
		if _, err := r.Arm(step); err == nil {
			t.Errorf("%s was armed", why)
		}
	}
	if _, err := r.ArmHook(target.Step{Do: target.Action{Do: target.Kill}}, func(context.Context) {}); err == nil {
		t.Error("a hook at no request was armed")
	}
}

func TestALateCopyIsOfARequestThatTheBrokerTook(t *testing.T) {
	r := newRig(t)
	a := r.arm(target.Moment{API: "JoinGroup"}, target.Action{Do: target.LateCopy, For: 50 * time.Millisecond}, 0)
	r.send(r.client("recorder", 1), "event:0")
	c := r.consumer("summarizer", 1) // its first JoinGroup is refused: the broker gives it a member id to ask with
	r.poll(c, 1)
	r.acted(a, 1)
	for _, ex := range r.touched() {
		if ex.Member == "" || len(ex.Items) > 0 && ex.Items[0].Code == 79 {
			t.Errorf("the step touched a request that was refused: %+v", ex)
		}
	}
}
