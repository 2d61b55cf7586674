package agree

import (
	"slices"
	"testing"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sim/model"
	"tahanuji/system/sim/roles"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

func setUp(t *testing.T) (*contract.Document, *workload.Load) {
	t.Helper()
	doc, err := contract.Load("../../sensor/architecture.yaml")
	if err != nil {
		t.Fatal(err)
	}
	load, err := workload.Make(doc, workload.Options{Seed: 3, Base: time.Date(2026, 11, 7, 0, 0, 0, 0, time.UTC), Events: 60})
	if err != nil {
		t.Fatal(err)
	}
	return doc, load
}

func play(t *testing.T, doc *contract.Document, load *workload.Load, seed uint64, flaw string, steps ...target.Step) *history.History {
	t.Helper()
	cast, err := roles.New(doc)
	if err != nil {
		t.Fatal(err)
	}
	all, err := cast.Roles(flaw)
	if err != nil {
		t.Fatal(err)
	}
	r, err := model.Run(t.Context(), model.Config{Doc: doc, Load: load, Roles: all, Seed: seed, Steps: steps, Replay: true})
	if err != nil {
		t.Fatal(err)
	}
	return r.History
}

func TestRunsThatDifferInTheirTimesAloneAgree(t *testing.T) {
	doc, load := setUp(t)
	if d := Ends(doc, load, play(t, doc, load, 1, ""), play(t, doc, load, 2, "")); len(d) > 0 {
		t.Fatalf("%d differences, the first: %s", len(d), d[0])
	}
}

func TestARunWithFaultsEndsWhereOneWithoutDoes(t *testing.T) {
	doc, load := setUp(t)
	label := load.Valid()[20].Label
	kill := target.Step{Name: "kill", At: target.Moment{API: "OffsetCommit", Role: "summarizer", Passes: label}, Do: target.Action{Do: target.Kill, For: time.Second}}
	d := Contradictions(Ends(doc, load, play(t, doc, load, 1, ""), play(t, doc, load, 1, "", kill)))
	if len(d) > 0 {
		t.Fatalf("%d differences, the first: %s", len(d), d[0])
	}
}

func TestTheHarnesssOwnRecordIsNoDifference(t *testing.T) {
	doc, load := setUp(t)
	poison := target.Step{Name: "poison", At: target.Moment{After: load.Valid()[20].Label}, Do: target.Action{Do: target.Poison, Role: "summarizer", Of: load.Topic}}
	d := Ends(doc, load, play(t, doc, load, 1, ""), play(t, doc, load, 2, "", poison))
	if len(d) > 0 {
		t.Fatalf("%d differences, the first: %s", len(d), d[0])
	}
}

func TestWhatAFlawChangesIsNamed(t *testing.T) {
	doc, load := setUp(t)
	honest := play(t, doc, load, 1, "")
	for _, of := range []struct {
		flaw string
		want []Kind
	}{
		{"max-is-last", []Kind{Row, Summary}}, {"key-random", []Kind{Order, Partition}}, {"display-append", []Kind{Row}},
		{"no-validation", []Kind{Missing}}, {"poison-stalls", nil},
	} {
		var kinds []Kind
		for _, d := range Ends(doc, load, honest, play(t, doc, load, 1, of.flaw)) {
			if !slices.Contains(kinds, d.Kind) {
				kinds = append(kinds, d.Kind)
			}
		}
		for _, k := range of.want {
			if !slices.Contains(kinds, k) {
				t.Errorf("%s: differences are %v, want %s among them", of.flaw, kinds, k)
			}
		}
		if of.want == nil && kinds != nil {
			t.Errorf("%s: differences are %v, want none where the flaw does not show", of.flaw, kinds)
		}
	}
}

func TestADifferenceSaysWhatEachRunShows(t *testing.T) {
	doc, load := setUp(t)
	a := play(t, doc, load, 1, "")
	b := &history.History{Events: slices.Clone(a.Events)}
	cut := slices.IndexFunc(b.Events, func(e history.Event) bool {
		return e.Op == history.OpRecord && e.Tag == history.ScanRest && e.Where.Topic == load.Topic
	})
	gone := b.Events[cut]
	b.Events = slices.Delete(b.Events, cut, cut+1)
	all := Ends(doc, load, a, b)
	i := slices.IndexFunc(all, func(d Difference) bool { return d.Kind == Missing || d.Kind == Copies })
	if i < 0 || all[i].Scan != history.ScanRest || all[i].A == "" {
		t.Fatalf("%v does not name the record %s that is gone", all, gone.Value)
	}
}
