package input

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func burstInput() aim.Fault {
	const name = "burst-input"
	return aim.Fault{
		Name:  name,
		Doc:   "Many events come as fast as the recorder takes them.",
		Needs: []target.Kind{target.Input},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			return each(name, rng, on, 1, func(int) target.Action {
				return target.Action{Do: target.Burst, Count: 40}
			})
		},
	}
}
