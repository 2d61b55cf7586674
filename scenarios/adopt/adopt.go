// Package adopt asks what a proposed decision would change before it is adopted: the same cells with the same seeds, once
// against the document as it is and once against the document as it would be. It decides nothing about the document.
package adopt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tahanuji/reports"
	"tahanuji/reports/format"
	"tahanuji/scenarios/session"
	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// Phases of a proposal.
const (
	Baseline = "baseline"
	Proposal = "proposal"
)

// Decisions.
const (
	Adopt      = "adopt"
	Reject     = "reject"
	Incomplete = "incomplete"
)

// Answer is what the runs say of a proposal.
type Answer struct {
	Part     reports.ProposalPart
	Faults   contract.Faults // what the document would break of the lint rules
	Baseline *reports.Report // nil when the lint faults decided already
	Proposed *reports.Report
	Untested []string // expectations about a phase that is not run
	Out      string   // folder of both reports
}

// Ask runs both phases of a proposal and compares them. The options choose profile, broker, seed and scenarios. A proposal that
// contradicts the document's other parts is rejected by that alone, with the lines; nothing is run then.
func Ask(ctx context.Context, o session.Options, at session.Edge, adr string, watch func(size int) session.Watch) (*Answer, error) {
	out := o.Out
	if out == "" {
		out = filepath.Join(at.Root, "out", at.Now.UTC().Format("20060102-150405.000")+"-can-adopt")
	}
	if o.Flaw != "" {
		return nil, session.Refusal{Text: "-flaw: a proposal is held against the system as it is. Leave out -flaw"}
	}
	o.Out = filepath.Join(out, Baseline)
	before, err := session.Open(o, at)
	if err != nil {
		return nil, err
	}
	id, err := decision(before.Doc, adr)
	if err != nil {
		return nil, err
	}
	at, proposal, err := at.Propose(before.Doc, id)
	if err != nil {
		return nil, err
	}
	if v := proposal.ADR.Variant; v != "" && o.Sut != "" {
		return nil, session.Refusal{Text: fmt.Sprintf("-sut: %s is played by the reference's variant %s, which services can't play. Leave out -sut, or take `variant` out of %s and give services that play it", id, v, proposal.ADR.File)}
	}
	a := &Answer{Out: out, Part: reports.ProposalPart{ADR: proposal.ADR.ID, Title: proposal.ADR.Title, Change: changes(proposal.ADR)}}
	for _, f := range proposal.Faults {
		if f.Severity == contract.Error {
			a.Faults = append(a.Faults, f)
		}
	}
	if len(a.Faults) > 0 {
		a.Part.Decision = Reject
		a.Part.Why = "the document would contradict itself: " + a.Faults[0].Text
		return a, nil
	}
	o.Out = filepath.Join(out, Proposal)
	after, err := session.Open(o, at)
	if err != nil {
		return nil, err
	}
	before.Flaws, after.Flaws = nil, nil // that the checks bite is the suite's to show
	if err := errors.Join(before.Make(), after.Make()); err != nil {
		return nil, err
	}
	return a, a.run(ctx, before, after, proposal.ADR, watch(before.Size()+after.Size()))
}

func (a *Answer) run(ctx context.Context, before, after *session.Session, adr *contract.ADR, watch session.Watch) error {
	var errs []error
	for _, s := range []*session.Session{before, after} {
		errs = append(errs, s.RunAll(ctx, watch))
	}
	var err error
	if a.Baseline, err = before.Finish(time.Now()); err != nil {
		return err
	}
	if a.Proposed, err = after.Finish(time.Now()); err != nil {
		return err
	}
	a.decide(adr)
	a.Proposed.Verdict.Proposal = &a.Part
	if err := a.Proposed.Seal(); err != nil {
		return err
	}
	errs = append(errs, format.Write(after.Out, a.Proposed, format.All()))
	return errors.Join(errs...)
}

