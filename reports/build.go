package reports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// NoFault is the column of the matrix for runs whose plan uses no fault.
const NoFault = "none"

// Build makes a report of a session's runs, in any order. The denominator comes from the document's clauses: each clause
// under each fault that it names is one square, once. The violations' traces are read from the runs' folders; a run that
// is not on disk has none. An error means input that no report can be made of: two runs of one cell, a run of another
// document, a verdict on a clause that the document does not have, a waiver that matches no clause or has expired.
func Build(runs []Run, doc *contract.Document, clauses []contract.Clause, want []Wanted, env Environment) (*Report, error) {
	b := basis{
		doc: DocumentRef{ID: doc.ID, Digest: doc.Digest}, setting: env.Setting, order: env.Faults,
		want: slices.Clone(want), eventID: doc.Envelope.ID, sweep: env.Sweep,
	}
	for _, c := range clauses {
		b.clauses = append(b.clauses, ClauseLine{ID: c.ID, Level: c.Level, Text: c.Text, Source: c.Source, Faults: orEmpty(slices.Clone(c.Faults))})
	}
	for _, w := range doc.Waivers {
		if !env.Begun.IsZero() && env.Begun.After(w.Expires.AddDate(0, 0, 1)) {
			return nil, fmt.Errorf("reports: build: the waiver of %s expired on %s", w.Clause, w.Expires.Format(time.DateOnly))
		}
		b.waivers = append(b.waivers, WaiverLine{Clause: w.Clause, Owner: w.Owner, Reason: w.Reason, Expires: w.Expires.Format(time.DateOnly)})
	}
	return b.build(runs, env)
}

// basis is what a report follows from, beside its runs. A written report holds it whole, so verify can build it again.
type basis struct {
	doc     DocumentRef
	setting Setting
	clauses []ClauseLine
	waivers []WaiverLine
	want    []Wanted
	order   []string // of the faults
	eventID contract.Pointer
	sweep   *SweepPlan // nil: there was none
}

func (b *basis) build(runs []Run, env Environment) (*Report, error) {
	runs = slices.Clone(runs)
	sortRuns(runs)
	if err := b.accept(runs); err != nil {
		return nil, err
	}
	r := &Report{Format: Format, Verdict: b.judge(runs), Evidence: map[string]Evidence{}}
	for i := range runs {
		e, err := sealRun(&runs[i])
		if err != nil {
			return nil, err
		}
		r.Evidence[runs[i].Cell] = e
	}
	r.Measured = measure(env, b.eventID, runs, r.Verdict.Cells)
	if err := illustrate(r, runs, b.eventID); err != nil {
		return nil, err
	}
	return r, r.Seal()
}

func (b *basis) judge(runs []Run) Judgement {
	slices.SortFunc(b.want, func(x, y Wanted) int { return strings.Compare(x.Cell, y.Cell) })
	j := Judgement{
		Document: b.doc, Setting: b.setting, Waivers: orEmpty(b.waivers), Wanted: orEmpty(b.want),
		Clauses: slices.Clone(b.clauses), Cells: []Cell{},
	}
	settled := make([]settlement, len(runs))
	for i := range runs {
		settled[i] = b.settle(&runs[i])
		j.Cells = append(j.Cells, settled[i].cell)
	}
	j.Faults = b.columns()
	j.Matrix = b.matrix(runs, settled)
	j.Findings = b.findings(runs, settled)
	j.Flaws = b.flaws(runs, settled)
	j.Skipped = skipped(j.Matrix)
	j.Sweep = b.swept(runs, settled)
	j.Open = b.open(&j, runs, settled)
	b.sum(&j)
	j.Outcome = conformance(&j)
	j.Sentence = sentence(&j)
	return j
}

// accept refuses what no report can be made of.
func (b *basis) accept(runs []Run) error {
	known := map[contract.ID]bool{}
	for _, c := range b.clauses {
		if known[c.ID] {
			return fmt.Errorf("reports: build: clause %s stands twice in the list", c.ID)
		}
		known[c.ID] = true
	}
	for _, w := range b.waivers {
		if !known[w.Clause] {
			return fmt.Errorf("reports: build: the waiver of %s matches no clause of the document", w.Clause)
		}
	}
	wanted := map[string]bool{}
	for _, w := range b.want {
		if wanted[w.Cell] {
			return fmt.Errorf("reports: build: cell %s is wanted twice", w.Cell)
		}
		wanted[w.Cell] = true
	}
	for i, r := range runs {
		if i > 0 && runs[i-1].Cell == r.Cell {
			return fmt.Errorf("reports: build: two runs of cell %s", r.Cell)
		}
		if r.Document != b.doc.Digest {
			return fmt.Errorf("reports: build: cell %s was run against the document %.12s, not %.12s", r.Cell, r.Document, b.doc.Digest)
		}
		if err := checkRun(&r, ""); err != nil {
			return err
		}
		for _, v := range r.Verdicts {
			if !known[v.Clause] {
				return fmt.Errorf("reports: build: cell %s judges %s, which is no clause of the document", r.Cell, v.Clause)
			}
		}
	}
	return nil
}

