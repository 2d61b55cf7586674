package produce

import (
	"math/rand"
	"time"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func produceLateCopy() aim.Fault {
	const name = "produce-late-copy"
	return aim.Fault{
		Name:  name,
		Doc:   "The broker gets the Produce that carries a record again a second later, on another connection.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Produce(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.LateCopy, For: time.Second}), nil
		},
	}
}
