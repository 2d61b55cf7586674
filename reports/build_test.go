package reports_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tahanuji/reports"
	"tahanuji/reports/example"
	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/target"
)

func square(r *reports.Report, id contract.ID, fault string) reports.Square {
	for _, s := range r.Verdict.Matrix {
		if s.Clause == id && s.Fault == fault {
			return s
		}
	}
	return reports.Square{}
}

// inMemory builds without run folders.
func inMemory(t *testing.T, runs []reports.Run, want []reports.Wanted) *reports.Report {
	t.Helper()
	r, err := reports.Build(runs, example.Document(), example.Clauses(), want, example.Environment())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestOutcomesOfASessionDecideItsVerdict(t *testing.T) {
	change := func(cell string, edit func(*reports.Run)) []reports.Run {
		runs := example.Runs()
		at := slices.IndexFunc(runs, func(r reports.Run) bool { return r.Cell == cell })
		edit(&runs[at])
		return runs
	}
	const node = "sensor/node-down/embedded"
	for name, c := range map[string]struct {
		runs    []reports.Run
		outcome reports.Conformance
		exit    int
		says    string
	}{
		"all well":                 {example.Runs(), reports.Conforms, 0, "5 planted flaws"},
		"broken":                   {example.Violated(), reports.Violated, 1, "delivery.no-loss, commit.after-store"},
		"no run at all":            {nil, reports.Incomplete, 2, "nothing was examined"},
		"a flaw missing":           {slices.DeleteFunc(example.Runs(), func(r reports.Run) bool { return r.Flaw == "acks-1" }), reports.Incomplete, 2, "1 planted flaw was not tried"},
		"a cell missing":           {slices.DeleteFunc(example.Runs(), func(r reports.Run) bool { return r.Cell == node }), reports.Incomplete, 2, "1 wanted verdict is missing"},
		"a fault that never acted": {change(node, func(r *reports.Run) { r.Acted[0].Count = 0 }), reports.Incomplete, 2, "2 required squares are inconclusive"},
		"a fault without proof":    {change(node, func(r *reports.Run) { r.Acted = nil }), reports.Incomplete, 2, "2 required squares are inconclusive"},
		"cut short":                {change(node, func(r *reports.Run) { r.Complete = false }), reports.Incomplete, 2, "2 required squares are inconclusive"},
		"nothing examined": {change(node, func(r *reports.Run) {
			example.Set(r, check.Verdict{Clause: "count.once", Outcome: check.Holds})
		}), reports.Incomplete, 2, "1 required square is inconclusive"},
		"a verdict nobody set": {change(node, func(r *reports.Run) {
			example.Set(r, check.Verdict{Clause: "count.once", Examined: 3})
		}), reports.Incomplete, 2, "1 required square is inconclusive"},
		"a clause not judged": {change(node, func(r *reports.Run) {
			r.Verdicts = slices.DeleteFunc(r.Verdicts, func(v check.Verdict) bool { return v.Clause == "count.once" })
		}), reports.Incomplete, 2, "1 wanted verdict is missing"},
		"an advisory clause broken": {change(node, func(r *reports.Run) {
			example.Break(r, "lag.bound", "the lag was 900 for 61 s", "")
		}), reports.Conforms, 0, "holds each"},
		"broken under a fault that the clause does not name": {change(node, func(r *reports.Run) {
			example.Break(r, "topic.partitions", "the topic has 6", "")
		}), reports.Violated, 1, "topic.partitions"},
		"a flaw that broke another clause": {change("sensor/none/embedded/flaw-acks-1", func(r *reports.Run) {
			example.Set(r, check.Verdict{Clause: "producer.acks-all", Outcome: check.Holds, Examined: 1})
			example.Break(r, "count.once", "twice", "")
		}), reports.Incomplete, 2, "1 planted flaw went unnoticed"},
	} {
		t.Run(name, func(t *testing.T) {
			r := inMemory(t, c.runs, example.Wanted())
			if r.Verdict.Outcome != c.outcome || reports.ExitCode(r) != c.exit || !strings.Contains(reports.Sentence(r), c.says) {
				t.Fatalf("%s (exit %d): %s", r.Verdict.Outcome, reports.ExitCode(r), r.Verdict.Sentence)
			}
		})
	}
}

func TestOneCauseIsOneFinding(t *testing.T) {
	r := inMemory(t, example.Violated(), example.Wanted())
	var got []string
	for _, f := range r.Verdict.Findings {
		got = append(got, fmt.Sprintf("%s in %d, found %d, shown by %s", f.ID, len(f.Cells), f.Found, f.Shown))
	}
	want := []string{
		"delivery.no-loss~none in 1, found 3, shown by sensor/commit-ack-lost/embedded",
		"delivery.no-loss~role-killed in 2, found 6, shown by sensor/role-killed-at-rest/embedded",
		"commit.after-store~role-killed in 1, found 1, shown by sensor/role-killed/embedded",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

// What breaks without a fault needs none: the faults under which it breaks as well are no causes of their own.
func TestAClauseThatBreaksInCalmIsOneFinding(t *testing.T) {
	runs := example.Violated()
	for i := range runs {
		if runs[i].Cell == "sensor/none/embedded" {
			example.Break(&runs[i], "delivery.no-loss", "event:3 of sensor-03 is not counted", "")
		}
	}
	r := inMemory(t, runs, example.Wanted())
	f := r.Verdict.Findings[0]
	if len(r.Verdict.Findings) != 2 || !f.Calm || f.Cause != "" || len(f.Cells) != 4 || f.Shown != "sensor/none/embedded" || f.Found != 12 {
		t.Fatalf("%d findings, the first %+v", len(r.Verdict.Findings), f)
	}
}

// A run says what it can of every clause. Where it was not made to judge one, "I can't tell" does not outvote a run that was.
func TestWhoWasNotAskedDoesNotSpoilASquare(t *testing.T) {
	by := example.Run("role-killed", "")
	by.Cell = "sensor/role-killed-once-more/embedded"
	example.Set(&by, check.Verdict{Clause: "count.once", Outcome: check.Inconclusive, Why: "nothing was examined"})
	want := append(example.Wanted(), reports.Wanted{Cell: by.Cell, Faults: by.Faults, Clauses: []contract.ID{"topic.key"}})
	r := inMemory(t, append(example.Runs(), by), want)
	if s := square(r, "count.once", "role-killed"); s.Outcome != check.Holds || r.Verdict.Outcome != reports.Conforms {
		t.Errorf("%+v: %s", s, r.Verdict.Sentence)
	}
	want[len(want)-1].Clauses = nil // now it is asked
	r = inMemory(t, append(example.Runs(), by), want)
	if s := square(r, "count.once", "role-killed"); s.Outcome != check.Inconclusive || r.Verdict.Outcome != reports.Incomplete {
		t.Errorf("%+v: %s", s, r.Verdict.Sentence)
	}
	example.Break(&by, "count.once", "61 of 60", "")
	want[len(want)-1].Clauses = []contract.ID{"topic.key"}
	r = inMemory(t, append(example.Runs(), by), want)
	if s := square(r, "count.once", "role-killed"); s.Outcome != check.Broken || r.Verdict.Outcome != reports.Violated {
		t.Errorf("%+v: %s", s, r.Verdict.Sentence)
	}
}

func TestOneReasonUnderManyFaultsIsOneOpenEnd(t *testing.T) {
	runs := example.Runs()
	for i := range runs {
		if v := runs[i].Verdicts; runs[i].Flaw == "" && slices.ContainsFunc(v, func(v check.Verdict) bool { return v.Clause == "count.once" }) {
			example.Set(&runs[i], check.Verdict{Clause: "count.once", Outcome: check.Inconclusive, Why: "no summary was seen"})
		}
	}
	r := inMemory(t, runs, example.Wanted())
	if len(r.Verdict.Open) != 1 || len(r.Verdict.Open[0].Faults) != 10 || !strings.Contains(r.Verdict.Sentence, "10 required squares") {
		t.Fatalf("%+v: %s", r.Verdict.Open, r.Verdict.Sentence)
	}
}

func TestASessionAskedToJudgeAFlawHoldsItAgainstTheSystem(t *testing.T) {
	env := example.Environment()
	env.Flaw = "no-dedupe"
	var runs []reports.Run
	for _, run := range example.Runs() {
		if run.Flaw == "no-dedupe" {
			runs = append(runs, run)
		}
	}
	want := []reports.Wanted{{Cell: runs[0].Cell, Flaw: "no-dedupe"}}
	r, err := reports.Build(runs, example.Document(), example.Clauses(), want, env)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict.Outcome != reports.Violated || len(r.Verdict.Findings) != 1 || len(r.Verdict.Flaws) != 0 {
		t.Fatalf("%s, %d findings, %d flaws", r.Verdict.Sentence, len(r.Verdict.Findings), len(r.Verdict.Flaws))
	}
}

func TestWaivedAndSkippedAreShownWithReasonsAndNotHeldAgainst(t *testing.T) {
	doc := example.Document()
	doc.Waivers = []contract.Waiver{{Clause: "delivery.no-loss", Owner: "Tim Suhu", Reason: "known, fixed in March", Expires: time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)},
		{Clause: "commit.after-store", Owner: "Tim Suhu", Reason: "known as well", Expires: time.Date(2026, 11, 7, 0, 0, 0, 0, time.UTC)}}
	want := append(example.Wanted(), reports.Wanted{Cell: "sensor/replay-late/embedded", Clauses: []contract.ID{"topic.partitions"}, Skip: "offsets can't be set back"})
	r, err := reports.Build(example.Violated(), doc, example.Clauses(), want, example.Environment())
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict.Outcome != reports.Conforms || !strings.Contains(r.Verdict.Sentence, "waived") {
		t.Errorf("waived clauses were held against the system: %s", r.Verdict.Sentence)
	}
	s := square(r, "commit.after-store", "role-killed")
	if s.Outcome != check.Waived || !strings.Contains(s.Why, "Tim Suhu until 2026-11-07: known as well") {
		t.Errorf("waived square: %+v", s)
	}
	if s := square(r, "commit.after-store", "none"); s.Outcome != check.Holds {
		t.Errorf("a waived clause that holds: %+v", s)
	}
	if s := square(r, "topic.partitions", "none"); s.Outcome != check.Holds {
		t.Errorf("held in one cell, skipped in another: %+v", s)
	}
}

func TestWhatNoReportCanBeMadeOfIsRefused(t *testing.T) {
	expired := []contract.Waiver{{Clause: "count.once", Expires: time.Date(2026, 11, 5, 0, 0, 0, 0, time.UTC)}}
	for name, c := range map[string]struct {
		edit func([]reports.Run, *contract.Document) []reports.Run
		says string
	}{
		"two runs of a cell": {func(r []reports.Run, _ *contract.Document) []reports.Run { return append(r, r[0]) }, "two runs of cell"},
		"another document":   {func(r []reports.Run, _ *contract.Document) []reports.Run { r[0].Document = "abc"; return r }, "was run against the document abc"},
		"an unknown clause": {func(r []reports.Run, _ *contract.Document) []reports.Run {
			example.Break(&r[0], "no.such", "x", "")
			return r
		}, "no clause of the document"},
		"an unknown outcome": {func(r []reports.Run, _ *contract.Document) []reports.Run {
			r[0].Verdicts[0].Outcome = "green"
			return r
		}, `unknown outcome "green"`},
		"a waiver of nothing": {func(r []reports.Run, d *contract.Document) []reports.Run {
			d.Waivers = []contract.Waiver{{Clause: "no.such", Expires: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}}
			return r
		}, "matches no clause"},
		"an expired waiver": {func(r []reports.Run, d *contract.Document) []reports.Run { d.Waivers = expired; return r }, "expired on 2026-11-05"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := example.Document()
			_, err := reports.Build(c.edit(example.Runs(), doc), doc, example.Clauses(), example.Wanted(), example.Environment())
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("want an error that says %q, got %v", c.says, err)
			}
		})
	}
}

