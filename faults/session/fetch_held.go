package session

import (
	"math/rand"
	"time"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func fetchHeld() aim.Fault {
	const name = "fetch-held"
	return aim.Fault{
		Name:  name,
		Doc:   "A Fetch after a record is in the topic reaches the broker a second and a half late.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Request(rng, "Fetch")
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.Hold, For: 1500 * time.Millisecond}), nil
		},
	}
}
