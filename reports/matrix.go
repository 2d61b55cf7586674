package reports

import (
	"fmt"
	"slices"
	"strings"

	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// rank orders outcomes from harmless to worst. What was shown to hold in one run outranks what another could not show;
// an outcome that nobody set outranks all but a violation.
func rank(o check.Outcome) int {
	switch o {
	case check.NotApplicable:
		return 0
	case check.Holds:
		return 1
	case check.Waived:
		return 2
	case check.NotRun:
		return 3
	case check.Inconclusive:
		return 4
	case check.Unset:
		return 5
	case check.Broken:
		return 6
	}
	return 5
}

// maxCells bounds the cells that a square names; the list of cells names them all.
const maxCells = 5

// matrix has each clause x each fault that the clause names once, in the order of clauses and columns.
func (b *basis) matrix(runs []Run, settled []settlement) []Square {
	ran := map[string]int{}
	for i := range runs {
		ran[runs[i].Cell] = i
	}
	byFault := map[string][]int{}
	for i := range settled {
		if settled[i].flawy {
			continue
		}
		for _, f := range settled[i].cell.Faults {
			byFault[f] = append(byFault[f], i)
		}
	}
	out := []Square{}
	for _, c := range b.clauses {
		for _, fault := range b.columns() {
			if !slices.Contains(c.Faults, fault) {
				continue
			}
			s := Square{Clause: c.ID, Fault: fault}
			var votes []vote
			for _, i := range byFault[fault] {
				if o, ok := settled[i].cell.Outcomes[c.ID]; ok {
					s.Runs++
					votes = append(votes, vote{o, settled[i].why[c.ID], runs[i].Cell, b.asked(runs[i].Cell, c.ID), settled[i].idle[c.ID]})
				}
			}
			wanted, missing := b.wantedFor(c.ID, fault, ran, settled)
			s.Required = wanted && c.Level == contract.Required
			s.decide(append(votes, missing...))
			out = append(out, s)
		}
	}
	return out
}

// vote is what one cell says of one square.
type vote struct {
	outcome check.Outcome
	why     string
	cell    string
	asked   bool // the cell was made to judge the clause
	idle    bool // the run is whole and did not put the clause to the test
}

// asked is false for a clause that a wanted cell does not name among those it judges: its run may say something of the clause
// by the way, but need not.
func (b *basis) asked(cell string, id contract.ID) bool {
	at, ok := slices.BinarySearchFunc(b.want, cell, func(w Wanted, cell string) int { return strings.Compare(w.Cell, cell) })
	return !ok || len(b.want[at].Clauses) == 0 || slices.Contains(b.want[at].Clauses, id)
}

// wantedFor says whether the profile asks for the square, and votes for the cells that should have judged it and did not.
func (b *basis) wantedFor(id contract.ID, fault string, ran map[string]int, settled []settlement) (wanted bool, votes []vote) {
	for _, w := range b.want {
		if w.Flaw != b.setting.Flaw || !slices.Contains(usedFaults(w.Faults), fault) ||
			len(w.Clauses) > 0 && !slices.Contains(w.Clauses, id) {
			continue
		}
		i, has := ran[w.Cell]
		if has {
			_, has = settled[i].cell.Outcomes[id]
		}
		switch {
		case w.Skip != "" && !has:
			votes = append(votes, vote{check.NotApplicable, w.Skip, w.Cell, true, false})
		case w.Optional:
		case has:
			wanted = true
		default:
			wanted = true
			votes = append(votes, b.absent(id, w.Cell))
		}
	}
	return wanted, votes
}

func (b *basis) absent(id contract.ID, cell string) vote {
	if w := b.waiver(id); w != nil {
		return vote{check.Waived, waiverSentence(w), cell, true, false}
	}
	return vote{check.NotRun, fmt.Sprintf("%s has no verdict on it", cell), cell, true, false}
}

// decide takes the worst of the votes; without any, the square was not asked for and not run. A cell that could not tell, and was
// not asked or did not put the clause to the test, is heard only when no other cell is: a square is tested once one run tested it.
func (s *Square) decide(votes []vote) {
	heard := slices.DeleteFunc(slices.Clone(votes), func(v vote) bool { return v.outcome == check.Inconclusive && (!v.asked || v.idle) })
	if len(heard) > 0 {
		votes = heard
	}
	if len(votes) == 0 {
		s.Outcome, s.Why = check.NotRun, "no cell of the profile asks for it"
		return
	}
	slices.SortStableFunc(votes, func(x, y vote) int { return rank(y.outcome) - rank(x.outcome) })
	s.Outcome = votes[0].outcome
	if s.Outcome != check.Holds {
		s.Why = votes[0].why
	}
	for _, v := range votes {
		if v.outcome == s.Outcome && len(s.Cells) < maxCells && !slices.Contains(s.Cells, v.cell) {
			s.Cells = append(s.Cells, v.cell)
		}
	}
	slices.Sort(s.Cells)
}

// skipped groups what could not be judged, or need not be, by clause and reason.
func skipped(matrix []Square) []Skipped {
	out := []Skipped{}
	for _, s := range matrix {
		if s.Outcome != check.NotApplicable && s.Outcome != check.Waived {
			continue
		}
		at := slices.IndexFunc(out, func(o Skipped) bool { return o.Clause == s.Clause && o.Outcome == s.Outcome && o.Why == s.Why })
		if at < 0 {
			out = append(out, Skipped{Clause: s.Clause, Outcome: s.Outcome, Why: s.Why})
			at = len(out) - 1
		}
		out[at].Faults = append(out[at].Faults, s.Fault)
	}
	return out
}

// sum counts the squares and gives each clause its worst outcome over the squares that were asked for or run.
func (b *basis) sum(j *Judgement) {
	j.Counts = Counts{Squares: len(j.Matrix), Outcomes: map[check.Outcome]int{}, Flaws: len(j.Flaws)}
	for i := range j.Clauses {
		c := &j.Clauses[i]
		c.Outcome, c.Examined = check.NotRun, false
		for _, s := range j.Matrix {
			if s.Clause != c.ID || !s.Required && s.Runs == 0 && s.Outcome == check.NotRun {
				continue
			}
			if !c.Examined || rank(s.Outcome) > rank(c.Outcome) {
				c.Outcome = s.Outcome
			}
			c.Examined = true
		}
		if slices.ContainsFunc(j.Findings, func(f Finding) bool { return f.Clause == c.ID }) {
			c.Outcome, c.Examined = check.Broken, true // also under a fault that the clause does not name
		}
	}
	for _, s := range j.Matrix {
		j.Counts.Outcomes[s.Outcome]++
		if s.Required {
			j.Counts.Required++
		}
	}
	for _, c := range j.Cells {
		if c.Flaw == j.Setting.Flaw {
			j.Counts.Cells++
		}
	}
	for _, f := range j.Flaws {
		if f.Caught {
			j.Counts.FlawsCaught++
		}
	}
}
