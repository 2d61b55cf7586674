package store

import (
	"math/rand"
	"time"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func storeSlow() aim.Fault {
	const name = "store-slow"
	return aim.Fault{
		Name:  name,
		Doc:   "Each of the next transactions of a role's store takes longer.",
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
			slow := target.Step{At: at, Do: target.Action{Do: target.StoreSlow, Role: role, For: 100 * time.Millisecond}, Budget: 20}
			return aim.Named(name, slow), nil
		},
	}
}
