package input

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func reorderedInput() aim.Fault {
	const name = "reordered-input"
	return aim.Fault{
		Name:  name,
		Doc:   "Events of different keys come in another order; the order of each key stays.",
		Needs: []target.Kind{target.Input},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			return each(name, rng, on, 4, func(int) target.Action {
				return target.Action{Do: target.Reorder}
			})
		},
	}
}
