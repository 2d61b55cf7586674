package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tahanuji/faults"
	"tahanuji/reports"
	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/seed"
	"tahanuji/system/sim/explore"
	"tahanuji/system/sim/model"
	"tahanuji/system/sim/roles"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// Minimal is the folder, in a run's folder, that holds the smallest plan found and its evidence.
const Minimal = "minimal"

// minimizeLimit bounds the search for a smaller plan: a violation without one is still a violation.
const minimizeLimit = 10 * time.Second

// explorer searches with the reference's roles, judging as runs are judged.
func (c Cell) explorer(looked *tallies, clauses []contract.ID) (*explore.Explorer, error) {
	cast, err := roles.New(c.Doc)
	if err != nil {
		return nil, err
	}
	judge := func(_ context.Context, h *history.History) []check.Verdict {
		c := c
		c.Backend.Lacks = model.Lacks()
		verdicts := Judge(c, h, nil, nil)
		looked.add(verdicts)
		return verdicts
	}
	c.Scenario.Plan = nil // hollow steps are the explorer's to see
	return explore.New(explore.Config{
		Doc: c.Doc, Judge: judge, Seed: c.Seed, Clauses: clauses,
		Roles: func() ([]model.Role, error) { return cast.Roles(c.plays()) },
	})
}

// Minimize looks on the model for the smallest plan that breaks one of the clauses a run broke, and keeps it in the run's folder
// under minimal/. It returns a sentence, "" where the model does not break them or has not the same roles.
func Minimize(ctx context.Context, c Cell, clauses []contract.ID) (string, error) {
	if c.Limits.OwnClock || c.Input != "" {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, minimizeLimit)
	defer cancel()
	e, err := c.explorer(&tallies{}, clauses)
	if err != nil {
		return "", fmt.Errorf("minimize %s: %w", c.ID, err)
	}
	_, steps, err := c.prepare()
	if err != nil {
		return "", fmt.Errorf("minimize %s: %w", c.ID, err)
	}
	plan := explore.Plan{
		Seed: c.Seed, LoadSeed: seed.Derive(c.Seed, "load"), Events: c.Scenario.Events, Members: max(1, c.Scenario.Members),
		Replay: c.Scenario.Replay, Steps: steps,
	}
	broken, err := e.Try(ctx, plan)
	if err != nil || len(broken) == 0 {
		return "", nil //nolint:nilerr // a plan that the model can't run has no smaller one there; the run itself stands
	}
	found := &explore.Finding{Plan: plan, Verdict: broken[0]}
	if err := e.Shrink(ctx, found); err != nil && ctx.Err() == nil {
		return "", fmt.Errorf("minimize %s: %w", c.ID, err)
	}
	return c.keepMinimal(context.WithoutCancel(ctx), e, found, len(steps))
}

// keepMinimal saves the smallest plan and what happens under it.
func (c Cell) keepMinimal(ctx context.Context, e *explore.Explorer, f *explore.Finding, steps int) (string, error) {
	dir := filepath.Join(c.Dir, Minimal)
	r, err := e.Run(ctx, f.Plan)
	if err != nil {
		return "", fmt.Errorf("minimize %s: %w", c.ID, err)
	}
	if err := reports.SaveEvidence(dir, f.Plan, r.History); err != nil {
		return "", fmt.Errorf("minimize %s: %w", c.ID, err)
	}
	load, err := e.Load(f.Plan)
	if err != nil {
		return "", fmt.Errorf("minimize %s: %w", c.ID, err)
	}
	what := "no fault at all"
	if n := len(f.Plan.Steps); n > 0 {
		what = fmt.Sprintf("%d of %d steps (%s)", n, max(n, steps), stepNames(f.Plan.Steps))
	}
	return fmt.Sprintf("on the model %s, and %d of the source's sends, are enough to break %s: %s", what, len(load.Sends), f.Verdict.Clause, f.Verdict.Why), nil
}

