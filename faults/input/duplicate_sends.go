package input

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func duplicateSends() aim.Fault {
	const name = "duplicate-sends"
	return aim.Fault{
		Name:  name,
		Doc:   "The source sends events again, at once and after many others.",
		Needs: []target.Kind{target.Input},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			return each(name, rng, on, 4, func(i int) target.Action {
				if i%2 == 0 {
					return target.Action{Do: target.SendTwice}
				}
				return target.Action{Do: target.SendLater, Count: 10 + rng.Intn(30)}
			})
		},
	}
}