// draw makes a session of any outcomes.
func draw(rt *rapid.T) []reports.Run {
	outcomes := []check.Outcome{check.Holds, check.Broken, check.Inconclusive, check.NotApplicable, check.NotRun, check.Waived, check.Unset}
	faults := append([]string{reports.NoFault, "a-fault-nobody-names"}, example.Faults()...)
	var runs []reports.Run
	for i := range rapid.IntRange(0, 12).Draw(rt, "runs") {
		r := example.Run(rapid.SampledFrom(faults).Draw(rt, "fault"), rapid.SampledFrom([]string{"", "", "acks-1"}).Draw(rt, "flaw"))
		r.Cell = fmt.Sprintf("sensor/cell%d/embedded", i)
		r.Complete = rapid.IntRange(0, 9).Draw(rt, "complete") > 0
		r.Verdicts = nil
		for _, c := range example.Clauses() {
			if rapid.Bool().Draw(rt, "judged") {
				example.Set(&r, check.Verdict{Clause: c.ID, Outcome: rapid.SampledFrom(outcomes).Draw(rt, "outcome"), Why: "so", Examined: rapid.IntRange(0, 3).Draw(rt, "examined")})
			}
		}
		if rapid.IntRange(0, 3).Draw(rt, "acted") == 0 {
			r.Acted = []target.Acted{}
		}
		runs = append(runs, r)
	}
	return runs
}

func TestTheOrderOfRunsChangesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		runs := draw(rt)
		mixed := rapid.Permutation(runs).Draw(rt, "order")
		a := mustBuild(rt, runs)
		b := mustBuild(rt, mixed)
		if diff := cmp.Diff(a, b); diff != "" {
			rt.Fatal(diff)
		}
	})
}

func TestEachClauseUnderEachFaultIsThereOnceAndTheSumsAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := mustBuild(rt, draw(rt))
		want := 0
		for _, c := range example.Clauses() {
			want += len(c.Faults)
			for _, f := range c.Faults {
				if square(r, c.ID, f).Clause == "" {
					rt.Fatalf("%s under %s is missing", c.ID, f)
				}
			}
		}
		sum := 0
		for _, n := range r.Verdict.Counts.Outcomes {
			sum += n
		}
		if len(r.Verdict.Matrix) != want || r.Verdict.Counts.Squares != want || sum != want {
			rt.Fatalf("%d squares, counted %d, outcomes make %d, want %d", len(r.Verdict.Matrix), r.Verdict.Counts.Squares, sum, want)
		}
	})
}

// Whatever the runs say: a report is green exactly if each required square holds, is waived or can't be judged here, and
// nothing that binds broke. The sessions are drawn so that many are green.
func TestOnlyWhatWasShownIsGreen(t *testing.T) {
	green, red := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		var runs []reports.Run
		var want []reports.Wanted
		sound := true
		for _, fault := range append([]string{reports.NoFault}, example.Faults()...) {
			r := example.Run(fault, "")
			want = append(want, reports.Wanted{Cell: r.Cell, Faults: r.Faults})
			runs = append(runs, r)
		}
		for range rapid.IntRange(0, 2).Draw(rt, "accidents") {
			r := &runs[rapid.IntRange(0, len(runs)-1).Draw(rt, "cell")]
			v := &r.Verdicts[rapid.IntRange(0, len(r.Verdicts)-1).Draw(rt, "clause")]
			switch rapid.SampledFrom([]string{"cut", "hollow", "lost", "broken", "inconclusive", "unset"}).Draw(rt, "accident") {
			case "cut":
				r.Complete, sound = false, sound && onlyAdvisory(r)
			case "hollow":
				r.Acted, sound = nil, sound && (len(r.Faults) == 0 || onlyAdvisory(r))
			case "lost":
				r.Cell, sound = r.Cell+"/elsewhere", false
			case "broken":
				v.Outcome, sound = check.Broken, sound && v.Clause == "lag.bound"
			case "inconclusive":
				v.Outcome, sound = check.Inconclusive, sound && v.Clause == "lag.bound"
			case "unset":
				v.Outcome, sound = check.Unset, sound && v.Clause == "lag.bound"
			}
		}
		r, err := reports.Build(runs, example.Document(), example.Clauses(), want, example.Environment())
		if err != nil {
			rt.Fatal(err)
		}
		if (r.Verdict.Outcome == reports.Conforms) != sound {
			rt.Fatalf("sound: %v, and the report says: %s", sound, r.Verdict.Sentence)
		}
		if sound {
			green++
		} else {
			red++
		}
	})
	if green == 0 || red == 0 {
		t.Fatalf("%d green and %d red sessions were drawn: one direction was not tried", green, red)
	}
}

func onlyAdvisory(r *reports.Run) bool {
	return !slices.ContainsFunc(r.Verdicts, func(v check.Verdict) bool { return v.Clause != "lag.bound" && v.Outcome == check.Holds })
}

func mustBuild(rt *rapid.T, runs []reports.Run) *reports.Report {
	r, err := reports.Build(runs, example.Document(), example.Clauses(), example.Wanted(), example.Environment())
	if err != nil {
		rt.Fatal(err)
	}
	return r
}
