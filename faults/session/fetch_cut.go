package session

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func fetchCut() aim.Fault {
	const name = "fetch-cut"
	return aim.Fault{
		Name:  name,
		Doc:   "The connection ends before the broker sees a Fetch after a record is in the topic.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Request(rng, "Fetch")
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.CutBefore, How: aim.Ending(rng)}), nil
		},
	}
}
