package produce

import (
	"math/rand"
	"time"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func produceHeld() aim.Fault {
	const name = "produce-held"
	return aim.Fault{
		Name:  name,
		Doc:   "The Produce that carries a record reaches the broker a second and a half late.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Produce(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.Hold, For: 1500 * time.Millisecond}), nil
		},
	}
}
