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
			steps, err := kills(rng, on)
			if err != nil {
				return nil, err
			}
			rest := target.Step{At: target.Moment{After: "rest"}, Do: target.Action{Do: target.Kill, Role: role, Member: 1 + rng.Intn(on.Instances()), For: pause(rng)}}
			return aim.Named(name, append(steps, rest)...), nil
		},
	}
}

// kills are the deaths at requests: at each kind of request at which the role's death hurts, before and after the broker applied
// it, one after another over the load, since a role that is away can't be killed.
func kills(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
	at := requests(on.Kind)
	var steps []target.Step
	for i := range 2 * len(at) {
		m, err := at[i%len(at)](on.Part(i, 2*len(at)), rng)
		if err != nil {
			if i%len(at) > 0 {
				continue // a part of the load that closes no window has no summary to be killed at
			}
			return nil, err
		}
		steps = append(steps, target.Step{At: m, Do: target.Action{Do: target.Kill, Before: i < len(at), For: pause(rng)}})
	}
	return steps, nil
}
