package commit

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func commitAckLost() aim.Fault {
	const name = "commit-ack-lost"
	return aim.Fault{
		Name:  name,
		Doc:   "The broker stores the OffsetCommit that first passes a record and the client hears nothing of it.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Commit(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, aim.Lost(rng)), nil
		},
	}
}