// Explore runs n random plans on the model and judges each. The run holds the verdicts of all of them together; a plan that broke
// a clause is made as small as it gets, and what is saved is the run of that.
func Explore(ctx context.Context, c Cell, n int) (reports.Run, error) {
	begun := time.Now()
	c.Backend.Name, c.Backend.Lacks = modelName, model.Lacks()
	out := c.blank()
	looked := &tallies{}
	e, err := c.explorer(looked, nil)
	if err != nil {
		return out, fmt.Errorf("explore: %w", err)
	}
	found, err := e.Search(ctx, n)
	if err != nil && ctx.Err() == nil {
		return out, fmt.Errorf("explore: %w", err)
	}
	plan, h := explore.Plan{Seed: c.Seed}, &history.History{}
	if found != nil {
		if out.Minimal, err = c.keepMinimal(ctx, e, found, len(found.Plan.Steps)); err != nil {
			return out, err
		}
		again, err := e.Run(ctx, found.Plan)
		if err != nil {
			return out, fmt.Errorf("explore: %w", err)
		}
		plan, h = found.Plan, again.History
		looked.found(found)
	}
	out.Complete, out.Events, out.Base = ctx.Err() == nil, plan.Events, firstEvent.Format(time.RFC3339)
	if !out.Complete {
		out.Err = "interrupted"
	}
	out.Measured = map[string]string{"plans": fmt.Sprint(e.Runs())}
	if err := reports.SaveEvidence(c.Dir, faults.Plan{Seed: c.Seed, Steps: plan.Steps}, h); err != nil {
		return out, fmt.Errorf("explore: %w", err)
	}
	out.Verdicts, out.Took = looked.verdicts(c), time.Since(begun)
	return out, finish(c.Dir, &out)
}

func stepNames(steps []target.Step) string {
	var names []string
	for _, s := range steps {
		names = append(names, s.Name)
	}
	return fmt.Sprint(names)
}

// tallies add up what many runs examined, clause by clause.
type tallies struct {
	plans int
	by    map[contract.ID]check.Verdict
}

// add takes the worst of what the runs say of each clause: a checker that failed in one of many is no green, and neither is a
// clause that broke beside the one that was looked for. What one run had nothing to examine of, another may speak for.
func (t *tallies) add(verdicts []check.Verdict) {
	if t.by == nil {
		t.by = map[contract.ID]check.Verdict{}
	}
	t.plans++
	for _, v := range verdicts {
		sum := t.by[v.Clause]
		examined := sum.Examined + v.Examined
		if weight(v) > weight(sum) {
			sum = v
		}
		sum.Examined, sum.Witness, sum.Exchanges = examined, nil, nil
		t.by[v.Clause] = sum
	}
}

// weight orders what single runs say of a clause by what counts for all of them.
func weight(v check.Verdict) int {
	switch v.Outcome {
	case check.Unset:
		return 0
	case check.NotApplicable, check.Waived, check.NotRun:
		return 1
	case check.Inconclusive:
		if v.Idle {
			return 2
		}
		return 4
	case check.Holds:
		return 3
	case check.Broken:
		return 5
	}
	return 4
}

// found shows the clause that the smallest plan breaks as that plan's run does, with its trace.
func (t *tallies) found(f *explore.Finding) {
	v := f.Verdict
	v.Examined = max(v.Examined, t.by[v.Clause].Examined)
	t.by[v.Clause] = v
}

func (t *tallies) verdicts(c Cell) []check.Verdict {
	var out []check.Verdict
	for _, clause := range contract.Clauses(c.Doc) {
		v, ok := t.by[clause.ID]
		if !ok {
			v = check.Verdict{Clause: clause.ID, Outcome: check.Inconclusive, Idle: true, Why: "No plan was run."}
		}
		if v.Outcome == check.Holds {
			v.Why = fmt.Sprintf("It held in all of %d random plans on the model.", t.plans)
		}
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b check.Verdict) int { return strings.Compare(string(a.Clause), string(b.Clause)) })
	return out
}

// ReadMinimal reads the smallest plan of a run's minimal/ folder.
func ReadMinimal(dir string) (explore.Plan, error) {
	if _, err := os.Stat(filepath.Join(dir, reports.PlanFile)); err != nil {
		return explore.Plan{}, fmt.Errorf("minimal plan: %w", err)
	}
	return explore.Open(filepath.Join(dir, reports.PlanFile))
}

// MinimalLoad makes the load of a smallest plan.
func MinimalLoad(doc *contract.Document, p explore.Plan) (*workload.Load, error) {
	cast, err := roles.New(doc)
	if err != nil {
		return nil, fmt.Errorf("minimal plan: %w", err)
	}
	e, err := explore.New(explore.Config{
		Doc: doc, Roles: func() ([]model.Role, error) { return cast.Roles("") },
		Judge: func(context.Context, *history.History) []check.Verdict { return nil },
	})
	if err != nil {
		return nil, fmt.Errorf("minimal plan: %w", err)
	}
	load, err := e.Load(p)
	if err != nil {
		return nil, fmt.Errorf("minimal plan: %w", err)
	}
	return load, nil
}
