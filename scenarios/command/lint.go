package command

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"tahanuji/scenarios/session"
	"tahanuji/system/contract"
)

func lintCommand() Command {
	return Command{
		Name: "lint", Args: "DOC...", Doc: "hold documents against the lint rules; no broker",
		Run: func(_ context.Context, w World, args []string) (int, error) {
			rules := false
			set, err := flags(w, "lint", "DOC...", func(set *flag.FlagSet) {
				set.BoolVar(&rules, "rules", false, "list the rules instead")
			}, args)
			if err != nil {
				return 0, err
			}
			if rules {
				for _, r := range contract.AllRules() {
					fmt.Fprintf(w.Out, "%-26s %-8s %s\n", r.ID, r.Severity, r.Text+"; "+r.Do)
				}
				return Conforms, nil
			}
			if set.NArg() == 0 {
				return 0, session.Refusal{Text: "no document given, such as system/sensor/architecture.yaml"}
			}
			exit := Conforms
			for _, path := range set.Args() {
				if !lintOne(w, path) {
					exit = Refused
				}
			}
			return exit, nil
		},
	}
}

// lintOne prints what is wrong with one document and says whether it may be used.
func lintOne(w World, path string) bool {
	doc, err := contract.Load(path)
	var faults contract.Faults
	switch {
	case errors.As(err, &faults):
	case err != nil:
		fmt.Fprintf(w.Err, "tahanuji lint: %v. Name an architecture document\n", err)
		return false
	default:
		faults = contract.Lint(doc, w.Now)
	}
	ok := true
	for _, f := range faults {
		fmt.Fprintf(w.Out, "%s [%s %s]\n", f, f.Severity, f.Rule)
		ok = ok && f.Severity != contract.Error
	}
	if doc != nil && len(faults) == 0 {
		fmt.Fprintf(w.Out, "%s: sound; %d topics, %d flows, %d decisions, %d clauses\n",
			path, len(doc.Topics), len(doc.Flows), len(doc.ADRs), len(contract.Clauses(doc)))
	}
	return ok
}
