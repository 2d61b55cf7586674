package store

import (
	"math/rand"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

func poisonRecord() aim.Fault {
	const name = "poison-record"
	return aim.Fault{
		Name:  name,
		Doc:   "The harness writes a record that breaks its schema to the topic that a role reads.",
		Needs: []target.Kind{target.Topics},
		Aim: func(rng *rand.Rand, on aim.Aim) ([]target.Step, error) {
			role, err := on.Role()
			if err != nil {
				return nil, err
			}
			at, err := on.Moment(rng)
			if err != nil {
				return nil, err
			}
			topic, err := on.ReadTopic()
			if err != nil {
				return nil, err
			}
			return aim.One(name, at, target.Action{Do: target.Poison, Role: role, Of: topic}), nil
		},
	}
}
