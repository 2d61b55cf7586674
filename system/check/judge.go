package check

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"tahanuji/system/contract"
)

// Judge says exactly one verdict for each clause, sorted by clause. A clause that the environment can't show is not-applicable; one
// whose checker is missing, panics, errs, is late or returns no verdict for it is inconclusive, with the reason; a waived one is
// waived, and its Why says what it would have been. Checkers run beside each other, and one that hangs is left behind at the
// context's end.
func Judge(ctx context.Context, clauses []contract.Clause, in *Input, checkers []Checker) []Verdict {
	wanted := map[contract.ID]bool{}
	for _, c := range clauses {
		wanted[c.ID] = true
	}
	said := runAll(ctx, wanted, in, checkers)
	verdicts := make([]Verdict, 0, len(wanted))
	for _, c := range clauses {
		if !wanted[c.ID] {
			continue // listed twice
		}
		delete(wanted, c.ID)
		verdicts = append(verdicts, waive(in, judged(c, in, said)))
	}
	slices.SortFunc(verdicts, func(a, b Verdict) int { return cmp.Compare(a.Clause, b.Clause) })
	return verdicts
}

func judged(c contract.Clause, in *Input, said map[contract.ID][]Verdict) Verdict {
	var missing []string
	for _, need := range c.Needs {
		if why, lacks := in.Lacks[need]; lacks {
			missing = append(missing, why)
		}
	}
	if len(missing) > 0 {
		return Verdict{Clause: c.ID, Outcome: NotApplicable, Why: sentence(strings.Join(missing, "; "))}
	}
	verdicts := said[c.ID]
	switch len(verdicts) {
	case 0:
		return Verdict{Clause: c.ID, Outcome: Inconclusive, Why: "No checker judges this clause."}
	case 1:
		return sound(verdicts[0])
	}
	return worst(verdicts)
}

// sound refuses what would be green without reason.
func sound(v Verdict) Verdict {
	switch v.Outcome {
	case Holds:
		if v.Examined == 0 {
			v.Outcome, v.Why = Inconclusive, "The checker said that it holds and examined nothing."
		}
	case Unset:
		v.Outcome, v.Why = Inconclusive, "The checker set no outcome."
	case Broken, Inconclusive, NotApplicable, NotRun, Waived:
	}
	return v
}

// worst of several checkers' verdicts of one clause.
func worst(all []Verdict) Verdict {
	order := []Outcome{Broken, Unset, Inconclusive, NotRun, NotApplicable, Waived, Holds}
	return sound(slices.MinFunc(all, func(a, b Verdict) int {
		return cmp.Compare(slices.Index(order, a.Outcome), slices.Index(order, b.Outcome))
	}))
}

func waive(in *Input, v Verdict) Verdict {
	for _, w := range in.Doc.Waivers {
		if w.Clause != v.Clause || !in.Today.IsZero() && !in.Today.Before(w.Expires.AddDate(0, 0, 1)) {
			continue
		}
		v.Why = sentence(fmt.Sprintf("waived by %s until %s (%s); it would be %s: %s", w.Owner, w.Expires.Format("2006-01-02"), w.Reason, v.Outcome, v.Why))
		v.Outcome = Waived
		return v
	}
	return v
}

// runAll runs the checkers that judge a wanted clause, as many at once as there are processors.
func runAll(ctx context.Context, wanted map[contract.ID]bool, in *Input, checkers []Checker) map[contract.ID][]Verdict {
	said := map[contract.ID][]Verdict{}
	var mu sync.Mutex
	var all sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, c := range checkers {
		if !slices.ContainsFunc(c.Clauses, func(id contract.ID) bool { return wanted[id] }) {
			continue
		}
		all.Go(func() {
			select {
			case slots <- struct{}{}:
				defer func() { <-slots }()
			case <-ctx.Done():
			}
			verdicts := runOne(ctx, c, in)
			mu.Lock()
			defer mu.Unlock()
			for _, v := range verdicts {
				said[v.Clause] = append(said[v.Clause], v)
			}
		})
	}
	all.Wait()
	return said
}

// runOne gives a verdict for each of the checker's clauses, whatever the checker does.
func runOne(ctx context.Context, c Checker, in *Input) []Verdict {
	done := make(chan []Verdict, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- failed(c, fmt.Sprintf("the checker %s panicked: %v", c.Name, p), firstLines(debug.Stack(), 24))
			}
		}()
		verdicts, err := c.Check(ctx, in)
		if err != nil {
			done <- failed(c, fmt.Sprintf("the checker %s failed: %v", c.Name, err), "")
			return
		}
		done <- complete(c, verdicts)
	}()
	select {
	case verdicts := <-done:
		return verdicts
	case <-ctx.Done():
	}
	select {
	case verdicts := <-done: // it was done in time, and the select drew the other case
		return verdicts
	default:
		return failed(c, fmt.Sprintf("the checker %s ran out of time: %v", c.Name, context.Cause(ctx)), "")
	}
}

// complete drops verdicts of clauses that are not the checker's and adds those that it did not give.
func complete(c Checker, verdicts []Verdict) []Verdict {
	out := make([]Verdict, 0, len(c.Clauses))
	for _, id := range c.Clauses {
		i := slices.IndexFunc(verdicts, func(v Verdict) bool { return v.Clause == id })
		if i < 0 {
			out = append(out, Verdict{Clause: id, Outcome: Inconclusive, Why: sentence("the checker " + c.Name + " returned no verdict")})
			continue
		}
		out = append(out, verdicts[i])
	}
	return out
}

func failed(c Checker, why, detail string) []Verdict {
	out := make([]Verdict, 0, len(c.Clauses))
	for _, id := range c.Clauses {
		out = append(out, Verdict{Clause: id, Outcome: Inconclusive, Why: sentence(why), Detail: detail})
	}
	return out
}

func firstLines(text []byte, n int) string {
	lines := strings.SplitN(string(text), "\n", n+1)
	return strings.Join(lines[:min(n, len(lines))], "\n")
}
