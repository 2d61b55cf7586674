package run_test

import (
	"context"
	"testing"

	"tahanuji/scenarios/run"
	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/shipped"
	"tahanuji/system/sut"
)

// What a run looks like when it is stopped halfway, with roles already gone, is no violation; without the interruption it is.
func TestARunThatWasInterruptedBlamesNobody(t *testing.T) {
	doc, err := shipped.All()[0].Load()
	if err != nil {
		t.Fatal(err)
	}
	accuse := check.Checker{
		Name: "count.once", Doc: "sees a fault everywhere", Clauses: []contract.ID{"count.once"},
		Check: func(context.Context, *check.Input) ([]check.Verdict, error) {
			return []check.Verdict{{Clause: "count.once", Outcome: check.Broken, Why: "one is missing.", Examined: 1, Found: 1}}, nil
		},
	}
	cell := run.Cell{Doc: doc, Adapter: sut.Reference{}, Checkers: []check.Checker{accuse}}
	for want, events := range map[check.Outcome][]history.Event{
		check.Broken:       nil,
		check.Inconclusive: {{Seq: 1, Op: history.OpPhase, Phase: history.Unknown, Key: "interrupted", Err: "signal"}},
	} {
		for _, v := range run.Judge(cell, &history.History{Events: events}, nil, nil) {
			if v.Clause == "count.once" && v.Outcome != want {
				t.Errorf("count.once is %s, want %s: %s", v.Outcome, want, v.Why)
			}
		}
	}
}
