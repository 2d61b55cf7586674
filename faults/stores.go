package faults

import (
	"fmt"
	"time"

	"tahanuji/system/target"
)

// hurtStore makes a role's store fail or wait, for the step's length of time; a slow one as long as its budget of transactions
// takes, one after another.
func (r *Running) hurtStore(a *active) {
	do := a.step.Do
	long := do.For
	if do.Do == target.StoreSlow {
		long = do.For * time.Duration(max(1, a.step.Budget))
	}
	r.tell(a, false, fmt.Sprintf("the store of %s: %s for %s", do.Role, do.Do, long))
	heal := r.set.Store(do.Role).Hurt(do.Do, do.For)
	r.pause(long)
	touched := heal()
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
