package sweep_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/faults"
	"tahanuji/faults/proxy/wire"
	"tahanuji/reports"
	"tahanuji/scenarios/sweep"
	"tahanuji/system/contract"
	"tahanuji/system/shipped"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

func document(t *testing.T) *contract.Document {
	t.Helper()
	doc, err := shipped.All()[0].Load()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// everything is a record in which every request is made, first and in the load, by restarts where again says so.
func everything(doc *contract.Document, load *workload.Load, again bool) sweep.Record {
	r := sweep.Record{Moments: map[string]sweep.Shown{}}
	for _, e := range load.Valid() {
		r.Events = append(r.Events, e.Label)
	}
	for _, role := range doc.RoleNames() {
		for _, api := range sweep.APIs() {
			s := sweep.Shown{All: 9, Late: 3}
			if again {
				s = sweep.Shown{All: 9, Again: 3}
			}
			if api == "Produce" || api == "OffsetCommit" {
				s.Labels = r.Events
			}
			r.Moments[api+" "+role] = s
		}
	}
	return r
}

func load(t *testing.T, doc *contract.Document) *workload.Load {
	t.Helper()
	l, err := workload.Make(doc, workload.Options{Seed: 7, Base: time.Date(2026, time.November, 7, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestEverySquareHasANameThatACellCanHaveAndAReasonOrAPlan(t *testing.T) {
	doc := document(t)
	l := load(t, doc)
	seen := map[string]bool{}
	for _, again := range []bool{false, true} {
		record := everything(doc, l, again)
		clear(seen)
		for _, q := range sweep.Grid(doc) {
			if seen[q.Name] {
				t.Errorf("%s stands twice", q.Name)
			}
			seen[q.Name] = true
			if err := reports.CheckCell("sensor/" + q.Name + "/" + q.Fault + "/embedded"); err != nil {
				t.Error(err)
			}
			if _, ok := faults.Named(q.Fault); !ok && q.Fault != faults.Swept {
				t.Errorf("%s: %s is neither an entry of faults.All nor %s", q.Name, q.Fault, faults.Swept)
			}
			if q.Impossible != "" {
				continue
			}
			sc := q.Scenario(func() (sweep.Record, error) { return record, nil })
			steps, err := sc.Steps(doc, l, 7)
			if err != nil {
				t.Fatal(err)
			}
			checkSteps(t, q, steps)
		}
	}
}

// checkSteps holds a square's plan against the vocabulary: no code that the API does not answer, and a moment named by content.
func checkSteps(t *testing.T, q sweep.Square, steps []target.Step) {
	t.Helper()
	step := steps[len(steps)-1]
	switch step.Do.Do {
	case target.NotApplied, target.Applied:
		if err := wire.CheckCode(q.API, step.Do.Code, step.Do.Do == target.Applied); err != nil {
			t.Errorf("%s: %v", q.Name, err)
		}
	case "":
		t.Errorf("%s does nothing", q.Name)
	}
	named := step.At.After + step.At.Carries + step.At.Passes
	if q.When == sweep.First && (named != "" || len(steps) != 1) {
		t.Errorf("%s is met from the very beginning and waits for %q", q.Name, named)
	}
	if q.When == sweep.Load && !strings.HasPrefix(named, "event:") {
		t.Errorf("%s is named by no record: %+v", q.Name, step.At)
	}
	for _, s := range steps[:len(steps)-1] {
		if s.Fault != faults.Ordinary || s.Do.Do != target.Stop || s.Do.Role != q.Role {
			t.Errorf("%s is preceded by %+v, which is no restart of its role", q.Name, s)
		}
	}
}

func TestASquareDrawsTheSameStepsFromTheSameSeed(t *testing.T) {
	doc := document(t)
	l := load(t, doc)
	record := everything(doc, l, false)
	for _, q := range sweep.Grid(doc) {
		if q.Impossible != "" {
			continue
		}
		sc := q.Scenario(func() (sweep.Record, error) { return record, nil })
		first, _ := sc.Steps(doc, l, 3)
		second, _ := sc.Steps(doc, l, 3)
		if !slices.Equal(first, second) {
			t.Errorf("%s: %+v, then %+v", q.Name, first, second)
		}
	}
}

func TestPairsHurtTwoMomentsAtOneRecord(t *testing.T) {
	doc := document(t)
	l := load(t, doc)
	record := everything(doc, l, false)
	grid := sweep.Grid(doc)
	for n := 1; n <= 20; n++ {
		sc := sweep.PairScenario(grid, n, func() (sweep.Record, error) { return record, nil })
		steps, err := sc.Steps(doc, l, 11)
		if err != nil {
			t.Fatal(err)
		}
		if len(steps) != 2 || steps[0].Name == steps[1].Name || steps[0].At.API == steps[1].At.API && steps[0].At.Role == steps[1].At.Role {
			t.Errorf("pair %d is %+v", n, steps)
		}
	}
}

func TestWhatAClientNeverAsksIsMissingWithAReason(t *testing.T) {
	r := sweep.Record{Moments: map[string]sweep.Shown{
		"ListOffsets a": {All: 2}, "LeaveGroup a": {All: 1, Again: 1}, "Fetch a": {All: 9, Late: 2},
	}}
	for _, c := range []struct {
		api     string
		when    sweep.When
		missing bool
	}{
		{"Metadata", sweep.First, true},
		{"ListOffsets", sweep.First, false},
		{"ListOffsets", sweep.Load, true},
		{"LeaveGroup", sweep.First, true},
		{"LeaveGroup", sweep.Load, false},
		{"Fetch", sweep.First, false},
		{"Fetch", sweep.Load, false},
	} {
		why := r.Missing(sweep.Moment{API: c.api, Role: "a", When: c.when})
		if (why != "") != c.missing {
			t.Errorf("%s %s: %q", c.api, c.when, why)
		}
	}
}
