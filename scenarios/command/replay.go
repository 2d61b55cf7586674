package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tahanuji/reports"
	"tahanuji/scenarios/run"
	"tahanuji/scenarios/session"
	"tahanuji/system/contract"
)

func replayCommand() Command {
	return Command{
		Name: "replay", Args: "RUN [-times N] [-on model|broker|both]", Doc: "run a run folder's plan and seed again, or that of its minimal/; says k of N",
		Run: func(ctx context.Context, w World, args []string) (int, error) {
			times, on := 3, ""
			set, err := flags(w, "replay", "RUN", func(set *flag.FlagSet) {
				set.IntVar(&times, "times", 3, "how often")
				set.StringVar(&on, "on", "", "model, broker or both (default: where the run was)")
			}, args)
			if err != nil {
				return 0, err
			}
			if err := want(set, 1, 1, "one run folder"); err != nil {
				return 0, err
			}
			if times < 1 {
				return 0, session.Refusal{Text: "-times: at least 1 is needed"}
			}
			return replayRun(ctx, w, set.Arg(0), times, on)
		},
	}
}

// lane is a way to run a cell again.
type lane struct {
	name string
	play func(context.Context, run.Cell) (reports.Run, error)
}

func lanes(on string, wasModel bool) ([]lane, error) {
	model, broker := lane{"model", run.OnModel}, lane{"broker", run.Run}
	switch on {
	case "":
		if wasModel {
			return []lane{model}, nil
		}
		return []lane{broker}, nil
	case "model":
		return []lane{model}, nil
	case "broker":
		return []lane{broker}, nil
	case "both":
		return []lane{model, broker}, nil
	}
	return nil, session.Known("-on", on, []string{"model", "broker", "both"})
}

func replayRun(ctx context.Context, w World, folder string, times int, on string) (exit int, err error) {
	small := filepath.Base(filepath.Clean(folder)) == run.Minimal
	if small {
		folder = filepath.Dir(filepath.Clean(folder))
	}
	into := filepath.Join(folder, "..", "..", fmt.Sprintf("replay-%d", os.Getpid()))
	kept, err := session.Reopen(folder, into, w.edge())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(into)) }()
	if small {
		if err := kept.UseMinimal(folder); err != nil {
			return 0, err
		}
		if on == "" {
			on = "both"
		}
	}
	if kept.Changed() {
		fmt.Fprintln(w.Out, "The document has changed since the run; what follows is judged by today's.")
	}
	ways, err := lanes(on, kept.OnModel())
	if err != nil {
		return 0, err
	}
	was := session.BrokenIn(kept.Run)
	fmt.Fprintf(w.Out, "%s, seed %s: %s\n", kept.Run.Cell, kept.Run.Seed, brokenSentence(was))
	exit = Conforms
	for _, way := range ways {
		broke, err := repeat(ctx, w, kept, way, times, was)
		if err != nil {
			return 0, err
		}
		if broke {
			exit = Violated
		}
	}
	return exit, nil
}

// repeat runs the cell so often, says how often it went as the run did, and whether anything broke at all. A run that broke
// clauses is reproduced when one of them breaks again; which ones did stands beside it.
func repeat(ctx context.Context, w World, kept *session.Kept, way lane, times int, was []contract.ID) (bool, error) {
	same, any := 0, 0
	counts := map[contract.ID]int{}
	for n := range times {
		r, err := kept.Again(func(c run.Cell) (reports.Run, error) { return way.play(ctx, c) }, n+1)
		if err != nil {
			return false, err
		}
		now := session.BrokenIn(r)
		if len(now) > 0 {
			any++
		}
		if r.Complete && len(now)+len(was) == 0 || slices.ContainsFunc(now, func(id contract.ID) bool { return slices.Contains(was, id) }) {
			same++
		}
		for _, v := range r.Verdicts {
			if v.Outcome == "broken" {
				counts[v.Clause]++
				fmt.Fprintf(w.Out, "  %s %d: %s: %s\n", way.name, n+1, v.Clause, v.Why)
			}
		}
		if !r.Complete {
			fmt.Fprintf(w.Out, "  %s %d: cut short: %s\n", way.name, n+1, r.Err)
		}
		if ctx.Err() != nil {
			times = n + 1
			break
		}
	}
	fmt.Fprintf(w.Out, "%s: reproduced %d of %d%s\n", way.name, same, times, eachOf(counts, times))
	return any > 0, nil
}

// eachOf says how often each clause broke: " (count.once 3 of 3, lag.bound 1 of 3)".
func eachOf(counts map[contract.ID]int, times int) string {
	var parts []string
	for _, id := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d of %d", id, counts[id], times))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func brokenSentence(ids []contract.ID) string {
	if len(ids) == 0 {
		return "nothing was broken"
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = string(id)
	}
	return "broke " + strings.Join(names, ", ")
}
