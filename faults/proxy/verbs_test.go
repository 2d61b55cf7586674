package proxy_test

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tahanuji/system/history"
	"tahanuji/system/target"
)

var carries = target.Moment{API: "Produce", Role: "recorder", Member: 1, Carries: "event:1"}

func TestWithoutAFaultTheTruthIsWhatTheClientIsTold(t *testing.T) {
	r := newRig(t)
	if off := r.send(r.client("recorder", 1), "event:0", "event:1"); off != 1 {
		t.Fatalf("offset %d, want 1", off)
	}
	r.wantLog("event:0", "event:1")
	n := 0
	for _, ex := range r.Ledger() {
		if ex.API != "Produce" {
			continue
		}
		wantPhases(t, ex, history.OK, history.OK)
		it := ex.Items[0]
		if ex.Door != "recorder/1" || ex.Acks != -1 || it.Topic != topic || it.ProducerID < 0 || it.FirstSeq != int32(n) ||
			it.Offset != int64(n) || it.ToldOffset != int64(n) || it.Records != 1 || len(it.Labels) != 1 {
			t.Fatalf("the ledger has %+v", ex)
		}
		n++
	}
	if n != 2 {
		t.Fatalf("%d Produces are in the ledger, want 2", n)
	}
	if at, ok := r.Where("event:1"); !ok || at != (history.Position{Topic: topic, Offset: 1}) {
		t.Fatalf("event:1 is at %v (%v)", at, ok)
	}
}

func TestNotAppliedReachesNoBrokerAndAnswersTheCode(t *testing.T) {
	r := newRig(t)
	a := r.arm(carries, target.Action{Do: target.NotApplied, Code: 6}, 0)
	r.send(r.client("recorder", 1), "event:0", "event:1", "event:2")
	r.acted(a, 1)
	r.wantLog("event:0", "event:1", "event:2")
	ex := r.one()
	wantPhases(t, ex, history.Fail, history.Fail)
	if ex.Items[0].ToldCode != 6 || ex.Items[0].Offset != -1 {
		t.Fatalf("told %+v", ex.Items[0])
	}
}

func TestAppliedIsInTheLogAlthoughTheClientIsToldAnError(t *testing.T) {
	r := newRig(t)
	a := r.arm(carries, target.Action{Do: target.Applied, Code: 7}, 0)
	r.send(r.client("recorder", 1), "event:0", "event:1", "event:2")
	r.acted(a, 1)
	r.wantLog("event:0", "event:1", "event:2") // the resend of an idempotent producer appends nothing
	ex := r.one()
	wantPhases(t, ex, history.OK, history.Fail)
	if it := ex.Items[0]; it.Code != 0 || it.ToldCode != 7 || it.Offset != 1 || it.ToldOffset != -1 {
		t.Fatalf("item %+v", it)
	}
}

func TestAppliedWithoutIdempotenceIsAppendedTwice(t *testing.T) {
	r := newRig(t)
	a := r.arm(carries, target.Action{Do: target.Applied, Code: 7}, 0)
	r.send(r.client("recorder", 1, kgo.DisableIdempotentWrite()), "event:0", "event:1", "event:2")
	r.acted(a, 1)
	r.wantLog("event:0", "event:1", "event:1", "event:2")
}

func TestALostAnswerLeavesTheRecordInTheLog(t *testing.T) {
	for _, how := range []string{"rst", "fin", "silence"} {
		t.Run(how, func(t *testing.T) {
			r := newRig(t)
			a := r.arm(carries, target.Action{Do: target.AckLost, How: how}, 0)
			c := r.client("recorder", 1, kgo.ProduceRequestTimeout(200*time.Millisecond), kgo.RequestTimeoutOverhead(200*time.Millisecond))
			r.send(c, "event:0", "event:1", "event:2")
			r.acted(a, 1)
			r.wantLog("event:0", "event:1", "event:2")
			ex := r.one()
			wantPhases(t, ex, history.OK, history.Unknown)
			if ex.Items[0].Offset != 1 {
				t.Fatalf("item %+v", ex.Items[0])
			}
		})
	}
}

func TestCutBeforeReachesNoBrokerAndEndsTheConnection(t *testing.T) {
	for _, how := range []string{"rst", "fin"} {
		t.Run(how, func(t *testing.T) {
			r := newRig(t)
			a := r.arm(carries, target.Action{Do: target.CutBefore, How: how}, 0)
			r.send(r.client("recorder", 1), "event:0", "event:1", "event:2")
			r.acted(a, 1)
			r.wantLog("event:0", "event:1", "event:2")
			wantPhases(t, r.one(), history.Fail, history.Unknown)
		})
	}
}

