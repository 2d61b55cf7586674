package produce

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func produceAppliedError() aim.Fault {
	const name = "produce-applied-error"
	return aim.Fault{
		Name:  name,
		Doc:   "The broker appends a record and the client is told that it may have failed.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Produce(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.Applied, Code: aim.Pick(rng, aim.Doubts(at.API)...)}), nil
		},
	}
}
