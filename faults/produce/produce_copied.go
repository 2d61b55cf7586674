package produce

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func produceCopied() aim.Fault {
	const name = "produce-copied"
	return aim.Fault{
		Name:  name,
		Doc:   "The broker gets the Produce that carries a record twice at once; the client gets one answer.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Produce(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.Copy}), nil
		},
	}
}
