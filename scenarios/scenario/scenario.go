// Package scenario says what a scenario is: a workload, a plan of faults and the clauses that it is aimed at. It runs none; every
// scenario holds for any document, since it names roles by their kind and faults by their entry.
package scenario

import (
	"fmt"

	"tahanuji/faults"
	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// Use is one fault of a scenario's plan.
type Use struct {
	Fault string        // an entry of faults.All
	On    contract.Kind // the kind of role whose requests, process or store it takes hold of
	Times int           // steps that are aimed; 0 is one
}

// Scenario is one way to try a document's promises. All clauses are judged in every scenario; Aims names those that it was
// written for.
type Scenario struct {
	Name string
	Doc  string // one sentence: what is done and what must hold all the same
	Aims []contract.ID
	Plan []Use
	// Events is the size of the workload; 0 is the workload's default.
	Events int
	// Members are the summarizer's instances; 0 is one.
	Members int
	// Replay reads the whole topic again after the load, with the summarizer's state kept and then emptied.
	Replay bool
	// Await keeps the last fifth of the load back until every step has acted, or none does any more: what a fault left behind
	// shows when more events come.
	Await bool
	// Made is a plan that no entry of faults.All aims: it is made beside Plan, by Made.Steps, and is of the faults Made.Faults.
	Made Made
}

// Made is a plan that is made by somebody else.
type Made struct {
	Faults []string
	Steps  func(doc *contract.Document, load *workload.Load, from uint64) ([]target.Step, error)
}

// Faults are the entries that the plan uses, each once, in the plan's order.
func (s Scenario) Faults() []string {
	var out []string
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	for _, u := range s.Plan {
		add(u.Fault)
	}
	for _, name := range s.Made.Faults {
		add(name)
	}
	if s.Replay {
		add("replayed")
	}
	return out
}

// Steps aims the plan at a workload. Every draw is hash(seed, scenario, place in the plan), so a step taken out of the plan
// changes no other. An error means that the document has nothing for a fault to take hold of; it names the fault.
func (s Scenario) Steps(doc *contract.Document, load *workload.Load, from uint64) ([]target.Step, error) {
	var steps []target.Step
	for i, u := range s.Plan {
		fault, ok := faults.Named(u.Fault)
		if !ok {
			return nil, fmt.Errorf("scenario %s: fault %q is not in faults.All", s.Name, u.Fault)
		}
		for n := range max(1, u.Times) {
			rng := seed.Rand(from, s.Name, u.Fault, fmt.Sprint(i), fmt.Sprint(n))
			aimed, err := fault.Aim(rng, faults.Aim{Doc: doc, Load: load, Kind: u.On, Members: max(1, s.Members)})
			if err != nil {
				return nil, fmt.Errorf("scenario %s: %s: %w", s.Name, u.Fault, err)
			}
			for k := range aimed {
				aimed[k].Name = fmt.Sprintf("%s#%d.%d.%d", u.Fault, i, n, k)
			}
			steps = append(steps, aimed...)
		}
	}
	if s.Made.Steps == nil {
		return steps, nil
	}
	made, err := s.Made.Steps(doc, load, from)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	return append(steps, made...), nil
}
