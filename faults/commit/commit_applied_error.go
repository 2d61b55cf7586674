package commit

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func commitAppliedError() aim.Fault {
	const name = "commit-applied-error"
	return aim.Fault{
		Name:  name,
		Doc:   "The broker stores the OffsetCommit that first passes a record and the client is told that it may have failed.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Commit(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.Applied, Code: aim.Pick(rng, aim.Doubts(at.API)...)}), nil
		},
	}
}
