package reports_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tahanuji/reports"
	"tahanuji/reports/example"
	"tahanuji/system/contract"
	"tahanuji/system/target"
)

// swept are the example's runs with the squares of a sweep beside them: one that held, one that broke, one that was never reached,
// one that has no run, one that can't be.
func swept(least int) ([]reports.Run, reports.Environment) {
	env := example.Environment()
	env.Sweep = &reports.SweepPlan{Actions: []string{"cut", "late-copy"}, Least: least, Unused: []string{"no EndTxn of rekam is made in the recorded run"}}
	runs := example.Runs()
	for _, name := range []string{"held", "broke", "hollow", "gone"} {
		r := example.Run("produce-cut", "")
		r.Cell = "sensor/sweep-Produce-rekam-" + name + "/produce-cut/embedded"
		r.Acted = []target.Acted{{Step: "sweep", Fault: "produce-cut", Matched: 1, Count: 1, What: []string{"it was cut"}}}
		switch name {
		case "broke":
			example.Break(&r, "delivery.no-loss", "event:7 was recorded and is nowhere", "sweep")
		case "hollow":
			r.Acted[0].Count = 0
		}
		env.Sweep.Moments = append(env.Sweep.Moments, reports.SweepMoment{API: "Produce", Role: name, When: "load", Action: "cut", Cell: r.Cell})
		if name != "gone" {
			runs = append(runs, r)
		}
	}
	env.Sweep.Moments = append(env.Sweep.Moments, reports.SweepMoment{API: "Fetch", Role: "hitung", When: "first", Action: "late-copy", Impossible: "Fetch only reads"})
	return runs, env
}

func buildSwept(t *testing.T, least int) (*reports.Report, string) {
	t.Helper()
	runs, env := swept(least)
	out := t.TempDir()
	saved, err := example.Save(out, runs)
	if err != nil {
		t.Fatal(err)
	}
	r, err := reports.Build(saved, example.Document(), example.Clauses(), example.Wanted(), env)
	if err != nil {
		t.Fatal(err)
	}
	return r, out
}

func TestASquareOfASweepIsReachedOnlyWhenItsFaultActed(t *testing.T) {
	r, _ := buildSwept(t, 50)
	s := r.Verdict.Sweep
	var got []reports.SweepOutcome
	for _, q := range s.Squares {
		got = append(got, q.Outcome)
	}
	want := []reports.SweepOutcome{reports.SweptHeld, reports.SweptBroke, reports.SweptHollow, reports.SweptNotRun, reports.SweptImpossible}
	if !slices.Equal(got, want) {
		t.Errorf("%v, wanted %v", got, want)
	}
	if s.Possible != 4 || s.Reached != 2 || !strings.Contains(s.Line(), "2 of 4 (50.0 %)") {
		t.Errorf("%s", s.Line())
	}
	if q := s.Squares[1]; !slices.Equal(q.Broken, []contract.ID{"delivery.no-loss"}) {
		t.Errorf("%+v", q)
	}
	if moments := s.BrokenMoments(5); len(moments) != 1 || !strings.Contains(moments[0], "Produce of broke (load), cut") {
		t.Errorf("%q", moments)
	}
}

func TestASweepThatReachesTooLittleKeepsTheReportOpen(t *testing.T) {
	for least, open := range map[int]bool{50: false, 51: true} {
		r, _ := buildSwept(t, least)
		has := slices.ContainsFunc(r.Verdict.Open, func(o reports.Open) bool { return o.Kind == reports.OpenSweep })
		if has != open {
			t.Errorf("with %d %% wanted: %+v", least, r.Verdict.Open)
		}
	}
}

func TestASweepsRunsAreNotAskedForInTheMatrixOfClauses(t *testing.T) {
	with, _ := buildSwept(t, 0)
	without, _ := build(t, example.Runs())
	if with.Verdict.Counts.Required != without.Verdict.Counts.Required {
		t.Errorf("%d squares are asked for with the sweep, %d without", with.Verdict.Counts.Required, without.Verdict.Counts.Required)
	}
}

func TestAReportWithASweepIsVerifiedAndMergedFromItself(t *testing.T) {
	r, out := buildSwept(t, 50)
	text, err := reports.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, reports.ReportFile), text, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := reports.Verify(out); err != nil {
		t.Fatal(err)
	}
	merged, err := reports.Merge("", out)
	if err != nil {
		t.Fatal(err)
	}
	if merged.Digest.Verdict != r.Digest.Verdict {
		t.Errorf("merged from one shard it differs: %s and %s", merged.Verdict.Sweep.Line(), r.Verdict.Sweep.Line())
	}
}
