package node

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func leaderMoved() aim.Fault {
	const name = "leader-moved"
	return aim.Fault{
		Name:  name,
		Doc:   "The leader of a record's partition moves to another node.",
		Needs: []target.Kind{target.Nodes},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			role, err := on.Role()
			if err != nil {
				return nil, err
			}
			at, err := on.Moment(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.LeaderMove, Role: role}), nil
		},
	}
}
