package commit

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func commitCut() aim.Fault {
	const name = "commit-cut"
	return aim.Fault{
		Name:  name,
		Doc:   "The connection ends before the broker sees the OffsetCommit that first passes a record.",
		Needs: []target.Kind{target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			at, err := on.Commit(rng)
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.CutBefore, How: aim.Ending(rng)}), nil
		},
	}
}
