package input

import (
	"fmt"
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// each aims one step at each of up to n events at which it has something to do: one that is late already can't be made late.
func each(name string, rng *rand.Rand, on aim.Aim, n int, do func(i int) target.Action) ([]target.Step, error) {
	all, err := on.Shuffled(rng)
	if err != nil {
		return nil, err
	}
	trial := workload.Try(on.Load)
	var steps []target.Step
	for _, e := range all {
		if len(steps) == n {
			break
		}
		step := target.Step{Name: name, Fault: name, At: target.Moment{After: e.Label}, Do: do(len(steps))}
		if trial.Acts(step) {
			steps = append(steps, step)
		}
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("aim: %s has nothing to do at any event of the load's second third", name)
	}
	return aim.Named(name, steps...), nil
}
