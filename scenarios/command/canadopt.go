package command

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"

	"tahanuji/reports"
	"tahanuji/scenarios/adopt"
	"tahanuji/scenarios/progress"
	"tahanuji/scenarios/session"
	"tahanuji/system/check"
	"tahanuji/system/contract"
)

func canAdoptCommand() Command {
	return Command{
		Name: "can-adopt", Args: "ADR [flags]", Doc: "would a proposed decision break what holds today? baseline and proposal, same seeds",
		Run: func(ctx context.Context, w World, args []string) (int, error) {
			var o *session.Options
			set, err := flags(w, "can-adopt", "ADR [flags]", func(set *flag.FlagSet) { o = session.Register(set, w.Lookup) }, args)
			if err != nil {
				return 0, err
			}
			if err := want(set, 1, 1, "the id or the file of one proposed decision, such as ADR-0003"); err != nil {
				return 0, err
			}
			var show *progress.Progress
			at := w.edge()
			at.Command = "go run . can-adopt " + set.Arg(0)
			a, err := adopt.Ask(ctx, *o, at, set.Arg(0), func(size int) session.Watch {
				show = progress.New(w.Err, w.Terminal, size)
				return show
			})
			if show != nil {
				show.Close()
			}
			if err != nil {
				return 0, err
			}
			return tellAnswer(w, a), nil
		},
	}
}

// tellAnswer prints what decided, and the answer in a sentence.
func tellAnswer(w World, a *adopt.Answer) int {
	for _, f := range a.Faults {
		fmt.Fprintf(w.Out, "  %s [%s]\n", f, f.Rule)
	}
	for i, r := range a.Part.Rows {
		if i == 12 {
			fmt.Fprintf(w.Out, "  ... and %d more, in the report\n", len(a.Part.Rows)-i)
			break
		}
		fmt.Fprintf(w.Out, "  %-18s %s in %s\n", r.Change, r.Clause, r.Cell)
		if r.Why != "" {
			fmt.Fprintf(w.Out, "                     %s\n", r.Why)
		}
	}
	if a.Part.Decision == adopt.Incomplete {
		tellOpen(w, a)
	}
	for _, e := range a.Part.Expects {
		switch {
		case e.Met:
		case e.Got == check.NotRun && e.Phase != adopt.Baseline && e.Phase != adopt.Proposal:
			fmt.Fprintf(w.Out, "  not tested         %s %s in the %s: no %s is run yet\n", e.Clause, e.Want, e.Phase, e.Phase)
		default:
			fmt.Fprintf(w.Out, "  expected           %s %s in the %s; it is %s\n", e.Clause, e.Want, e.Phase, e.Got)
		}
	}
	fmt.Fprintf(w.Out, "%s (%s): %s: %s.\n", a.Part.ADR, a.Part.Title, a.Part.Decision, a.Part.Why)
	if a.Proposed != nil {
		fmt.Fprintf(w.Out, "Report: %s\n", filepath.Join(a.Out, adopt.Proposal, "report.html"))
	}
	switch a.Part.Decision {
	case adopt.Adopt:
		return Conforms
	case adopt.Reject:
		return Violated
	}
	return Incomplete
}

// tellOpen prints what kept either phase from being whole.
func tellOpen(w World, a *adopt.Answer) {
	for _, phase := range []struct {
		name   string
		report *reports.Report
	}{{adopt.Baseline, a.Baseline}, {adopt.Proposal, a.Proposed}} {
		for i, o := range phase.report.Verdict.Open {
			if i == 3 {
				fmt.Fprintf(w.Out, "  ... and %d more in the %s, in its report\n", len(phase.report.Verdict.Open)-i, phase.name)
				break
			}
			fmt.Fprintf(w.Out, "  %-18s %s in the %s: %s: %s\n", o.Kind, clauseNames(o.Clauses), phase.name, o.Cell, o.Why)
		}
	}
}

// clauseNames are the first clauses of a list, and how many more there are.
func clauseNames(ids []contract.ID) string {
	const few = 3
	var names []string
	for _, id := range ids[:min(few, len(ids))] {
		names = append(names, string(id))
	}
	out := strings.Join(names, ", ")
	if more := len(ids) - few; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}
