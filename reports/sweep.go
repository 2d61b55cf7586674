package reports

import (
	"fmt"
	"slices"

	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// SweepPlan is what a sweep set out to do, as the runner knows it.
type SweepPlan struct {
	Actions []string // columns
	Least   int      // percent that has to be reached
	Moments []SweepMoment
	Unused  []string // sentences: requests that no client makes there
	Pairs   []string // cells with two faults at once
}

// SweepMoment is one square of a sweep: a role's request, under an action.
type SweepMoment struct {
	API    string `json:"api"`
	Role   string `json:"role"`
	When   string `json:"when"` // first, or load
	Action string `json:"action"`
	Cell   string `json:"cell,omitempty"`
	// Impossible says why the protocol does not allow it; there is no cell then.
	Impossible string `json:"impossible,omitempty"`
}

// SweepOutcome is what became of a square of a sweep.
type SweepOutcome string

// Outcomes of squares. Only the first two are moments that were reached.
const (
	SweptHeld       SweepOutcome = "held"          // acted, and nothing broke
	SweptBroke      SweepOutcome = "broke"         // acted, and a clause broke
	SweptCut        SweepOutcome = "cut-short"     // acted, and the run did not come to its end
	SweptHollow     SweepOutcome = "never-reached" // the fault never acted
	SweptNotRun     SweepOutcome = "not-run"
	SweptImpossible SweepOutcome = "impossible"
)

// Sweep is a report's matrix of moments and actions.
type Sweep struct {
	Actions  []string      `json:"actions"`
	Least    int           `json:"least"`
	Possible int           `json:"possible"` // squares that the protocol allows
	Reached  int           `json:"reached"`  // of them, those whose fault acted
	Squares  []SweepSquare `json:"squares"`
	Pairs    []SweepSquare `json:"pairs,omitempty"` // cells with two faults at once; reached when both acted
	Unused   []string      `json:"unused,omitempty"`
}

// SweepSquare is one square and what became of it.
type SweepSquare struct {
	SweepMoment
	Outcome SweepOutcome  `json:"outcome"`
	Broken  []contract.ID `json:"broken,omitempty"`
	Why     string        `json:"why,omitempty"` // of any outcome but held
}

// Percent of the possible squares that were reached; 100 when none is possible.
func (s *Sweep) Percent() float64 {
	if s.Possible == 0 {
		return 100
	}
	return 100 * float64(s.Reached) / float64(s.Possible)
}

// Line is the sweep in one sentence.
func (s *Sweep) Line() string {
	line := fmt.Sprintf("moments reached: %d of %d (%.1f %%)", s.Reached, s.Possible, s.Percent())
	if n := s.Count(SweptBroke); n > 0 {
		line += fmt.Sprintf(", %d of them broke a clause", n)
	}
	if n := len(s.Pairs); n > 0 {
		both := 0
		for _, p := range s.Pairs {
			if p.Outcome == SweptHeld || p.Outcome == SweptBroke {
				both++
			}
		}
		line += fmt.Sprintf("; pairs of faults that both acted: %d of %d", both, n)
	}
	return line
}

// BrokenMoments are the moments at which a clause broke, each in words, at most so many and a last line for the others.
func (s *Sweep) BrokenMoments(most int) []string {
	var out []string
	more := 0
	for _, q := range append(slices.Clone(s.Squares), s.Pairs...) {
		switch {
		case q.Outcome != SweptBroke:
		case len(out) == most:
			more++
		case q.API == "":
			out = append(out, fmt.Sprintf("%s broke %s", q.Cell, shortList(q.Broken)))
		default:
			out = append(out, fmt.Sprintf("%s of %s (%s), %s: broke %s", q.API, q.Role, q.When, q.Action, shortList(q.Broken)))
		}
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("... and %d more, in the report", more))
	}
	return out
}

// Count is how many squares came out so.
func (s *Sweep) Count(o SweepOutcome) int {
	n := 0
	for _, q := range s.Squares {
		if q.Outcome == o {
			n++
		}
	}
	return n
}

