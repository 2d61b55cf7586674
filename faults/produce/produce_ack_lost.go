package produce

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func produceAckLost() aim.Fault {
	const name = "produce-ack-lost"
	return aim.Fault{
		Name:  name,
		Doc:   "The broker appends a record and the client hears nothing of it.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Produce(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, aim.Lost(rng)), nil
		},
	}
}
