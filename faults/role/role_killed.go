package role

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func roleKilled() aim.Fault {
	const name = "role-killed"
	return aim.Fault{
		Name:  name,
		Doc:   "A role is killed at a request of its own, before and after the broker applied it, and once more when all is calm; it comes back with its state.",
		Needs: []target.Kind{target.Roles, target.Requests},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			role, err := on.Role()
			if err != nil {
				return nil, err
			}
			steps := make([]target.Step, 0, 3)
			for i, before := range []bool{true, false} {
				at, err := moment(rng, on.Part(i, 2)) // a role that is away can't be killed
				if err != nil {
					return nil, err
				}
				steps = append(steps, target.Step{At: at, Do: target.Action{Do: target.Kill, Before: before, For: pause(rng)}})
			}
			rest := target.Step{At: target.Moment{After: "rest"}, Do: target.Action{Do: target.Kill, Role: role, Member: 1 + rng.Intn(on.Instances()), For: pause(rng)}}
			return aim.Named(name, append(steps, rest)...), nil
		},
	}
}
