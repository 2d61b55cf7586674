package commit

import (
	"math/rand"
	"time"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func commitHeld() aim.Fault {
	const name = "commit-held"
	return aim.Fault{
		Name:  name,
		Doc:   "The OffsetCommit that first passes a record reaches the broker a second and a half late.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Commit(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.Hold, For: 1500 * time.Millisecond}), nil
		},
	}
}