// settlement is a run's verdicts as the report counts them.
type settlement struct {
	cell  Cell
	why   map[contract.ID]string // of the outcome that counts
	idle  map[contract.ID]bool   // the clause was not put to the test here, and nothing else is wrong: another run may speak
	flawy bool                   // a proof that the checks bite, not the system under test
}

// settle applies the rules that hold for every report, whatever the checkers said: nothing examined, cut short, or a fault
// without proof that it acted is inconclusive and never green; a waived clause is not held against the system.
func (b *basis) settle(run *Run) settlement {
	s := settlement{why: map[contract.ID]string{}, idle: map[contract.ID]bool{}, flawy: run.Flaw != b.setting.Flaw}
	s.cell = Cell{
		ID: run.Cell, Scenario: run.Scenario, Doc: run.Doc, Faults: usedFaults(run.Faults), Flaw: run.Flaw, Seed: run.Seed,
		Repeat: run.Repeat, Outcomes: map[contract.ID]check.Outcome{}, Outcome: check.NotRun,
	}
	doubt := doubts(run)
	hollow := run.Complete && doubt != ""
	for _, v := range run.Verdicts {
		outcome, why := v.Outcome, v.Why
		switch {
		case outcome == check.Holds && doubt != "":
			outcome, why = check.Inconclusive, doubt
		case outcome == check.Holds && v.Examined == 0:
			outcome, why = check.Inconclusive, "nothing was examined"
		case outcome == check.Unset:
			outcome, why = check.Inconclusive, "the checker set no verdict"
		}
		if w := b.waiver(v.Clause); w != nil && !s.flawy && outcome != check.Holds && outcome != check.NotApplicable {
			outcome, why = check.Waived, waiverSentence(w)
		}
		s.cell.Outcomes[v.Clause], s.why[v.Clause] = outcome, why
		s.idle[v.Clause] = outcome == check.Inconclusive && run.Complete && (v.Idle || hollow)
		if len(s.cell.Outcomes) == 1 || rank(outcome) > rank(s.cell.Outcome) {
			s.cell.Outcome, s.cell.Why = outcome, why
		}
	}
	if s.cell.Outcome == check.Holds {
		s.cell.Why = ""
	}
	if len(run.Verdicts) == 0 {
		s.cell.Why = cmpOr(run.Err, "it was not judged")
	}
	return s
}

// doubts says why no verdict of the run can be green, "" when it can.
func doubts(run *Run) string {
	if !run.Complete {
		return "the run was cut short: " + cmpOr(run.Err, "no reason was saved")
	}
	for _, fault := range usedFaults(run.Faults) {
		if fault != NoFault && actedCount(run, fault) == 0 {
			return fmt.Sprintf("the fault %s never acted", fault)
		}
	}
	return ""
}

func usedFaults(faults []string) []string {
	if len(faults) == 0 {
		return []string{NoFault}
	}
	out := slices.Clone(faults)
	slices.Sort(out)
	return slices.Compact(out)
}

func actedCount(run *Run, fault string) int {
	n := 0
	for _, a := range run.Acted {
		if a.Fault == fault {
			n += a.Count
		}
	}
	return n
}

func (b *basis) waiver(id contract.ID) *WaiverLine {
	for i := range b.waivers {
		if b.waivers[i].Clause == id {
			return &b.waivers[i]
		}
	}
	return nil
}

func waiverSentence(w *WaiverLine) string {
	return fmt.Sprintf("waived by %s until %s: %s", w.Owner, w.Expires, w.Reason)
}

// columns are the faults that the document's clauses name, "none" first, then in the order that the session gave.
func (b *basis) columns() []string {
	named := map[string]bool{}
	for _, c := range b.clauses {
		for _, f := range c.Faults {
			named[f] = true
		}
	}
	out := []string{}
	for _, f := range append([]string{NoFault}, b.order...) {
		if named[f] {
			out = append(out, f)
			delete(named, f)
		}
	}
	return append(out, slices.Sorted(maps.Keys(named))...)
}

func cmpOr(s, or string) string {
	if s == "" {
		return or
	}
	return s
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
