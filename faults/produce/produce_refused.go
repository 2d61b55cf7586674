package produce

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func produceRefused() aim.Fault {
	const name = "produce-refused"
	return aim.Fault{
		Name:  name,
		Doc:   "The broker refuses the Produce that carries a record, with a code that clients retry.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Produce(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.NotApplied, Code: aim.Pick(rng, aim.Refusals(at.API)...)}), nil
		},
	}
}
