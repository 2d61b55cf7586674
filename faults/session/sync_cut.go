package session

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func syncCut() aim.Fault {
	const name = "sync-cut"
	return aim.Fault{
		Name:  name,
		Doc:   "A member has to join again, and the connection ends before the broker sees its SyncGroup.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			return rejoin(name, "SyncGroup", rng, on, func(target.Moment) target.Action {
				return target.Action{Do: target.CutBefore, How: aim.Ending(rng)}
			})
		},
	}
}
