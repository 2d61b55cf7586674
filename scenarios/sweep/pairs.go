package sweep

import (
	"fmt"
	"strconv"

	"tahanuji/faults"
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// PairScenario is the n-th run with two faults at once: two squares of different moments in the load, drawn by the seed from those
// that the recorded run shows, at one record where a record names them. Its id says the number alone; its plan says the rest.
func PairScenario(grid []Square, n int, recorded func() (Record, error)) scenario.Scenario {
	name := fmt.Sprintf("sweep-pair-%d", n)
	return scenario.Scenario{
		Name: name, Members: Members, Await: true,
		Doc: "Two moments of the sweep that the seed chose, hurt in one run.",
		Made: scenario.Made{Faults: []string{faults.Swept}, Steps: func(_ *contract.Document, _ *workload.Load, from uint64) ([]target.Step, error) {
			r, err := recorded()
			if err != nil {
				return nil, err
			}
			return pair(grid, r, from, name)
		}},
	}
}

func pair(grid []Square, r Record, from uint64, name string) ([]target.Step, error) {
	var can []Square
	for _, s := range grid {
		if s.When == Load && s.Impossible == "" && r.Missing(s.Moment) == "" {
			can = append(can, s)
		}
	}
	rng := seed.Rand(from, name)
	if len(can) == 0 {
		return nil, fmt.Errorf("the recorded run shows no moment in the load")
	}
	first := can[rng.Intn(len(can))]
	others := can[:0:0]
	for _, s := range can {
		if s.Moment != first.Moment {
			others = append(others, s)
		}
	}
	if len(others) == 0 {
		return nil, fmt.Errorf("the recorded run shows one moment in the load and no other")
	}
	event := pick(rng, r.Events)
	var out []target.Step
	restarted := map[string]bool{}
	for i, s := range []Square{first, others[rng.Intn(len(others))]} {
		for _, step := range s.steps(r, rng, event, stepName+strconv.Itoa(i+1)) {
			if step.Fault == faults.Ordinary {
				if restarted[step.Name] {
					continue
				}
				restarted[step.Name] = true
			} else {
				step.Fault = faults.Swept
			}
			out = append(out, step)
		}
	}
	return out, nil
}
