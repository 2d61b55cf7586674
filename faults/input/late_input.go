package input

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func lateInput() aim.Fault {
	const name = "late-input"
	return aim.Fault{
		Name:  name,
		Doc:   "Events are sent only after their window closed.",
		Needs: []target.Kind{target.Input},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			return each(name, rng, on, 3, func(int) target.Action {
				return target.Action{Do: target.Late}
			})
		},
	}
}
