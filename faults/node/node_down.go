package node

import (
	"math/rand"
	"time"

	"tahanuji/faults/aim"
	"tahanuji/system/contract"
	"tahanuji/system/target"
)

func nodeDown() aim.Fault {
	const name = "node-down"
	return aim.Fault{
		Name:  name,
		Doc:   "The node that leads a record's partition, or that coordinates the reader's group, is down for a while and comes back with its data.",
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
			of := aim.Leader
			if on.Kind != contract.Recorder {
				of = aim.Pick(rng, aim.Leader, aim.Coordinator)
			}
			return aim.One(name, at, target.Action{Do: target.NodeDown, Of: of, Role: role, For: 1500 * time.Millisecond}), nil
		},
	}
}
