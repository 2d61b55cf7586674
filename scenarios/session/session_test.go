package session_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/reports"
	"tahanuji/scenarios/session"
	"tahanuji/system/check"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sittingOf is a sitting of the sensor system that nothing was made for yet.
func sittingOf(t *testing.T, change func(*session.Options)) (*session.Session, error) {
	t.Helper()
	set := flag.NewFlagSet("test", flag.ContinueOnError)
	o := session.Register(set, func(string) (string, bool) { return "", false })
	o.Out = filepath.Join(t.TempDir(), "out")
	change(o)
	return session.Open(*o, session.Edge{Root: filepath.Join("..", ".."), Command: "here", Now: time.Date(2026, time.November, 20, 0, 0, 0, 0, time.UTC)})
}

func ids(s *session.Session) (cells, flaws []string) {
	for _, c := range s.Cells {
		cells = append(cells, c.ID)
	}
	if s.Explored != nil {
		cells = append(cells, s.Explored.ID)
	}
	for _, f := range s.Flaws {
		flaws = append(flaws, f.ID)
	}
	return cells, flaws
}

// A cell's id is what reports of different days are compared by: it changes only when somebody means it to (go test -update).
func TestCellIDsStayAsTheyAre(t *testing.T) {
	for _, profile := range []string{"smoke", "full"} {
		s, err := sittingOf(t, func(o *session.Options) { o.Profile = profile })
		if err != nil {
			t.Fatal(err)
		}
		cells, flaws := ids(s)
		got := strings.Join(append(cells, flaws...), "\n") + "\n"
		path := filepath.Join("testdata", "cells-"+profile+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v (make it with go test -update)", err)
		}
		now := strings.Split(got, "\n")
		for _, id := range strings.Split(string(want), "\n") {
			if !slices.Contains(now, id) {
				t.Errorf("%s: the cell %s is gone or has another id", profile, id)
			}
		}
		for _, id := range now {
			if !slices.Contains(strings.Split(string(want), "\n"), id) {
				t.Errorf("%s: the cell %s is new: go test ./scenarios/session -update", profile, id)
			}
		}
	}
}

func TestEachCellHasAnIDAndASeedOfItsOwn(t *testing.T) {
	s, err := sittingOf(t, func(o *session.Options) { o.Profile = "full" })
	if err != nil {
		t.Fatal(err)
	}
	seen, seeds := map[string]bool{}, map[uint64]string{}
	add := func(c session.Cell) {
		if err := reports.CheckCell(c.ID); err != nil {
			t.Error(err)
		}
		if seen[c.ID] {
			t.Errorf("%s stands twice", c.ID)
		}
		if other := seeds[c.Seed]; other != "" {
			t.Errorf("%s and %s draw the same", c.ID, other)
		}
		seen[c.ID], seeds[c.Seed] = true, c.ID
	}
	for _, c := range s.Cells {
		add(c)
	}
	for _, f := range s.Flaws {
		add(f.Cell)
	}
}

func TestACellAloneDrawsWhatItDrawsAmongAll(t *testing.T) {
	all, err := sittingOf(t, func(*session.Options) {})
	if err != nil {
		t.Fatal(err)
	}
	alone, err := sittingOf(t, func(o *session.Options) { o.Scenario = "summarizer-killed" })
	if err != nil {
		t.Fatal(err)
	}
	other, err := sittingOf(t, func(o *session.Options) { o.Scenario, o.Seed = "summarizer-killed", "2" })
	if err != nil {
		t.Fatal(err)
	}
	if len(alone.Cells) != 1 || len(alone.Flaws) != 0 || alone.Explored != nil {
		t.Fatalf("%d cells and %d flaws for one scenario", len(alone.Cells), len(alone.Flaws))
	}
	i := slices.IndexFunc(all.Cells, func(c session.Cell) bool { return c.ID == alone.Cells[0].ID })
	if i < 0 || all.Cells[i].Seed != alone.Cells[0].Seed {
		t.Error("the cell alone has another id or seed")
	}
	if other.Cells[0].ID != alone.Cells[0].ID || other.Cells[0].Seed == alone.Cells[0].Seed {
		t.Error("another seed of the sitting is another seed of the cell, under the same id")
	}
}

