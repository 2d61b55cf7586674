package run

import (
	"testing"

	"tahanuji/system/check"
)

func TestManyPlansAreAsGoodAsTheWorstOfThem(t *testing.T) {
	held := check.Verdict{Clause: "a", Outcome: check.Holds, Examined: 3}
	idle := check.Verdict{Clause: "a", Outcome: check.Inconclusive, Idle: true}
	failed := check.Verdict{Clause: "a", Outcome: check.Inconclusive, Why: "the checker panicked"}
	broken := check.Verdict{Clause: "a", Outcome: check.Broken, Found: 1}
	for name, c := range map[string]struct {
		runs []check.Verdict
		want check.Outcome
	}{
		"one of two had nothing to examine": {[]check.Verdict{held, idle}, check.Holds},
		"a checker failed once":             {[]check.Verdict{held, failed, held}, check.Inconclusive},
		"a clause broke once":               {[]check.Verdict{held, broken, held}, check.Broken},
		"nobody had anything to examine":    {[]check.Verdict{idle, idle}, check.Inconclusive},
	} {
		t.Run(name, func(t *testing.T) {
			var sum tallies
			for _, v := range c.runs {
				sum.add([]check.Verdict{v})
			}
			if got := sum.by["a"]; got.Outcome != c.want {
				t.Errorf("%q, want %q", got.Outcome, c.want)
			}
		})
	}
}