func TestACopyIsAppendedOnceIfIdempotentAndTwiceIfNot(t *testing.T) {
	for _, c := range []struct {
		name string
		opts []kgo.Opt
		want []string
	}{
		{"idempotent", nil, []string{"event:0", "event:1", "event:2"}},
		{"not idempotent", []kgo.Opt{kgo.DisableIdempotentWrite()}, []string{"event:0", "event:1", "event:1", "event:2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			a := r.arm(carries, target.Action{Do: target.Copy}, 0)
			r.send(r.client("recorder", 1, c.opts...), "event:0", "event:1", "event:2")
			r.acted(a, 1)
			r.wantLog(c.want...)
			copies := 0
			for _, ex := range r.touched() {
				if ex.Copy {
					copies++
					wantPhases(t, ex, history.OK, history.Unknown)
				}
			}
			if copies != 1 {
				t.Fatalf("%d copies are in the ledger, want 1", copies)
			}
		})
	}
}

func TestALateCopyComesOnAnotherConnectionAfterItsSenderLeft(t *testing.T) {
	r := newRig(t)
	a := r.arm(carries, target.Action{Do: target.LateCopy, For: time.Hour}, 0)
	c := r.client("recorder", 1, kgo.DisableIdempotentWrite())
	r.send(c, "event:0", "event:1", "event:2")
	c.Close()
	a.Disarm() // lets the copy go at once
	r.acted(a, 1)
	r.wantLog("event:0", "event:1", "event:2", "event:1")
	for _, ex := range r.touched() {
		if ex.Copy {
			wantPhases(t, ex, history.OK, history.Unknown)
			return
		}
	}
	t.Fatal("no copy is in the ledger")
}

func TestALateCopyBeyondTheProducersWindowIsRefusedAndNotAppended(t *testing.T) {
	r := newRig(t)
	a := r.arm(carries, target.Action{Do: target.LateCopy, For: time.Hour}, 0)
	want := []string{"event:1", "event:2", "event:3", "event:4", "event:5", "event:6", "event:7"}
	r.send(r.client("recorder", 1), want...) // a broker remembers the last five batches of a producer
	a.Disarm()
	r.acted(a, 1)
	r.wantLog(want...)
	for _, ex := range r.touched() {
		if ex.Copy && ex.Items[0].Code != 45 {
			t.Fatalf("the copy was answered %d, want OUT_OF_ORDER_SEQUENCE_NUMBER", ex.Items[0].Code)
		}
	}
}

func TestALateCopyFollowsTheLeader(t *testing.T) {
	r := newRig(t)
	a := r.arm(carries, target.Action{Do: target.LateCopy, For: time.Hour}, 0)
	r.send(r.client("recorder", 1, kgo.DisableIdempotentWrite()), "event:1")
	if err := r.br.Nodes().MoveLeader(r.ctx, topic, 0); err != nil {
		t.Fatal(err)
	}
	a.Disarm()
	r.acted(a, 1)
	r.wantLog("event:1", "event:1")
}

func TestAHeldRequestReachesTheBrokerWhenItIsLetGo(t *testing.T) {
	r := newRig(t)
	a := r.arm(carries, target.Action{Do: target.Hold}, 0)
	c := r.client("recorder", 1)
	r.send(c, "event:0")
	done := make(chan error, 1)
	c.Produce(r.ctx, kgo.StringRecord("event:1"), func(_ *kgo.Record, err error) { done <- err })
	r.until("the Produce is held", func() bool { return a.Acted().Matched == 1 })
	r.wantLog("event:0")
	if got := a.Acted(); got.Count != 0 {
		t.Fatalf("a request that is still held counts as acted: %+v", got)
	}
	if err := r.Heal(r.ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	r.acted(a, 1)
	r.wantLog("event:0", "event:1")
	wantPhases(t, r.one(), history.OK, history.OK)
}

func TestAHeldRequestIsDroppedWithItsConnection(t *testing.T) {
	r := newRig(t)
	a := r.arm(carries, target.Action{Do: target.Hold}, 0)
	c := r.client("recorder", 1)
	r.send(c, "event:0")
	c.Produce(r.ctx, kgo.StringRecord("event:1"), nil)
	r.until("the Produce is held", func() bool { return a.Acted().Matched == 1 })
	r.Cut("recorder", 1)
	r.acted(a, 1)
	r.wantLog("event:0")
	wantPhases(t, r.one(), history.Fail, history.Unknown)
}

// until waits for something that the test can see.
func (r *rig) until(what string, is func() bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, 10*time.Second)
	defer cancel()
	for !is() {
		select {
		case <-ctx.Done():
			r.t.Fatalf("%s: not within 10 s", what)
		case <-time.After(time.Millisecond):
		}
	}
}
