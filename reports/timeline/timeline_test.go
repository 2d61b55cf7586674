package timeline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tahanuji/reports/example"
	"tahanuji/reports/timeline"
	"tahanuji/system/history"
)

func loss() timeline.Trace {
	h, v := example.Loss()
	return timeline.Tell(timeline.Story{History: h, Witness: v.Witness, Exchanges: v.Exchanges, EventID: "/event_id", Why: v.Why})
}

func TestATraceTellsItsStepsInTheOrderOfTime(t *testing.T) {
	var got []string
	for _, r := range loss().Rows {
		got = append(got, fmt.Sprintf("%d %v %s: %s", r.Step, r.Bad, r.Lane, r.What))
	}
	want := []string{
		"1 false source to rekam: the source sends event:17",
		"2 false source to rekam: rekam answers: event:17 is recorded at m8-suhu-kejadian/2 offset 5",
		"3 false hitung/3: hitung/3: OffsetCommit of event:17 on m8-suhu-kejadian/2 offset 6; the broker answered; the client heard nothing",
		"4 false hitung/3: hitung/3 killed",
		"5 true group perekap: the group's committed offset of m8-suhu-kejadian/2 is 20",
	}
	if !slices.Equal(got, want) {
		t.Fatalf("the trace is\n%s", strings.Join(got, "\n"))
	}
}

func TestLanesGoFromTheSourceToTheDisplay(t *testing.T) {
	var names []string
	for _, l := range loss().Picture.Lanes {
		names = append(names, l.Name)
	}
	want := []string{"source to rekam", "m8-suhu-kejadian/0", "m8-suhu-kejadian/1", "m8-suhu-kejadian/2", "hitung/1", "hitung/2", "hitung/3",
		"group perekap", "store of hitung", "shown by tampilkan"}
	if !slices.Equal(names, want) {
		t.Fatalf("lanes %q", names)
	}
}

func TestArrowsLeadAlongTheEventsOfTheTraceAlone(t *testing.T) {
	arrows := loss().Picture.Arrows
	if len(arrows) != 2 || arrows[0] != (timeline.Arrow{From: 1, To: 2, ID: "event:17"}) || arrows[1] != (timeline.Arrow{From: 2, To: 3, ID: "event:17"}) {
		t.Fatalf("arrows %+v", arrows)
	}
}

func TestAFaultIsABandFromInjectedToHealed(t *testing.T) {
	bands := loss().Picture.Bands
	if len(bands) != 1 || bands[0] != (timeline.Band{From: 448 * time.Millisecond, To: 905 * time.Millisecond, Name: "role-killed 1"}) {
		t.Fatalf("bands %+v", bands)
	}
	h, _ := example.Loss()
	h.Events = slices.DeleteFunc(h.Events, func(e history.Event) bool { return e.Op == history.OpFault && e.Phase == history.OK })
	if b := timeline.Tell(timeline.Story{History: h}).Picture.Bands; len(b) != 1 || b[0].To != 2700*time.Millisecond {
		t.Fatalf("a fault that was never healed lasts to the end, not %+v", b)
	}
}

// An exchange that a fault touched while it carried an event of the trace is told, though no checker named it.
func TestWhatAFaultDidToTheTraceIsTold(t *testing.T) {
	h, v := example.Loss()
	tr := timeline.Tell(timeline.Story{History: h, Witness: v.Witness, EventID: "/event_id"})
	if !slices.ContainsFunc(tr.Rows, func(r timeline.Row) bool { return r.Fault == "role-killed 1" }) {
		t.Fatalf("the touched commit is not among %+v", tr.Rows)
	}
}

func TestALargeRunIsDrawnWithinLimits(t *testing.T) {
	h := &history.History{}
	const n = 20_000
	for i := range n {
		h.Events = append(h.Events, history.Event{Seq: history.Seq(i + 1), At: time.Duration(i) * time.Millisecond, Op: history.OpSend, Phase: history.OK,
			Proc: fmt.Sprintf("rekam%d", i%40), Key: fmt.Sprintf("event:%d", i)})
	}
	tr := timeline.Tell(timeline.Story{History: h, Witness: []history.Seq{n - 5, n}})
	p := tr.Picture
	drawn, dense := 0, 0
	for _, l := range p.Lanes {
		drawn += len(l.Marks)
		for _, c := range l.Density {
			dense += c
		}
	}
	if drawn > timeline.MaxMarks || drawn != p.Marks || drawn+dense != n || p.All != n || len(p.Lanes) > 26 {
		t.Fatalf("%d drawn (said %d), %d dense, of %d, in %d lanes", drawn, p.Marks, dense, p.All, len(p.Lanes))
	}
	if len(tr.Rows) != 2 || !tr.Rows[1].Bad {
		t.Fatalf("rows %+v", tr.Rows)
	}
}

func TestEmptyAndOddHistoriesAreDrawn(t *testing.T) {
	for name, s := range map[string]timeline.Story{
		"empty":             {History: &history.History{}},
		"unknown witness":   {History: &history.History{}, Witness: []history.Seq{7}, Exchanges: []int64{9}},
		"no position":       {History: &history.History{Events: []history.Event{{Seq: 1, Op: history.OpRecord}, {Seq: 2, Op: history.OpCommitted}, {Seq: 3, Op: "new"}}}, Witness: []history.Seq{1, 2, 3}},
		"record is no JSON": {History: &history.History{Events: []history.Event{{Seq: 1, Op: history.OpRecord, Value: "\xff\x00"}}}, Witness: []history.Seq{1}, EventID: "/a/b"},
	} {
		t.Run(name, func(t *testing.T) {
			d := timeline.Draw(timeline.Tell(s))
			if d.Height <= 0 || d.Summary == "" {
				t.Fatalf("%+v", d)
			}
		})
	}
}

// The stretched time axis never turns back: what happened later stands further right, or in the same place.
func TestTheTimeAxisKeepsTheOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := &history.History{}
		var at time.Duration
		var witness []history.Seq
		for i := range rapid.IntRange(1, 40).Draw(rt, "events") {
			at += time.Duration(rapid.Int64Range(0, int64(time.Minute)).Draw(rt, "gap"))
			h.Events = append(h.Events, history.Event{Seq: history.Seq(i + 1), At: at, Op: history.OpPhase, Phase: history.OK, Key: "p"})
			if rapid.Bool().Draw(rt, "witness") {
				witness = append(witness, history.Seq(i+1))
			}
		}
		d := timeline.Draw(timeline.Tell(timeline.Story{History: h, Witness: witness}))
		last := d.Left
		for _, p := range d.Phases {
			if p.X < last || p.X > d.Right+0.001 {
				rt.Fatalf("%.2f comes after %.2f, within %.2f", p.X, last, d.Right)
			}
			last = p.X
		}
	})
}

func TestTimesAreWrittenForPeople(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0 ms", 120 * time.Microsecond: "0.12 ms", 12 * time.Millisecond: "12 ms", 1204 * time.Millisecond: "1.204 s",
		2 * time.Second: "2 s", 200 * time.Second: "3 m 20 s", 100 * time.Minute: "1 h 40 m", 52 * time.Hour: "2 d 4 h"} {
		if got := timeline.Clock(d); got != want {
			t.Errorf("%v is %q, not %q", d, got, want)
		}
	}
}
