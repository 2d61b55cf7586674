package sweep

import (
	"fmt"
	"math/rand"
	"slices"

	"tahanuji/faults/aim"
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// stepName is the name of the step that a square is about.
const stepName = "sweep"

// RecordedScenario is the run in which nothing is hurt.
func RecordedScenario(doc *contract.Document) scenario.Scenario {
	roles := map[string]int{}
	for _, r := range doc.Roles() {
		roles[r.Name] = lastOf(r)
	}
	return scenario.Scenario{
		Name: Recorded, Members: Members, Await: true,
		Doc:  "Nothing is hurt: each role is stopped in good order and started again once. The run shows which moments there are.",
		Made: scenario.Made{Steps: func(*contract.Document, *workload.Load, uint64) ([]target.Step, error) { return ordinary(roles), nil }},
	}
}

// Missing says why a client never comes to the square's moment, "" where the recorded run shows it.
func (r Record) Missing(m Moment) string {
	s := r.Moments[m.API+" "+m.Role]
	switch {
	case s.All == 0:
		return fmt.Sprintf("no %s of %s is made in the recorded run", m.API, m.Role)
	case m.When == Load && s.Late == 0 && s.Again == 0 && len(s.Labels) == 0:
		return fmt.Sprintf("%s makes %s only before the load", m.Role, m.API)
	case m.When == First && s.Again == s.All:
		return fmt.Sprintf("%s makes %s only when it is stopped or started again, which is in the load", m.Role, m.API)
	}
	return ""
}

// Scenario of a square. Recorded gives the record when the plan is made.
func (s Square) Scenario(recorded func() (Record, error)) scenario.Scenario {
	return scenario.Scenario{
		Name: s.Name, Members: Members, Await: true,
		Doc: fmt.Sprintf("At %s: %s.", s.Moment, s.Action),
		Made: scenario.Made{Faults: []string{s.Fault}, Steps: func(_ *contract.Document, _ *workload.Load, from uint64) ([]target.Step, error) {
			r, err := recorded()
			if err != nil {
				return nil, err
			}
			rng := seed.Rand(from, s.Name)
			return s.steps(r, rng, pick(rng, r.Events), stepName), nil
		}},
	}
}

// steps of a square: its own, behind the restart that makes the moment come where nothing else does. Event names what is to be in
// its topic before.
func (s Square) steps(r Record, rng *rand.Rand, event, name string) []target.Step {
	shown := r.Moments[s.API+" "+s.Role]
	step := target.Step{Name: name, Fault: s.Fault, At: target.Moment{API: s.API, Role: s.Role}, Do: s.do(s.Action, rng)}
	switch {
	case s.When == First:
		return []target.Step{step}
	case s.API == "Produce" && len(shown.Labels) > 0:
		step.At.Carries = pick(rng, shown.Labels)
		return []target.Step{step}
	case s.API == "OffsetCommit" && len(shown.Labels) > 0:
		step.At.Passes = pick(rng, shown.Labels)
		return []target.Step{step}
	case shown.Late > 0:
		step.At.After = event
		return []target.Step{step}
	}
	step.At.After = event
	return []target.Step{restart(s.Role, s.last, event), step}
}

func pick(rng *rand.Rand, of []string) string {
	if len(of) == 0 {
		return ""
	}
	return aim.Pick(rng, of...)
}

func sorted(m map[string]int) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
