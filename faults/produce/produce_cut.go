package produce

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func produceCut() aim.Fault {
	const name = "produce-cut"
	return aim.Fault{
		Name:  name,
		Doc:   "The connection ends before the broker sees the Produce that carries a record.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Produce(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.CutBefore, How: aim.Ending(rng)}), nil
		},
	}
}
