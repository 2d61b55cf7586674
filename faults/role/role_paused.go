package role

import (
	"math/rand"
	"time"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func rolePaused() aim.Fault {
	const name = "role-paused"
	return aim.Fault{
		Name:  name,
		Doc:   "A role is stopped by SIGSTOP in the middle of its work and goes on later, as if no time had passed.",
		Needs: []target.Kind{target.Roles},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			role, err := on.Role()
			if err != nil {
				return nil, err
			}
			at, err := on.Moment(rng)
			if err != nil {
				return nil, err
			}
			long := 2 * time.Second
			if on.Instances() > 1 {
				long = beyondSession // the others take over, and it wakes as a zombie
			}
			return aim.One(name, at, target.Action{Do: target.Pause, Role: role, Member: 1 + rng.Intn(on.Instances()), For: long}), nil
		},
	}
}
