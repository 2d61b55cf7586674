package reports

import (
	"cmp"
	"fmt"
	"slices"

	"tahanuji/reports/timeline"
	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// findings makes one of all runs in which the same cause broke the same clause. They stand in the clauses' order, required
// ones first.
func (b *basis) findings(runs []Run, settled []settlement) []Finding {
	out := []Finding{}
	best := map[string]shown{}
	for i := range runs {
		if settled[i].flawy {
			continue
		}
		for _, v := range runs[i].Verdicts {
			if settled[i].cell.Outcomes[v.Clause] != check.Broken {
				continue
			}
			cause := causeOf(&runs[i], v)
			id := string(v.Clause) + "~" + cmpOr(cause, NoFault)
			at := slices.IndexFunc(out, func(f Finding) bool { return f.ID == id })
			if at < 0 {
				c := b.clause(v.Clause)
				out = append(out, Finding{ID: id, Clause: v.Clause, Cause: cause, Level: c.Level, Text: c.Text, Source: c.Source})
				at = len(out) - 1
			}
			f := &out[at]
			f.Found += max(1, v.Found)
			f.Cells = append(f.Cells, runs[i].Cell)
			if s := (shown{&runs[i], v}); best[id].run == nil || s.before(best[id]) {
				best[id] = s
				f.Shown, f.Why, f.Seed, f.Repeat, f.Minimal = runs[i].Cell, v.Why, runs[i].Seed, runs[i].Repeat, runs[i].Minimal
			}
		}
	}
	order := map[contract.ID]int{}
	for i, c := range b.clauses {
		order[c.ID] = i
	}
	slices.SortFunc(out, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(weight(x.Level), weight(y.Level)), cmp.Compare(order[x.Clause], order[y.Clause]), cmp.Compare(x.Cause, y.Cause))
	})
	return out
}

// shown is a candidate for the run whose trace stands for a finding.
type shown struct {
	run *Run
	v   check.Verdict
}

// before prefers a run that has a trace, then the shorter trace, the fewer faults, and the first cell.
func (s shown) before(o shown) bool {
	ls, lo := len(s.v.Witness)+len(s.v.Exchanges), len(o.v.Witness)+len(o.v.Exchanges)
	if (ls == 0) != (lo == 0) {
		return ls > 0
	}
	return cmp.Or(cmp.Compare(len(s.run.Faults), len(o.run.Faults)), cmp.Compare(ls, lo), cmp.Compare(s.run.Cell, o.run.Cell)) < 0
}

func weight(l contract.Level) int {
	if l == contract.Required {
		return 0
	}
	return 1
}

func (b *basis) clause(id contract.ID) ClauseLine {
	at := slices.IndexFunc(b.clauses, func(c ClauseLine) bool { return c.ID == id })
	if at < 0 {
		return ClauseLine{ID: id}
	}
	return b.clauses[at]
}

// causeOf is the fault behind the step that a verdict names: plans name steps, people know faults.
func causeOf(run *Run, v check.Verdict) string {
	if v.Cause == "" {
		return ""
	}
	for _, a := range run.Acted {
		if a.Step == v.Cause && a.Fault != "" {
			return a.Fault
		}
	}
	return v.Cause
}

// illustrate reads the evidence of the cells that findings show, and makes their traces and timelines.
func illustrate(r *Report, runs []Run, eventID contract.Pointer) error {
	for _, f := range r.Verdict.Findings {
		at := slices.IndexFunc(runs, func(run Run) bool { return run.Cell == f.Shown })
		run := &runs[at]
		if run.Again != nil {
			r.Measured.Again[f.ID] = *run.Again
		}
		if run.Folder == "" {
			continue
		}
		h, err := ReadHistory(run.Folder)
		if err != nil {
			return fmt.Errorf("reports: trace of %s: %w", f.ID, err)
		}
		v := verdictOn(run, f.Clause)
		t := timeline.Tell(timeline.Story{History: h, Witness: v.Witness, Exchanges: v.Exchanges, EventID: eventID, Why: v.Why})
		for _, a := range run.Acted {
			if a.Fault == f.Cause || f.Cause == "" {
				t.Acted = append(t.Acted, a.What...)
			}
		}
		r.Measured.Traces[f.ID] = t
	}
	return nil
}

func verdictOn(run *Run, id contract.ID) check.Verdict {
	for _, v := range run.Verdicts {
		if v.Clause == id {
			return v
		}
	}
	return check.Verdict{Clause: id, Witness: []history.Seq{}}
}
