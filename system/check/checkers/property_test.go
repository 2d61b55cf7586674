package checkers

import (
	"context"
	"flag"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// drawn makes the model's draws rapid's.
func drawn(t *rapid.T) func(int) int {
	return func(limit int) int { return rapid.IntRange(0, limit-1).Draw(t, "draw") }
}

// limited lowers the number of runs of the properties in a test, unless the command line asks for more than the default.
func limited(t *testing.T, n int) {
	f := flag.Lookup("rapid.checks")
	before := f.Value.String()
	if before != f.DefValue {
		return
	}
	if err := f.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Value.Set(before) })
}

func judge(in *check.Input) map[contract.ID]check.Verdict {
	out := map[contract.ID]check.Verdict{}
	for _, v := range check.Judge(context.Background(), contract.Clauses(in.Doc), in, All()) {
		out[v.Clause] = v
	}
	return out
}

func TestACorrectSystemIsNeverBlamed(t *testing.T) {
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) { neverBlamed(t, s, false) })
		t.Run(s.name+" where the role sets the ids", func(t *testing.T) { neverBlamed(t, s, true) })
	}
}

func neverBlamed(t *testing.T, s subject, roleSets bool) {
	doc := load(t, s.file)
	examined := map[contract.ID]bool{}
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(s, doc, drawn(t))
		w.roleSets = roleSets
		w.play(rapid.IntRange(1, 40).Draw(t, "events"))
		for id, v := range judge(w.input()) {
			switch v.Outcome {
			case check.Holds:
				examined[id] = true
			case check.Inconclusive, check.NotApplicable:
				if v.Detail != "" {
					t.Fatalf("%s: %s\n%s", id, v.Why, v.Detail)
				}
			case check.Broken, check.Unset, check.NotRun, check.Waived:
				t.Fatalf("%s is %s: %s", id, v.Outcome, v.Why)
			}
		}
	})
	for _, c := range contract.Clauses(doc) {
		if !examined[c.ID] {
			t.Errorf("%s was never examined", c.ID)
		}
	}
}
