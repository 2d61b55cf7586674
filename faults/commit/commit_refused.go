package commit

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func commitRefused() aim.Fault {
	const name = "commit-refused"
	return aim.Fault{
		Name:  name,
		Doc:   "The broker refuses the OffsetCommit that first passes a record, with a code that clients retry.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Commit(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.NotApplied, Code: aim.Pick(rng, aim.Refusals(at.API)...)}), nil
		},
	}
}
