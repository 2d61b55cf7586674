package explore

import (
	"context"
	"slices"
	"strings"

	"tahanuji/faults"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// maxShrinks bounds how many smaller plans are tried for one finding.
const maxShrinks = 2000

// Shrink makes a finding's plan smaller as long as the same clause still breaks: fewer steps, fewer events, no replay, one member,
// and last smaller steps. A smaller plan counts only if all its steps act: one that does not may be what keeps another honest,
// such as the member that joins before one leaves.
func (e *Explorer) Shrink(ctx context.Context, f *Finding) error {
	s := &shrinker{e: e, ctx: ctx, f: f}
	for s.err == nil {
		changed := s.steps()
		changed = s.events() || changed
		changed = s.simpler() || changed
		if !changed || f.Shrunk >= maxShrinks {
			break
		}
	}
	s.numbers()
	return s.err
}

type shrinker struct {
	e   *Explorer
	ctx context.Context
	f   *Finding
	err error
}

// try plays a smaller plan and takes it over if it still breaks the clause.
func (s *shrinker) try(p Plan) bool {
	if s.err != nil || s.f.Shrunk >= maxShrinks || !manned(p) {
		return false
	}
	s.f.Shrunk++
	broken, acted, err := s.e.try(s.ctx, p)
	if err != nil {
		if s.ctx.Err() != nil {
			s.err = err
		}
		return false // a plan that can't be played is no smaller witness
	}
	for _, v := range broken {
		if acted && v.Clause == s.f.Verdict.Clause {
			s.f.Plan, s.f.Verdict = p, v
			return true
		}
	}
	return false
}

// less takes away pieces of a list, from all of it down to single ones (Zeller's delta debugging, complements alone), as long as
// keep takes the rest.
func less[T any](all []T, keep func(rest []T) bool) bool {
	changed := false
	for size := len(all); size >= 1; size /= 2 {
		for at := 0; at < len(all); {
			rest := slices.Delete(slices.Clone(all), at, min(at+size, len(all)))
			if keep(rest) {
				all, changed = rest, true
			} else {
				at += size
			}
		}
	}
	return changed
}

func (s *shrinker) steps() bool {
	return less(s.f.Plan.Steps, func(rest []target.Step) bool {
		p := s.f.Plan
		p.Steps = rest
		return s.try(p)
	})
}

// events takes events away: all but those that the steps name and those of the same keys at first, for that is most often it.
func (s *shrinker) events() bool {
	whole := s.f.Plan
	whole.Keep = nil
	load, err := s.e.loads.of(whole)
	if err != nil {
		s.err = err
		return false
	}
	keep := func(rest []string) bool {
		p := s.f.Plan
		p.Keep = rest
		return len(rest) > 0 && named(p) && s.try(p)
	}
	all := s.f.Plan.Keep
	if all == nil {
		all = labels(load)
		s.f.Plan.Keep = all
	}
	changed := false
	if some := related(s.f.Plan.Steps, load, all); len(some) < len(all) && keep(some) {
		all, changed = some, true
	}
	return less(all, keep) || changed
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

// numbers makes lengths of time, counts and budgets of the steps that are left smaller.
func (s *shrinker) numbers() {
	for i := 0; i < len(s.f.Plan.Steps) && s.err == nil; {
		one := faults.Plan{Steps: s.f.Plan.Steps[i : i+1]}
		if !slices.ContainsFunc(one.Shrink(), func(q faults.Plan) bool {
			p := s.f.Plan
			p.Steps = slices.Clone(p.Steps)
			p.Steps[i] = q.Steps[0]
			return s.try(p)
		}) {
			i++
		}
	}
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

// related are the events among all that steps name, by themselves or by their summaries, and those of the same keys.
func related(steps []target.Step, load *workload.Load, all []string) []string {
	keys := map[string]bool{}
	for _, e := range load.Events {
		for _, s := range steps {
			for _, label := range []string{s.At.Carries, s.At.Passes, s.At.After} {
				summary, isSummary := strings.CutPrefix(label, "summary:")
				if label == e.Label || isSummary && strings.HasPrefix(summary, strings.Join(e.Group, ",")+"|") {
					keys[e.Key] = true
				}
			}
		}
	}
	var out []string
	for _, e := range load.Events {
		if keys[e.Key] && slices.Contains(all, e.Label) {
			out = append(out, e.Label)
		}
	}
	return out
}

// named says whether the events that steps on the input name are still sent.
func named(p Plan) bool {
	return !slices.ContainsFunc(p.Steps, func(s target.Step) bool {
		return workload.IsInput(s.Do.Do) && !slices.Contains(p.Keep, s.At.After)
	})
}
