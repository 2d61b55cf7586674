package session

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func fetchRefused() aim.Fault {
	const name = "fetch-refused"
	return aim.Fault{
		Name:  name,
		Doc:   "A Fetch after a record is in the topic is refused, as when the broker dropped the fetch session.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Request(rng, "Fetch")
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.NotApplied, Code: aim.Pick(rng, aim.Refusals(at.API)...)}), nil
		},
	}
}
