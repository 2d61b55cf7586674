package role

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func memberLeaves() aim.Fault {
	const name = "member-leaves"
	return aim.Fault{
		Name:  name,
		Doc:   "A member of a role is asked to stop and stays away; where there is only one, another joined before.",
		Needs: []target.Kind{target.Roles},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			role, err := on.Role()
			if err != nil {
				return nil, err
			}
			first, second, err := on.Two(rng)
			if err != nil {
				return nil, err
			}
			leave := target.Step{At: target.Moment{After: second.Label}, Do: target.Action{Do: target.Leave, Role: role, Member: 1 + rng.Intn(on.Instances())}}
			if on.Instances() > 1 {
				return aim.Named(name, leave), nil
			}
			if err := on.Room(); err != nil {
				return nil, err
			}
			join := target.Step{At: target.Moment{After: first.Label}, Do: target.Action{Do: target.Join, Role: role}}
			return aim.Named(name, join, leave), nil
		},
	}
}
