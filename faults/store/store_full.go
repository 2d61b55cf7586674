package store

import (
	"math/rand"
	"time"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func storeFull() aim.Fault {
	const name = "store-full"
	return aim.Fault{
		Name:  name,
		Doc:   "The writes of a role's store fail for a second as on a full disk.",
		Needs: []target.Kind{target.Stores},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			role, err := on.Keeper()
			if err != nil {
				return nil, err
			}
			at, err := on.Moment(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.StoreFull, Role: role, For: time.Second}), nil
		},
	}
}
