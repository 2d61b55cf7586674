package session

import (
	"math/rand"
	"time"

	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

// beyondSession is longer than the session timeout that a group's members should run with here (6 s, the least that Apache
// Kafka's group.min.session.timeout.ms allows); a client with a longer one comes back before it is a zombie.
const beyondSession = 9 * time.Second

// rejoin makes a member join its group again, by a Heartbeat that tells of a rebalance, and then hurts a request of the join.
// Without the first step a calm group never joins.
func rejoin(name, api string, rng *rand.Rand, on aim.Aim, do func(target.Moment) target.Action) ([]target.Step, error) {
	at, err := on.Request(rng, api)
	if err != nil {
		return nil, err
	}
	ask := at
	ask.API = "Heartbeat"
	return aim.Named(name,
		target.Step{At: ask, Do: target.Action{Do: target.NotApplied, Code: aim.RebalanceInProgress}},
		target.Step{At: at, Do: do(at)},
	), nil
}
