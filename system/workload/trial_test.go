package workload_test

import (
	"math/rand"
	"testing"

	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// What a trial keeps acts when it is applied, in the same order; what it refuses would not have, and leaves nothing behind.
func TestATrialKeepsTheStepsThatActWhenTheyAreApplied(t *testing.T) {
	l := made(t, sensor, 3)
	verbs := []target.Verb{target.SendTwice, target.SendLater, target.Reorder, target.Late, target.Invalid, target.Burst}
	rng := rand.New(rand.NewSource(1))
	trial := workload.Try(l)
	var kept []target.Step
	refused := 0
	for range 60 {
		s := step(verbs[rng.Intn(len(verbs))], l.Events[rng.Intn(len(l.Events))].Label, 1+rng.Intn(4))
		_, acted, err := workload.Apply(l, append(kept[:len(kept):len(kept)], s))
		want := err == nil && acted[len(kept)].Count > 0
		if got := trial.Acts(s); got != want {
			t.Fatalf("step %d, %s at %s: acts %v, applied %v (%v)", len(kept), s.Do.Do, s.At.After, got, want, err)
		}
		if want {
			kept = append(kept, s)
		} else {
			refused++
		}
	}
	if len(kept) < 10 || refused < 10 {
		t.Fatalf("%d steps acted and %d did not: too few of one", len(kept), refused)
	}
	if trial.Acts(step(target.Kill, l.Events[0].Label, 1)) {
		t.Error("a step that kills acts on the input")
	}
}
