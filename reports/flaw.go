package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// flaws is the proof that the checks bite: for each flaw that was run or wanted, what its runs broke.
func (b *basis) flaws(runs []Run, settled []settlement) []FlawLine {
	lines := map[string]*FlawLine{}
	line := func(flaw string) *FlawLine {
		if lines[flaw] == nil {
			lines[flaw] = &FlawLine{Flaw: flaw, Outcomes: map[contract.ID]check.Outcome{}, Expected: []contract.ID{}, Cells: []string{}}
		}
		return lines[flaw]
	}
	for _, w := range b.want {
		if w.Flaw != "" && w.Flaw != b.setting.Flaw && !w.Optional && w.Skip == "" {
			l := line(w.Flaw)
			l.Expected = append(l.Expected, w.Expected...)
		}
	}
	for i := range runs {
		if !settled[i].flawy || runs[i].Flaw == "" {
			continue
		}
		l := line(runs[i].Flaw)
		l.Expected = append(l.Expected, runs[i].Expected...)
		l.Cells = append(l.Cells, runs[i].Cell)
		for id, o := range settled[i].cell.Outcomes {
			if was, ok := l.Outcomes[id]; !ok || rank(o) > rank(was) {
				l.Outcomes[id] = o
			}
		}
	}
	out := []FlawLine{}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		l := lines[name]
		slices.Sort(l.Expected)
		l.Expected = slices.Compact(l.Expected)
		l.conclude(runs, settled)
		out = append(out, *l)
	}
	return out
}

// conclude decides whether the flaw was caught: by a clause that it must break, or by any if none is named.
func (l *FlawLine) conclude(runs []Run, settled []settlement) {
	broke := l.broken()
	for _, id := range broke {
		if len(l.Expected) == 0 || slices.Contains(l.Expected, id) {
			l.Caught = true
			l.Why, l.Repeat = whereBroken(l.Flaw, id, runs, settled)
			return
		}
	}
	switch {
	case len(l.Cells) == 0:
		l.Why = "it was wanted and has no run"
	case len(broke) > 0:
		l.Why = fmt.Sprintf("it broke %s, but not %s", join(broke), join(l.Expected))
	default:
		l.Why = fmt.Sprintf("nothing broke in %s", counted(len(l.Cells), "run"))
	}
	for i := range runs {
		if runs[i].Flaw == l.Flaw {
			l.Repeat = runs[i].Repeat
			return
		}
	}
}

func (l *FlawLine) broken() []contract.ID {
	var out []contract.ID
	for _, id := range slices.Sorted(maps.Keys(l.Outcomes)) {
		if l.Outcomes[id] == check.Broken {
			out = append(out, id)
		}
	}
	return out
}

func whereBroken(flaw string, id contract.ID, runs []Run, settled []settlement) (why, repeat string) {
	for i := range runs {
		if runs[i].Flaw == flaw && settled[i].cell.Outcomes[id] == check.Broken {
			return settled[i].why[id], runs[i].Repeat
		}
	}
	return "", ""
}

// open lists what keeps a report incomplete: each cell that is missing once, each required square that nobody could decide.
func (b *basis) open(j *Judgement, runs []Run, settled []settlement) []Open {
	out := []Open{}
	if b.setting.Interrupted != "" {
		out = append(out, Open{Kind: OpenInterrupted, Why: b.setting.Interrupted})
	}
	if !slices.ContainsFunc(j.Matrix, func(s Square) bool { return s.Outcome == check.Holds || s.Outcome == check.Broken }) {
		out = append(out, Open{Kind: OpenNothing, Why: "no clause was judged under any fault"})
	}
	out = append(out, b.missing(runs, settled)...)
	out = append(out, undecided(j.Matrix)...)
	for _, f := range j.Flaws {
		switch {
		case f.Caught:
		case len(f.Cells) == 0:
			out = append(out, Open{Kind: OpenFlawNotRun, Flaw: f.Flaw, Why: fmt.Sprintf("flaw %s was not tried", f.Flaw)})
		default:
			out = append(out, Open{Kind: OpenFlaw, Flaw: f.Flaw, Cell: first(f.Cells), Why: fmt.Sprintf("flaw %s went unnoticed: %s", f.Flaw, f.Why)})
		}
	}
	if why := j.Sweep.short(); why != "" {
		out = append(out, Open{Kind: OpenSweep, Why: why})
	}
	return out
}

// undecided are the required squares that nobody could decide, by reason.
func undecided(matrix []Square) []Open {
	var out []Open
	for _, s := range matrix {
		if !s.Required || s.Outcome != check.Inconclusive && s.Outcome != check.Unset {
			continue
		}
		cell := first(s.Cells)
		sameClause := slices.IndexFunc(out, func(o Open) bool { return o.Why == s.Why && len(o.Clauses) == 1 && o.Clauses[0] == s.Clause })
		sameRun := slices.IndexFunc(out, func(o Open) bool {
			return o.Why == s.Why && o.Cell == cell && len(o.Faults) == 1 && o.Faults[0] == s.Fault
		})
		switch {
		case sameRun >= 0:
			out[sameRun].Clauses = append(out[sameRun].Clauses, s.Clause)
		case sameClause >= 0:
			out[sameClause].Faults = append(out[sameClause].Faults, s.Fault)
		default:
			out = append(out, Open{Kind: OpenInconclusive, Clauses: []contract.ID{s.Clause}, Faults: []string{s.Fault}, Cell: cell, Why: s.Why})
		}
	}
	return out
}

// missing names wanted cells without a run, and clauses that a wanted cell's run did not judge.
func (b *basis) missing(runs []Run, settled []settlement) []Open {
	ran := map[string]int{}
	for i := range runs {
		ran[runs[i].Cell] = i
	}
	var out []Open
	for _, w := range b.want {
		i, has := ran[w.Cell]
		if w.Skip != "" || w.Optional || w.Flaw != b.setting.Flaw {
			continue
		}
		if !has {
			out = append(out, Open{Kind: OpenNotRun, Cell: w.Cell, Faults: w.Faults, Why: "the profile asks for this cell and it has no run"})
			continue
		}
		for _, c := range b.clauses {
			_, judged := settled[i].cell.Outcomes[c.ID]
			asked := len(w.Clauses) == 0 && touches(c, w.Faults) || slices.Contains(w.Clauses, c.ID)
			if asked && !judged && c.Level == contract.Required && b.waiver(c.ID) == nil {
				why := "the cell's run has no verdict on it"
				if runs[i].Err != "" {
					why += ": " + runs[i].Err
				}
				out = append(out, Open{Kind: OpenNotRun, Cell: w.Cell, Clauses: []contract.ID{c.ID}, Why: why})
			}
		}
	}
	return out
}

func touches(c ClauseLine, faults []string) bool {
	return slices.ContainsFunc(usedFaults(faults), func(f string) bool { return slices.Contains(c.Faults, f) })
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

func join(ids []contract.ID) string {
	var parts []string
	for _, id := range ids {
		parts = append(parts, string(id))
	}
	return strings.Join(parts, ", ")
}
