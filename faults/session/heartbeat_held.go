package session

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func heartbeatHeld() aim.Fault {
	const name = "heartbeat-held"
	return aim.Fault{
		Name:  name,
		Doc:   "A member's Heartbeats are held until its session is over: it goes on as a zombie while others take its partitions.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Request(rng, "Heartbeat")
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.Hold, For: beyondSession}), nil
		},
	}
}
