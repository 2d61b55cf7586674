// Package teeth_test proves both directions on the model: no scenario blames the reference, and every flaw is caught in the
// scenario that is named for it.
package teeth_test

import (
	"context"
	"slices"
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

// triesOnModel is how many seeds a flaw gets, as in a sitting: it is small, and one seed's faults may pass it by.
const triesOnModel = 12

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
			if run.Hollow(r) {
				t.Errorf("a fault never acted: %+v", r.Acted)
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
			var seen []string
			for try := range uint64(triesOnModel) {
				r := onModel(t, doc, sc, f.Name, try+1)
				for _, v := range r.Verdicts {
					if v.Outcome == check.Broken && slices.Contains(f.Breaks, string(v.Clause)) {
						return
					}
					if v.Outcome == check.Broken {
						seen = append(seen, string(v.Clause)+": "+v.Why)
					}
				}
			}
			t.Errorf("went unnoticed in %s: none of %v is broken; seen: %s", sc.Name, f.Breaks, strings.Join(seen, "\n  "))
		})
	}
}
