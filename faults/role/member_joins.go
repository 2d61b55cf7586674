package role

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func memberJoins() aim.Fault {
	const name = "member-joins"
	return aim.Fault{
		Name:  name,
		Doc:   "One more member of a role joins while it works.",
		Needs: []target.Kind{target.Roles},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			role, err := on.Role()
			if err != nil {
				return nil, err
			}
			if err := on.Room(); err != nil {
				return nil, err
			}
			at, err := on.Moment(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.Join, Role: role}), nil
		},
	}
}
