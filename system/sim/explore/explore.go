package explore

import (
	"context"
	"fmt"
	"slices"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sim/model"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// Judge says which clauses a run broke, and why: only verdicts that are Broken count.
type Judge func(ctx context.Context, h *history.History) []check.Verdict

// Config of a search.
type Config struct {
	Doc *contract.Document
	// Roles are the roles of one run; they are asked for anew for each.
	Roles func() ([]model.Role, error)
	Judge Judge
	// Seed draws the plans: the n-th plan of a seed is always the same.
	Seed uint64
	// Events of a load, about; 0 is 60. Loads is how many different loads are drawn; 0 is 8.
	Events, Loads int
	// Faults is the most faults of a plan; 0 is 3. Crashes is the most crash points at calls of a role's port; 0 is 1.
	Faults, Crashes int
	// Only are the faults that may be drawn, by name; nil is all.
	Only []string
	// Members is the most instances of a summarizer; 0 is what the document's groups allow.
	Members int
	// Replay draws a replay for one plan of so many; 0 draws none.
	Replay int
	// Clauses are those of which one is looked for; nil is any.
	Clauses []contract.ID
}

// Explorer runs plans. It is used by one goroutine at a time.
type Explorer struct {
	cfg   Config
	loads loads
	runs  int
}

// New checks a configuration.
func New(c Config) (*Explorer, error) {
	if c.Doc == nil || c.Roles == nil || c.Judge == nil {
		return nil, fmt.Errorf("explore: the configuration needs a document, roles and a judge")
	}
	for _, d := range []struct {
		has *int
		use int
	}{{&c.Events, 60}, {&c.Loads, 8}, {&c.Faults, 3}, {&c.Crashes, 1}, {&c.Members, mostMembers(c.Doc)}} {
		if *d.has == 0 {
			*d.has = d.use
		}
	}
	return &Explorer{cfg: c, loads: loads{doc: c.Doc}}, nil
}

func mostMembers(doc *contract.Document) int {
	most := 1
	for _, g := range doc.Groups {
		most = max(most, g.Members)
	}
	return most
}

// Load is the load of a plan, with the sends that the plan keeps.
func (e *Explorer) Load(p Plan) (*workload.Load, error) { return e.loads.of(p) }

// Runs counts the runs so far.
func (e *Explorer) Runs() int { return e.runs }

// Run plays one plan on the model.
func (e *Explorer) Run(ctx context.Context, p Plan) (model.Result, error) {
	e.runs++
	load, err := e.loads.of(p)
	if err != nil {
		return model.Result{}, err
	}
	roles, err := e.cfg.Roles()
	if err != nil {
		return model.Result{}, fmt.Errorf("explore: %w", err)
	}
	members := map[string]int{}
	for _, f := range e.cfg.Doc.Flows {
		if f.Kind == contract.Summarizer {
			members[f.Role] = p.Members
		}
	}
	return model.Run(ctx, model.Config{Doc: e.cfg.Doc, Roles: roles, Load: load, Steps: p.Steps, Seed: p.Seed, Members: members, Replay: p.Replay,
		Timing: model.Timing{Gap: p.Gap}})
}

// Try plays a plan and returns the clauses that it broke, of those looked for.
func (e *Explorer) Try(ctx context.Context, p Plan) ([]check.Verdict, error) {
	broken, _, err := e.try(ctx, p)
	return broken, err
}

// try also says whether every step acted.
func (e *Explorer) try(ctx context.Context, p Plan) ([]check.Verdict, bool, error) {
	r, err := e.Run(ctx, p)
	if err != nil {
		return nil, false, err
	}
	hollow := slices.ContainsFunc(r.Acted, func(a target.Acted) bool { return a.Count == 0 })
	var broken []check.Verdict
	for _, v := range e.cfg.Judge(ctx, r.History) {
		if v.Outcome == check.Broken && e.wanted(v.Clause) {
			broken = append(broken, v)
		}
	}
	return broken, !hollow, nil
}

func (e *Explorer) wanted(id contract.ID) bool {
	if len(e.cfg.Clauses) == 0 {
		return true
	}
	for _, c := range e.cfg.Clauses {
		if c == id {
			return true
		}
	}
	return false
}

// Finding is a plan that breaks a clause.
type Finding struct {
	Number  int // of the plan among those that the seed draws, from 0
	Plan    Plan
	Verdict check.Verdict // the first clause that broke
	Shrunk  int           // plans that were tried to make it smaller
}

// Search plays the first n plans of the seed and stops at the first that breaks a clause, made as small as it gets. Nil says
// that none did.
func (e *Explorer) Search(ctx context.Context, n int) (*Finding, error) {
	for i := range n {
		p, err := e.Draw(i)
		if err != nil {
			return nil, err
		}
		broken, err := e.Try(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("explore: plan %d: %w", i, err)
		}
		if len(broken) == 0 {
			continue
		}
		f := &Finding{Number: i, Plan: p, Verdict: broken[0]}
		return f, e.Shrink(ctx, f)
	}
	return nil, nil
}
