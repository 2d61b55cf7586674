package input

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func invalidInput() aim.Fault {
	const name = "invalid-input"
	return aim.Fault{
		Name:  name,
		Doc:   "Broken variants of events are sent beside them.",
		Needs: []target.Kind{target.Input},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			return each(name, rng, on, 6, func(int) target.Action {
				return target.Action{Do: target.Invalid}
			})
		},
	}
}
