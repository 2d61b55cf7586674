// Package teeth_test proves both directions on the model: no scenario blames the reference, and every flaw is caught in the
// scenario that is named for it.
package teeth_test

import (
	"context"
	"strings"
	"testing"

	"tahanuji/reference/sensor"
	"tahanuji/reports"
	"tahanuji/scenarios/catalog"
	"tahanuji/scenarios/run"
	"tahanuji/scenarios/scenario"
	"tahanuji/system/broker"
	"tahanuji/system/check"
	"tahanuji/system/check/checkers"
	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/shipped"
	"tahanuji/system/sut"
)

// onModel runs a scenario with the reference's roles on the model.
func onModel(t *testing.T, doc *contract.Document, sc scenario.Scenario, flaw string, from uint64) reports.Run {
	t.Helper()
	id := strings.Join([]string{doc.ID, sc.Name, "x", "model"}, "/")
	r, err := run.OnModel(context.Background(), run.Cell{
		ID: id, System: doc.ID, Scenario: sc, Doc: doc, Adapter: sut.Reference{}, Backend: broker.Backend{}, Flaw: flaw,
		Seed: seed.Derive(from, id), Checkers: checkers.All(), Dir: reports.CellFolder(t.TempDir(), id), Repeat: "here",
		Limits: run.LimitsFor(false, true),
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func document(t *testing.T) *contract.Document {
	t.Helper()
	doc, err := shipped.All()[0].Load()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestNoScenarioBlamesTheReference(t *testing.T) {
	doc := document(t)
	for _, sc := range catalog.All() {
		t.Run(sc.Name, func(t *testing.T) {
			r := onModel(t, doc, sc, "", 1)
			for _, a := range r.Acted {
				if a.Count == 0 {
					t.Errorf("%s never acted: its moment was met %d times", a.Step, a.Matched)
				}
			}
			for _, v := range r.Verdicts {
				if v.Outcome == check.Broken {
					t.Errorf("%s: %s", v.Clause, v.Why)
				}
			}
		})
	}
}

func TestEveryFlawIsCaughtInItsScenario(t *testing.T) {
	doc := document(t)
	for _, f := range sensor.AllFlaws() {
		t.Run(f.Name, func(t *testing.T) {
			sc, ok := catalog.Named(catalog.Shows(f.Name))
			if !ok {
				t.Fatalf("catalog.Shows names no scenario for it")
			}
			if !catalog.OnModel(f.Name) {
				t.Skip("the model can't show it")
			}
			r := onModel(t, doc, sc, f.Name, 1)
			var seen []string
			for _, v := range r.Verdicts {
				for _, want := range f.Breaks {
					if v.Outcome == check.Broken && v.Clause == contract.ID(want) {
						return
					}
				}
				if v.Outcome != check.Holds && v.Outcome != check.NotApplicable {
					seen = append(seen, string(v.Clause)+" "+string(v.Outcome)+": "+v.Why)
				}
			}
			t.Errorf("went unnoticed in %s: none of %v is broken; seen: %s", sc.Name, f.Breaks, strings.Join(seen, "\n  "))
		})
	}
}
