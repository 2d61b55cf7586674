package input

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

// each aims one step at each of n events.
func each(name string, rng *rand.Rand, on aim.Aim, n int, do func(i int) target.Action) ([]target.Step, error) {
	events, err := on.Events(rng, n)
	if err != nil {
		return nil, err
	}
	steps := make([]target.Step, len(events))
	for i, e := range events {
		steps[i] = target.Step{At: target.Moment{After: e.Label}, Do: do(i)}
	}
	return aim.Named(name, steps...), nil
}
