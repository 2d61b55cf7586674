package session

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func heartbeatRefused() aim.Fault {
	const name = "heartbeat-refused"
	return aim.Fault{
		Name:  name,
		Doc:   "A Heartbeat is refused: the coordinator is said to be away, to have moved, or to rebalance.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Request(rng, "Heartbeat")
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.NotApplied, Code: aim.Pick(rng, aim.Refusals(at.API)...)}), nil
		},
	}
}
