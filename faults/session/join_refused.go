package session

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func joinRefused() aim.Fault {
	const name = "join-refused"
	return aim.Fault{
		Name:  name,
		Doc:   "A member has to join again, and its JoinGroup is refused with a code that clients retry.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			return rejoin(name, "JoinGroup", rng, on, func(at target.Moment) target.Action {
				return target.Action{Do: target.NotApplied, Code: aim.Pick(rng, aim.Refusals(at.API)...)}
			})
		},
	}
}