// swept makes the matrix of the planned squares and the runs; nil where no sweep was planned.
func (b *basis) swept(runs []Run, settled []settlement) *Sweep {
	if b.sweep == nil {
		return nil
	}
	at := map[string]int{}
	for i := range runs {
		at[runs[i].Cell] = i
	}
	out := &Sweep{Actions: orEmpty(b.sweep.Actions), Least: b.sweep.Least, Squares: []SweepSquare{}, Unused: b.sweep.Unused}
	for _, m := range b.sweep.Moments {
		q := SweepSquare{SweepMoment: m, Outcome: SweptImpossible, Why: m.Impossible}
		if m.Impossible == "" {
			out.Possible++
			i, ran := at[m.Cell]
			q.become(runs, settled, i, ran, 1)
			if q.Outcome == SweptHeld || q.Outcome == SweptBroke || q.Outcome == SweptCut {
				out.Reached++
			}
		}
		out.Squares = append(out.Squares, q)
	}
	for _, cell := range b.sweep.Pairs {
		q := SweepSquare{SweepMoment: SweepMoment{Cell: cell}}
		i, ran := at[cell]
		q.become(runs, settled, i, ran, 2)
		out.Pairs = append(out.Pairs, q)
	}
	return out
}

// become says what became of a square in its run, of which so many steps have to have acted.
func (q *SweepSquare) become(runs []Run, settled []settlement, i int, ran bool, steps int) {
	if !ran {
		q.Outcome, q.Why = SweptNotRun, "the cell has no run"
		return
	}
	run, cell := &runs[i], &settled[i].cell
	for _, c := range sortedClauses(cell.Outcomes) {
		if cell.Outcomes[c] == check.Broken {
			q.Broken = append(q.Broken, c)
		}
	}
	acted := 0
	for _, fault := range usedFaults(run.Faults) {
		for _, a := range run.Acted {
			if a.Fault == fault && a.Count > 0 {
				acted++
			}
		}
	}
	switch {
	case acted < steps:
		q.Outcome, q.Why = SweptHollow, "its moment never came, or the fault did nothing there"
	case len(q.Broken) > 0:
		q.Outcome, q.Why = SweptBroke, fmt.Sprintf("%s: %s", q.Broken[0], settled[i].why[q.Broken[0]])
	case !run.Complete:
		q.Outcome, q.Why = SweptCut, cmpOr(run.Err, "no reason was saved")
	default:
		q.Outcome = SweptHeld
	}
}

func sortedClauses(of map[contract.ID]check.Outcome) []contract.ID {
	var out []contract.ID
	for c := range of {
		out = append(out, c)
	}
	slices.Sort(out)
	return out
}

// short says why a sweep that reached too little keeps a report from being complete, "" when it did enough.
func (s *Sweep) short() string {
	if s == nil || s.Percent() >= float64(s.Least) {
		return ""
	}
	return fmt.Sprintf("%s, and the profile wants %d %%", s.Line(), s.Least)
}

// plan is what the matrix was made of, so that a report can be built again.
func (s *Sweep) plan() *SweepPlan {
	if s == nil {
		return nil
	}
	p := &SweepPlan{Actions: s.Actions, Least: s.Least, Unused: s.Unused}
	for _, q := range s.Squares {
		p.Moments = append(p.Moments, q.SweepMoment)
	}
	for _, q := range s.Pairs {
		p.Pairs = append(p.Pairs, q.Cell)
	}
	return p
}

// join adds another shard's squares. What is impossible stands in both.
func (p *SweepPlan) join(other *SweepPlan) *SweepPlan {
	if p == nil || other == nil {
		return p
	}
	for _, m := range other.Moments {
		if !slices.Contains(p.Moments, m) {
			p.Moments = append(p.Moments, m)
		}
	}
	for _, u := range other.Unused {
		if !slices.Contains(p.Unused, u) {
			p.Unused = append(p.Unused, u)
		}
	}
	p.Pairs = append(p.Pairs, other.Pairs...)
	return p
}