func TestShardsTogetherAreTheWholeAndHaveNothingTwice(t *testing.T) {
	for _, profile := range []string{"smoke", "full"} {
		whole, err := sittingOf(t, func(o *session.Options) { o.Profile = profile })
		if err != nil {
			t.Fatal(err)
		}
		cells, flaws := ids(whole)
		want := append(cells, flaws...)
		for _, shards := range [][]string{{"1/1"}, {"1/2", "2/2"}, {"1/5", "2/5", "3/5", "4/5", "5/5"}} {
			var got []string
			for _, shard := range shards {
				s, err := sittingOf(t, func(o *session.Options) { o.Profile, o.Shard = profile, shard })
				if err != nil {
					t.Fatal(err)
				}
				cells, flaws := ids(s)
				got = append(append(got, cells...), flaws...)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s in %d shards: %d cells, want %d", profile, len(shards), len(got), len(want))
			}
		}
	}
}

func TestFiltersLeaveWhatTheyName(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*session.Options)
		keeps  func(session.Cell) bool
	}{
		"a fault":    {func(o *session.Options) { o.Fault = "role-killed" }, func(c session.Cell) bool { return slices.Contains(c.Scenario.Faults(), "role-killed") }},
		"no fault":   {func(o *session.Options) { o.Fault = "none" }, func(c session.Cell) bool { return len(c.Scenario.Faults()) == 0 }},
		"a clause":   {func(o *session.Options) { o.Clause = "poison.isolated" }, func(c session.Cell) bool { return slices.Contains(c.Scenario.Aims, "poison.isolated") }},
		"a scenario": {func(o *session.Options) { o.Scenario = "calm" }, func(c session.Cell) bool { return c.Scenario.Name == "calm" }},
		"a flaw":     {func(o *session.Options) { o.Flaw = "no-dedupe" }, func(c session.Cell) bool { return strings.HasSuffix(c.ID, "/flaw-no-dedupe") }},
	} {
		s, err := sittingOf(t, c.change)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(s.Cells) == 0 || len(s.Flaws) != 0 {
			t.Errorf("%s: %d cells, %d flawed ones", name, len(s.Cells), len(s.Flaws))
		}
		for _, cell := range s.Cells {
			if !c.keeps(cell) {
				t.Errorf("%s leaves %s in", name, cell.ID)
			}
		}
	}
}

func TestOpeningMakesNothingAndMakeTakesBackWhatItCouldNotFinish(t *testing.T) {
	s, err := sittingOf(t, func(*session.Options) {})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Out); err == nil {
		t.Fatal("the out folder is there before Make")
	}
	if err := s.Make(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Out); err != nil {
		t.Error(err)
	}
}

func TestACheckerThatPanicsCostsItsVerdictAndNotTheRun(t *testing.T) {
	s, err := sittingOf(t, func(o *session.Options) { o.Scenario = "calm" })
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range s.Checkers {
		if slices.Contains(c.Clauses, "count.once") {
			s.Checkers[i].Check = func(context.Context, *check.Input) ([]check.Verdict, error) { panic("a bug") }
		}
	}
	if err := s.Make(); err != nil {
		t.Fatal(err)
	}
	if err := s.RunAll(t.Context(), silent{}); err != nil {
		t.Fatal(err)
	}
	r, err := s.Finish(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	run, err := reports.ReadRun(reports.CellFolder(s.Out, s.Cells[0].ID))
	if err != nil || !run.Complete {
		t.Fatalf("there is no whole run: %v", err)
	}
	holding := 0
	for _, v := range run.Verdicts {
		switch {
		case v.Clause == "count.once" && (v.Outcome != check.Inconclusive || !strings.Contains(v.Why, "panicked: a bug") || !strings.Contains(v.Detail, "session_test.go")):
			t.Errorf("count.once is %s: %s\n%s", v.Outcome, v.Why, v.Detail)
		case v.Outcome == check.Broken:
			t.Errorf("%s is broken: %s", v.Clause, v.Why)
		case v.Outcome == check.Holds:
			holding++
		}
	}
	if holding < 10 || r.Verdict.Outcome != reports.Incomplete {
		t.Errorf("%d clauses hold, the report is %s", holding, r.Verdict.Outcome)
	}
	if err := reports.Verify(s.Out); err != nil {
		t.Error(err)
	}
}

type silent struct{}

func (silent) Begin(string)       {}
func (silent) End(string, string) {}
