package command

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"time"

	"tahanuji/reports"
	"tahanuji/scenarios/progress"
	"tahanuji/scenarios/session"
)

func runCommand() Command {
	return Command{
		Name: "run", Args: "[flags]", Doc: "verify a system: the suite's engine without Ginkgo",
		Run: func(ctx context.Context, w World, args []string) (int, error) {
			var o *session.Options
			set, err := flags(w, "run", "[flags]", func(set *flag.FlagSet) { o = session.Register(set, w.Lookup) }, args)
			if err != nil {
				return 0, err
			}
			if err := want(set, 0, 0, "flags only"); err != nil {
				return 0, err
			}
			s, err := session.Open(*o, w.edge())
			if err != nil {
				return 0, err
			}
			if err := s.Make(); err != nil {
				return 0, err
			}
			return sit(ctx, w, s)
		},
	}
}

// sit runs a whole session and prints its last lines.
func sit(ctx context.Context, w World, s *session.Session) (int, error) {
	for _, c := range s.Skipped {
		fmt.Fprintf(w.Err, "left out: %s: %s\n", c.ID, s.Why(c))
	}
	show := progress.New(w.Err, w.Terminal, s.Size())
	failure := s.RunAll(ctx, show)
	report, err := s.Finish(time.Now())
	if err != nil {
		return 0, err
	}
	where := filepath.Join(s.Out, "report.html")
	if rel, err := filepath.Rel(w.Root, where); err == nil && filepath.IsLocal(rel) {
		where = rel
	}
	if err := reports.Terminal(report, w.Out, where); err != nil {
		return 0, err
	}
	if failure != nil {
		fmt.Fprintf(w.Err, "tahanuji run: %s\n", failure)
		if reports.ExitCode(report) != reports.ExitViolated {
			return Failed, nil
		}
	}
	return reports.ExitCode(report), nil
}
