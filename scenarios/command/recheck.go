package command

import (
	"context"
	"flag"
	"fmt"

	"tahanuji/scenarios/session"
	"tahanuji/system/check"
)

func recheckCommand() Command {
	return Command{
		Name: "recheck", Args: "RUN", Doc: "judge an old history with today's checkers; changes nothing",
		Run: func(_ context.Context, w World, args []string) (exit int, err error) {
			set, err := flags(w, "recheck", "RUN", func(*flag.FlagSet) {}, args)
			if err != nil {
				return 0, err
			}
			if err := want(set, 1, 1, "one run folder"); err != nil {
				return 0, err
			}
			kept, err := session.Reopen(set.Arg(0), "", w.edge()) // nothing is run, so nothing is written
			if err != nil {
				return 0, err
			}
			return recheck(w, kept)
		},
	}
}

func recheck(w World, kept *session.Kept) (int, error) {
	if kept.Changed() {
		fmt.Fprintln(w.Out, "The document has changed since the run; what follows is judged by today's.")
	}
	fresh, err := kept.Judge()
	if err != nil {
		return 0, err
	}
	before := map[string]string{}
	for _, v := range kept.Run.Verdicts {
		before[string(v.Clause)] = string(v.Outcome)
	}
	exit := Conforms
	for _, v := range fresh.Verdicts {
		was, note := before[string(v.Clause)], ""
		if was != string(v.Outcome) {
			note = fmt.Sprintf(" (was %s)", was)
		}
		fmt.Fprintf(w.Out, "%-14s %-26s %s%s\n", v.Outcome, v.Clause, v.Why, note)
		switch v.Outcome {
		case check.Broken:
			exit = Violated
		case check.Inconclusive, check.NotRun, check.Unset:
			if exit == Conforms {
				exit = Incomplete
			}
		case check.Holds, check.NotApplicable, check.Waived:
		}
	}
	return exit, nil
}
