// Package plans draws plans for the model with rapid, for properties that must hold for any plan; rapid then makes a failing one
// smaller. It is for tests: importing it adds rapid's flags.
package plans

import (
	"tahanuji/faults"
	"tahanuji/system/contract"
	"tahanuji/system/sim/explore"

	"pgregory.net/rapid"
)

// use is one fault of a plan.
type use struct {
	name string
	kind contract.Kind
	seed uint64
}

// Any draws plans of up to most faults and crash points over one of loads loads, with up to members members. Uses that a load
// has nothing for are left out.
func Any(e *explore.Explorer, most, loads, members int) *rapid.Generator[explore.Plan] {
	names := append(faults.Names(), explore.Crash)
	uses := rapid.Custom(func(t *rapid.T) use {
		return use{rapid.SampledFrom(names).Draw(t, "fault"),
			rapid.SampledFrom([]contract.Kind{contract.Recorder, contract.Summarizer, contract.Display}).Draw(t, "kind"),
			rapid.Uint64().Draw(t, "aim")}
	})
	return rapid.Custom(func(t *rapid.T) explore.Plan {
		p := e.Blank(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(0, loads-1).Draw(t, "load"))
		p.Members = rapid.IntRange(1, members).Draw(t, "members")
		p.Gap = rapid.SampledFrom(explore.Gaps()).Draw(t, "gap")
		p.Replay = rapid.IntRange(0, 3).Draw(t, "replay") == 3
		for _, u := range rapid.SliceOfN(uses, 0, most).Draw(t, "faults") {
			next, ok, err := e.Add(p, u.name, u.kind, u.seed)
			if err != nil {
				t.Fatalf("aim %s: %v", u.name, err)
			}
			if ok {
				p = next
			}
		}
		return p
	})
}
