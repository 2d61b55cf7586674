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

// findings makes one of all runs in which the same cause broke the same clause. A clause that breaks in a run without any
// fault needs none: then all its runs are one finding. They stand in the clauses' order, required ones first.
func (b *basis) findings(runs []Run, settled []settlement) []Finding {
	calm := map[contract.ID]bool{}
	b.eachBroken(runs, settled, func(run *Run, v check.Verdict) {
		if usedFaults(run.Faults)[0] == NoFault {
			calm[v.Clause] = true
		}
	})
	out := []Finding{}
	best := map[string]shown{}
	b.eachBroken(runs, settled, func(run *Run, v check.Verdict) {
		cause := ""
		if !calm[v.Clause] {
			cause = causeOf(run, v)
		}
		id := string(v.Clause) + "~" + cmpOr(cause, NoFault)
		at := slices.IndexFunc(out, func(f Finding) bool { return f.ID == id })
		if at < 0 {
			c := b.clause(v.Clause)
			out = append(out, Finding{ID: id, Clause: v.Clause, Cause: cause, Calm: calm[v.Clause], Level: c.Level, Text: c.Text, Source: c.Source})
			at = len(out) - 1
		}
		f := &out[at]
		f.Found += max(1, v.Found)
		f.Cells = append(f.Cells, run.Cell)
		if s := (shown{run, v}); best[id].run == nil || s.before(best[id]) {
			best[id] = s
			f.Shown, f.Why, f.Seed, f.Repeat, f.Minimal = run.Cell, v.Why, run.Seed, run.Repeat, run.Minimal
		}
	})
	order := map[contract.ID]int{}
	for i, c := range b.clauses {
		order[c.ID] = i
	}
	slices.SortFunc(out, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(weight(x.Level), weight(y.Level)), cmp.Compare(order[x.Clause], order[y.Clause]), cmp.Compare(x.Cause, y.Cause))
	})
	return out
}

// eachBroken visits what counts as broken in runs of the system under test.
func (b *basis) eachBroken(runs []Run, settled []settlement, visit func(*Run, check.Verdict)) {
	for i := range runs {
		if settled[i].flawy {
			continue
		}
		for _, v := range runs[i].Verdicts {
			if settled[i].cell.Outcomes[v.Clause] == check.Broken {
				visit(&runs[i], v)
			}
		}
	}
}

// shown is a candidate for the run whose trace stands for a finding.
type shown struct {
	run *Run
	v   check.Verdict
}

// before prefers a run that has a trace, then the fewer faults, the shorter trace, and the first cell. So what breaks without
// any fault is shown without any.
func (s shown) before(o shown) bool {
	ls, lo := len(s.v.Witness)+len(s.v.Exchanges), len(o.v.Witness)+len(o.v.Exchanges)
	if (ls == 0) != (lo == 0) {
		return ls > 0
	}
	return cmp.Or(cmp.Compare(faultsOf(s.run), faultsOf(o.run)), cmp.Compare(ls, lo), cmp.Compare(s.run.Cell, o.run.Cell)) < 0
}

func faultsOf(run *Run) int {
	if used := usedFaults(run.Faults); used[0] != NoFault {
		return len(used)
	}
	return 0
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

// maxPictures bounds the findings that get a timeline; the others have their trace as a table. A picture takes some 200 KB.
const maxPictures = 24

// illustrate reads the evidence of the cells that findings show, and makes their traces and timelines.
func illustrate(r *Report, runs []Run, eventID contract.Pointer) error {
	for n, f := range r.Verdict.Findings {
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
		if n >= maxPictures {
			t.Picture = timeline.Picture{Lanes: []timeline.Lane{}, Bands: []timeline.Band{}, Phases: []timeline.Band{}, Arrows: []timeline.Arrow{}}
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
