package explore

import (
	"context"
	"slices"

	"tahanuji/faults"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// maxShrinks bounds how many smaller plans are tried for one finding.
const maxShrinks = 2000

// Shrink makes a finding's plan smaller as long as the same clause still breaks: first fewer steps, then no replay, one member
// and fewer events, then smaller steps.
func (e *Explorer) Shrink(ctx context.Context, f *Finding) error {
	s := &shrinker{e: e, ctx: ctx, f: f}
	for s.err == nil {
		before := f.Shrunk
		s.whole = false
		changed := s.steps()
		s.whole = true
		changed = s.simpler() || changed
		changed = s.events() || changed
		if !changed || f.Shrunk == before || f.Shrunk >= maxShrinks {
			break
		}
	}
	return s.err
}

type shrinker struct {
	e   *Explorer
	ctx context.Context
	f   *Finding
	err error
	// whole wants every step of a smaller plan to act: a step that does not may be what keeps another one honest, such as the
	// member that joins before one leaves.
	whole bool
}

// try plays a smaller plan and takes it over if it still breaks the clause.
func (s *shrinker) try(p Plan) bool {
	if s.err != nil || s.f.Shrunk >= maxShrinks || !manned(p) {
		return false
	}
	s.f.Shrunk++
	broken, acted, err := s.e.try(s.ctx, p)
	if err == nil && s.whole && !acted {
		return false
	}
	if err != nil {
		if s.ctx.Err() != nil {
			s.err = err
		}
		return false // a plan that can't be played is no smaller witness
	}
	for _, v := range broken {
		if v.Clause == s.f.Verdict.Clause {
			s.f.Plan, s.f.Verdict = p, v
			return true
		}
	}
	return false
}

// manned says whether each role keeps a member: one that leaves for good where no other is breaks promises that nobody made.
func manned(p Plan) bool {
	members := map[string]int{}
	for _, step := range p.Steps {
		role := step.Do.Role
		switch {
		case step.Do.Do == target.Join:
			members[role]++
		case step.Do.Do == target.Leave, step.Do.Do == target.Kill && step.Do.For < 0:
			members[role]--
		}
	}
	for _, more := range members {
		if max(1, p.Members)+more < 1 {
			return false
		}
	}
	return true
}

// steps tries the smaller lists of steps that plans know of themselves, until none works.
func (s *shrinker) steps() bool {
	changed := false
	for again := true; again && s.err == nil; {
		again = false
		p := s.f.Plan
		smaller := faults.Plan{Seed: p.Seed, Steps: p.Steps}.Shrink()
		if len(p.Steps) > 0 {
			smaller = append([]faults.Plan{{Seed: p.Seed}}, smaller...)
		}
		for _, q := range smaller {
			p.Steps = q.Steps
			if s.try(p) {
				again, changed = true, true
				break
			}
		}
	}
	return changed
}

// simpler tries without a replay, with one member, and with the standard gap.
func (s *shrinker) simpler() bool {
	changed := false
	for _, edit := range []func(p *Plan) bool{
		func(p *Plan) bool { was := p.Replay; p.Replay = false; return was },
		func(p *Plan) bool { was := p.Members > 1; p.Members = 1; return was },
		func(p *Plan) bool { was := p.Gap != 0; p.Gap = 0; return was },
	} {
		p := s.f.Plan
		if edit(&p) && s.try(p) {
			changed = true
		}
	}
	return changed
}

// events takes away pieces of the events, from halves down to single ones (Zeller's delta debugging, complements alone).
func (s *shrinker) events() bool {
	load, err := s.e.loads.of(Plan{LoadSeed: s.f.Plan.LoadSeed, Events: s.f.Plan.Events, Sources: s.f.Plan.Sources})
	if err != nil {
		s.err = err
		return false
	}
	keep := s.f.Plan.Keep
	if keep == nil {
		keep = labels(load)
	}
	changed := false
	for size := len(keep) / 2; size >= 1 && s.err == nil; {
		removed := false
		for at := 0; at < len(keep); {
			rest := slices.Delete(slices.Clone(keep), at, min(at+size, len(keep)))
			p := s.f.Plan
			p.Keep = rest
			if len(rest) > 0 && named(p, load) && s.try(p) {
				keep, removed, changed = rest, true, true
				continue
			}
			at += size
		}
		if size == 1 && !removed {
			break
		}
		if size > 1 {
			size /= 2
		} else if !removed {
			break
		}
	}
	return changed
}

// labels are the events of a load in the order in which the source first sends them.
func labels(load *workload.Load) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range load.Sends {
		if !seen[s.Event.Label] {
			seen[s.Event.Label] = true
			out = append(out, s.Event.Label)
		}
	}
	return out
}

// named says whether the events that steps on the input name are still sent.
func named(p Plan, load *workload.Load) bool {
	return !slices.ContainsFunc(p.Steps, func(s target.Step) bool {
		return workload.IsInput(s.Do.Do) && !slices.Contains(p.Keep, s.At.After)
	})
}
