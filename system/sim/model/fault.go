package model

import (
	"slices"
	"time"

	"tahanuji/reference/port"
	"tahanuji/system/history"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// step is a step of the plan while the run goes on.
type step struct {
	target.Step
	left, matched, count int
	what                 []string
	invoked              history.Seq
	healed               bool
}

// plan holds the steps where they are looked for: requests by API, moments that are none by what they wait for.
type plan struct {
	w     *world
	all   []*step
	byAPI map[string][]*step
	after map[string][]*step
	// anyCall: a step waits for a call of a port.
	anyCall bool
}

func newPlan(w *world, steps []target.Step) *plan {
	p := &plan{w: w, byAPI: map[string][]*step{}, after: map[string][]*step{}}
	for _, s := range steps {
		st := &step{Step: s, left: max(1, s.Budget)}
		p.all = append(p.all, st)
		if s.At.API != "" {
			p.byAPI[s.At.API] = append(p.byAPI[s.At.API], st)
			p.anyCall = p.anyCall || slices.Contains(Calls(), s.At.API)
		} else if !workload.IsInput(s.Do.Do) {
			p.after[s.At.After] = append(p.after[s.At.After], st)
		}
	}
	return p
}

// onInput takes over what the load says of the steps that act on it.
func (p *plan) onInput(acted []target.Acted) {
	for _, s := range p.all {
		for _, a := range acted {
			if a.Step == s.Name {
				s.matched, s.count, s.what, s.left = a.Matched, a.Count, a.What, 0
			}
		}
	}
}

// match finds the step whose moment a request is, and spends one of its budget. A Fetch is matched twice: as a request, and
// by what its answer carries.
func (p *plan) match(x *exchange, answered bool) *step {
	for _, s := range p.byAPI[x.api] {
		m := &s.At
		if s.left == 0 || x.api == apiFetch && (m.Carries != "") != answered {
			continue
		}
		if m.Role != "" && m.Role != x.from.role.Name || m.Member != 0 && m.Member != x.from.number || !p.reached(m.After) {
			continue
		}
		if m.Carries != "" && !carries(x.items, m.Carries) || m.Passes != "" && !p.passes(x, m.Passes) {
			continue
		}
		s.left--
		s.matched++
		return s
	}
	return nil
}

// soon says whether a step waits for nothing but a request that a group makes by itself.
func (p *plan) soon(s *step) bool {
	switch s.At.API {
	case apiHeartbeat, apiJoin, apiSync, apiFetch:
		return s.left > 0 && s.count == 0 && s.At.Carries == "" && p.reached(s.At.After)
	}
	return false
}

func carries(items []history.Item, label string) bool {
	for i := range items {
		if slices.Contains(items[i].Labels, label) {
			return true
		}
	}
	return false
}

// passes says whether a commit is the first to go beyond the record with the label.
func (p *plan) passes(x *exchange, label string) bool {
	at, ok := p.w.where[label]
	g := p.w.groups[x.group]
	if !ok || g == nil {
		return false
	}
	for i := range x.items {
		it := &x.items[i]
		if it.Topic == at.Topic && it.Partition == at.Partition && it.Offset > at.Offset {
			was, had := g.Offsets[port.Partition{Topic: at.Topic, Partition: at.Partition}]
			return !had || was <= at.Offset
		}
	}
	return false
}

func (p *plan) reached(after string) bool {
	switch after {
	case "":
		return true
	case "start":
		return p.w.started
	case "rest":
		return p.w.rested
	}
	_, ok := p.w.where[after]
	return ok
}

// calls says whether a step waits for a call of a port.
func (p *plan) calls() bool { return p.anyCall }

// crash finds the step that kills a process at a call of its port.
func (p *plan) crash(x *Process, call string, before bool) *step {
	for _, s := range p.byAPI[call] {
		m := &s.At
		if s.left == 0 || s.Do.Before != before || m.Role != "" && m.Role != x.role.Name || m.Member != 0 && m.Member != x.number || !p.reached(m.After) {
			continue
		}
		if m.Carries != "" && !x.got[m.Carries] {
			continue
		}
		s.left--
		s.matched++
		return s
	}
	return nil
}

// due fires the steps that wait for a label, for "start" or for "rest".
func (p *plan) due(after string) int {
	n := 0
	for _, s := range p.after[after] {
		if s.left > 0 {
			s.left = 0
			s.matched++
			n++
			p.w.loop.After(0, func() { p.w.fire(s, nil) })
		}
	}
	return n
}

func (p *plan) acted() []target.Acted {
	out := make([]target.Acted, 0, len(p.all))
	for _, s := range p.all {
		p.w.faultHealed(s)
		out = append(out, target.Acted{Step: s.Name, Fault: s.Fault, Matched: s.matched, Count: s.count, What: s.what})
	}
	return out
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func orTime(a, b time.Duration) time.Duration {
	if a > 0 {
		return a
	}
	return b
}
