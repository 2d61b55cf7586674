package workload_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tahanuji/system/target"
	"tahanuji/system/workload"
)

func TestNoPlanLosesAnEventOrInventsAValidOne(t *testing.T) {
	loads := []*workload.Load{made(t, sensor, 5), made(t, toko, 5)}
	verbs := []target.Verb{target.SendTwice, target.SendLater, target.Reorder, target.Late, target.Invalid, target.Burst}
	rapid.Check(t, func(t *rapid.T) {
		l := rapid.SampledFrom(loads).Draw(t, "load")
		valid := l.Valid()
		var steps []target.Step
		for i := range rapid.IntRange(1, 6).Draw(t, "steps") {
			e := rapid.SampledFrom(valid).Draw(t, "event")
			steps = append(steps, target.Step{
				Name: fmt.Sprint(i), Fault: "x", At: target.Moment{After: e.Label},
				Do: target.Action{Do: rapid.SampledFrom(verbs).Draw(t, "verb"), Count: rapid.IntRange(0, 50).Draw(t, "count")},
			})
		}
		sends, acted, err := workload.Apply(l, steps)
		if err != nil {
			t.Fatal(err)
		}
		if len(acted) != len(steps) {
			t.Fatalf("%d steps, %d answers", len(steps), len(acted))
		}
		firsts, seen := map[string]int{}, map[string]string{}
		for _, s := range sends {
			if record, ok := seen[s.Event.Label]; ok && record != string(s.Event.Record) {
				t.Fatalf("%s stands for two records", s.Event.Label)
			}
			if _, before := seen[s.Event.Label]; before != (s.Kind == workload.Duplicate) {
				t.Fatalf("%s is sent as %s, and before: %v", s.Event.Label, s.Kind, before)
			}
			seen[s.Event.Label] = string(s.Event.Record)
			if s.Kind != workload.Broken && !slices.ContainsFunc(valid, func(e workload.Event) bool { return e.Label == s.Event.Label }) {
				t.Fatalf("%s is new and valid", s.Event.Label)
			}
			if s.Kind == workload.First {
				firsts[s.Event.Label]++
			}
		}
		for _, e := range valid {
			if firsts[e.Label] != 1 {
				t.Fatalf("%s is sent for the first time %d times", e.Label, firsts[e.Label])
			}
		}
		again, _, err := workload.Apply(l, steps)
		if err != nil || !slices.Equal(labels(again), labels(sends)) {
			t.Fatal("the same plan gives other sends")
		}
	})
}