// decision finds the ADR that the user named by its id or its file.
func decision(doc *contract.Document, named string) (string, error) {
	var ids []string
	for _, d := range doc.ADRs {
		if d.ID == named || filepath.Base(d.File) == filepath.Base(named) {
			return d.ID, nil
		}
		ids = append(ids, d.ID)
	}
	if near := contract.Nearest(named, ids); near != "" {
		return "", session.Refusal{Text: fmt.Sprintf("%s has no decision %q. Did you mean %s?", doc.File, named, near)}
	}
	return "", session.Refusal{Text: fmt.Sprintf("%s has no decision %q. It has %s; give its id or its file, and -arch for another document", doc.File, named, strings.Join(ids, ", "))}
}

func changes(adr *contract.ADR) []string {
	var out []string
	if len(adr.Change) > 0 {
		out = append(out, string(adr.Change))
	}
	if adr.Variant != "" {
		out = append(out, "played by the reference's variant "+adr.Variant)
	}
	return out
}

// decide compares the two reports: a clause that held and breaks, or an expectation that is not met, rejects; a required square
// that is newly in doubt leaves the answer incomplete.
func (a *Answer) decide(adr *contract.ADR) {
	d := reports.Diff(a.Baseline, a.Proposed)
	a.Part.Kept = d.Of(reports.Kept)
	var broke []contract.ID
	for _, row := range d.Changed() {
		if row.Change == reports.Broke || row.Change == reports.NewlyInconclusive {
			a.Part.Rows = append(a.Part.Rows, row)
		}
		if row.Change == reports.Broke && !slices.Contains(broke, row.Clause) {
			broke = append(broke, row.Clause)
		}
	}
	unmet := a.expectations(adr)
	switch {
	case len(broke) > 0:
		a.Part.Decision = Reject
		a.Part.Why = fmt.Sprintf("it breaks %s, which the system keeps today", join(broke))
	case unmet != "":
		a.Part.Decision, a.Part.Why = Reject, unmet
	case a.Baseline.Verdict.Outcome == reports.Violated:
		a.Part.Decision = Incomplete
		a.Part.Why = "the system breaks its document already today; nothing can be said about a change"
	case a.Proposed.Verdict.Outcome != reports.Conforms:
		a.Part.Decision = Incomplete
		a.Part.Why = "not every required clause was put to the test with the proposal"
	case len(a.Untested) > 0:
		a.Part.Decision = Incomplete
		a.Part.Why = a.Untested[0]
	default:
		a.Part.Decision = Adopt
		a.Part.Why = fmt.Sprintf("all %d verdicts that the system has today are kept", a.Part.Kept)
	}
}

// expectations compares what the author expects with what came; the sentence names the first that was not met.
func (a *Answer) expectations(adr *contract.ADR) (unmet string) {
	for _, e := range adr.Expects {
		report := a.Proposed
		switch e.Phase {
		case Baseline:
			report = a.Baseline
		case Proposal:
		default:
			a.Part.Expects = append(a.Part.Expects, reports.Expected{Clause: e.Clause, Phase: e.Phase, Want: check.Outcome(e.Verdict), Got: check.NotRun})
			a.Untested = append(a.Untested, fmt.Sprintf(
				"its author expects that %s %s in the %s, and no %s is run yet: the document is tried before the change and after it, not across it",
				e.Clause, e.Verdict, e.Phase, e.Phase))
			continue
		}
		got := outcomeOf(report, e.Clause)
		want := check.Outcome(e.Verdict)
		a.Part.Expects = append(a.Part.Expects, reports.Expected{Clause: e.Clause, Phase: e.Phase, Want: want, Got: got, Met: got == want})
		if got != want && unmet == "" {
			unmet = fmt.Sprintf("its author expects that %s %s in the %s, and it is %s", e.Clause, want, e.Phase, cmp.Or(got, check.NotRun))
		}
	}
	return unmet
}

// outcomeOf is the worst outcome of a clause over a report.
func outcomeOf(r *reports.Report, id contract.ID) check.Outcome {
	for _, c := range r.Verdict.Clauses {
		if c.ID == id {
			return c.Outcome
		}
	}
	return check.NotApplicable
}

func join(ids []contract.ID) string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = string(id)
	}
	return strings.Join(out, ", ")
}
