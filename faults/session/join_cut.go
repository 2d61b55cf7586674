package session

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func joinCut() aim.Fault {
	const name = "join-cut"
	return aim.Fault{
		Name:  name,
		Doc:   "A member has to join again, and the connection ends before the broker sees its JoinGroup.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			return rejoin(name, "JoinGroup", rng, on, func(target.Moment) target.Action {
				return target.Action{Do: target.CutBefore, How: aim.Ending(rng)}
			})
		},
	}
}
