package role

import (
	"math/rand"
	"time"

	"tahanuji/faults/aim"
	"tahanuji/system/contract"
	"tahanuji/system/target"
)

// moment is the request at which killing a role hurts most: what a recorder sends, what a summarizer commits or publishes, what
// a display reads.
func moment(rng *rand.Rand, on aim.Aim) (target.Moment, error) {
	switch on.Kind {
	case contract.Recorder:
		return on.Produce(rng)
	case contract.Display:
		return on.Request(rng, "Fetch")
	case contract.Summarizer:
	}
	if rng.Intn(3) == 0 {
		if at, err := on.Produce(rng); err == nil {
			return at, nil
		}
	}
	return on.Commit(rng)
}

// pause is how long a role stays away: long enough for others to notice, short against the settling time of a run.
func pause(rng *rand.Rand) time.Duration {
	return time.Duration(100+100*rng.Intn(5)) * time.Millisecond
}

// beyondSession is longer than the session timeout that a group's members should run with here (6 s, the least that Apache
// Kafka's group.min.session.timeout.ms allows).
const beyondSession = 9 * time.Second
