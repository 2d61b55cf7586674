package aim

import (
	"math/rand"
	"strconv"
	"time"

	"tahanuji/system/target"
)

// Produce is the moment at which the role's Produce carries a record.
func (a Aim) Produce(rng *rand.Rand) (target.Moment, error) {
	role, err := a.Role()
	if err != nil {
		return target.Moment{}, err
	}
	label, err := a.Written(rng)
	return target.Moment{API: "Produce", Role: role, Carries: label}, err
}

// Commit is the moment at which the role's OffsetCommit first passes a record.
func (a Aim) Commit(rng *rand.Rand) (target.Moment, error) {
	role, err := a.Role()
	if err != nil {
		return target.Moment{}, err
	}
	label, err := a.Read(rng)
	return target.Moment{API: "OffsetCommit", Role: role, Passes: label}, err
}

// Request is the moment at which the role first makes a request after a record that it reads is in its topic.
func (a Aim) Request(rng *rand.Rand, api string) (target.Moment, error) {
	role, err := a.Role()
	if err != nil {
		return target.Moment{}, err
	}
	label, err := a.Read(rng)
	return target.Moment{API: api, Role: role, After: label}, err
}

// Moment is when a record that concerns the role is in its topic: what it reads, or for a recorder what it writes.
func (a Aim) Moment(rng *rand.Rand) (target.Moment, error) {
	label, err := a.Read(rng)
	if err != nil {
		label, err = a.Written(rng)
	}
	return target.Moment{After: label}, err
}

// One is a plan of a single step.
func One(fault string, at target.Moment, do target.Action) []target.Step {
	return Named(fault, target.Step{At: at, Do: do})
}

// Named gives the steps of a fault their names: the fault's, with a number where there are several.
func Named(fault string, steps ...target.Step) []target.Step {
	for i := range steps {
		steps[i].Fault, steps[i].Name = fault, fault
		if len(steps) > 1 {
			steps[i].Name = fault + "/" + strconv.Itoa(i+1)
		}
	}
	return steps
}

// Ending draws how a connection ends.
func Ending(rng *rand.Rand) string { return Pick(rng, "rst", "fin") }

// silence is how long a client hears nothing before its connection is reset, so that no run waits for a client's own limit.
const silence = 2 * time.Second

// Lost draws how an answer gets lost: two times of three the connection ends, else the client hears nothing for two seconds
// and the connection is then reset.
func Lost(rng *rand.Rand) target.Action {
	how := Pick(rng, "rst", "fin", "silence")
	do := target.Action{Do: target.AckLost, How: how}
	if how == "silence" {
		do.For = silence
	}
	return do
}

// Values of Action.Of for nodes.
const (
	Leader      = "leader"      // of the partition of the moment's record
	Coordinator = "coordinator" // of the group of the action's role
)
