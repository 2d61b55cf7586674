package commit

import (
	"math/rand"
	"time"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func commitLateCopy() aim.Fault {
	const name = "commit-late-copy"
	return aim.Fault{
		Name:  name,
		Doc:   "The broker gets the OffsetCommit that first passes a record again later, behind newer ones.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Commit(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.LateCopy, For: 1500 * time.Millisecond}), nil
		},
	}
}
