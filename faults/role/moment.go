package role

import (
	"math/rand"
	"time"

	"tahanuji/faults/aim"
	"tahanuji/system/contract"
	"tahanuji/system/target"
)

// requests are those at which killing a role hurts most: what a recorder sends, what a summarizer commits and publishes, what a
// display reads. The first one can always be aimed.
func requests(kind contract.Kind) []func(aim.Aim, *rand.Rand) (target.Moment, error) {
	switch kind {
	case contract.Recorder:
		return []func(aim.Aim, *rand.Rand) (target.Moment, error){aim.Aim.Produce}
	case contract.Display:
		return []func(aim.Aim, *rand.Rand) (target.Moment, error){
			func(on aim.Aim, rng *rand.Rand) (target.Moment, error) { return on.Request(rng, "Fetch") },
		}
	case contract.Summarizer:
	}
	return []func(aim.Aim, *rand.Rand) (target.Moment, error){aim.Aim.Commit, aim.Aim.Produce}
}

// pause is how long a role stays away: long enough for others to notice, short against the settling time of a run.
func pause(rng *rand.Rand) time.Duration {
	return time.Duration(100+100*rng.Intn(5)) * time.Millisecond
}

// beyondSession is longer than the session timeout that a group's members should run with here (6 s, the least that Apache
// Kafka's group.min.session.timeout.ms allows).
const beyondSession = 9 * time.Second
