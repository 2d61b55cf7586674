package faults

import (
	"fmt"
	"time"

	"tahanuji/system/target"
)

// idleRounds is how many lengths of time a store stays hurt while no transaction comes: a busy machine may leave it idle.
const idleRounds = 20

// hurtStore makes a role's store fail or wait, for the step's length of time; a slow one as long as its budget of transactions
// takes, one after another. A store that nobody touched meanwhile stays hurt until somebody does, idleRounds as long at most and
// not beyond healing.
func (r *Running) hurtStore(a *active) {
	do := a.step.Do
	long := do.For
	if do.Do == target.StoreSlow {
		long = do.For * time.Duration(max(1, a.step.Budget))
	}
	r.tell(a, false, fmt.Sprintf("the store of %s: %s for %s", do.Role, do.Do, long))
	touched := 0
	for round := 0; round < idleRounds && touched == 0 && (round == 0 || !r.calmed()); round++ {
		heal := r.set.Store(do.Role).Hurt(do.Do, do.For)
		r.pause(long)
		touched = heal()
	}
	if touched > 0 {
		a.mu.Lock()
		a.count = touched
		a.what = []string{fmt.Sprintf("%d transactions of the store of %s: %s", touched, do.Role, do.Do)}
		a.mu.Unlock()
	}
	r.tell(a, true, fmt.Sprintf("the store of %s is well; %d transactions were touched", do.Role, touched))
}

// poison writes a record that breaks its schema, to the partition of the moment's record where that is in the same topic.
func (r *Running) poison(a *active) error {
	topic := a.step.Do.Of
	key, value, how, err := r.set.Load.Poison(topic, a.step.At.After, a.step.Name)
	if err != nil {
		return err
	}
	partition := int32(0)
	if where, ok := r.set.Moments.Where(a.step.At.After); ok && where.Topic == topic {
		partition = where.Partition
	}
	ctx, cancel := r.limited()
	defer cancel()
	if err := r.set.Poison(ctx, topic, partition, key, value); err != nil {
		return fmt.Errorf("poison %s/%d: %w", topic, partition, err)
	}
	r.did(a, fmt.Sprintf("a record (%s) was written to %s/%d", how, topic, partition))
	return nil
}
