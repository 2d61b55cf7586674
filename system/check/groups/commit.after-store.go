package groups

import (
	"fmt"
	"math"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// AfterStore: when a commit reaches the broker every good event below its offset is stored, there or earlier under the same id. Where
// the store tells nothing, members that were killed at their commit show it: the summaries that are due count every event that such
// a commit passed. Where neither is there, the clause can't be judged.
var AfterStore = check.One("commit.after-store", "No committed offset lies past an event that is not stored.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		tells, killed := false, false
		for _, f := range ix.Flows(func(f *contract.Flow) bool { return f.Commit == "after-store" && f.Group != "" }) {
			topic := ix.Topic(f.Reads)
			if topic == nil {
				continue
			}
			if stored := storedBy(ix, f.Role); len(stored) > 0 {
				tells = true
				for _, p := range partitions(ix, topic, history.ScanRest) {
					at := check.GroupPartition{Group: f.Group, Partition: p}
					afterStore(t, topic, stored, at, ix.Commits[at])
				}
				continue
			}
			if killedAtCommit(in, t, f, topic) {
				killed = true
			}
		}
		if !tells && !killed {
			return t.NotApplicable("the store tells nothing of what it stored, and no member was killed at its commit")
		}
		how := "each of %d commits passes stored events only"
		if !tells {
			how = "in the %d due summaries of events that a killed member had committed, all are counted"
		}
		return t.Verdict(fmt.Sprintf(how, t.Examined()), "no commit was seen on the wire")
	})

// storedBy is when each event was stored first by a role, by id. A transaction without an answer may have been stored when it began.
func storedBy(ix *check.Index, role string) map[string]time.Duration {
	at := make(map[string]time.Duration, len(ix.Stored)/2)
	add := func(id string, when time.Duration) {
		if have, ok := at[id]; !ok || when < have {
			at[id] = when
		}
	}
	open := map[history.Seq]*history.Event{}
	for _, e := range ix.Stored {
		if check.RoleOf(e.Proc) != role {
			continue
		}
		switch e.Phase {
		case history.Invoke:
			open[e.Seq] = e
		case history.OK:
			delete(open, e.Of)
			add(e.Key, e.At)
		case history.Fail:
			delete(open, e.Of)
		case history.Unknown:
		}
	}
	for _, e := range open {
		add(e.Key, e.At)
	}
	return at
}

// never is when an event was stored that was not.
const never = time.Duration(math.MaxInt64)

// afterStore walks once along the partition: of the records up to each offset it keeps the one that was stored last. A record that
// was passed too early is one finding, however many commits passed it.
func afterStore(t *check.Tally, topic *check.Topic, stored map[string]time.Duration, at check.GroupPartition, commits []check.Commit) {
	records := topic.In(at.Partition.Partition)
	latest := make([]int32, len(records)) // index of the record stored last among those up to here, -1 if none
	when := make([]time.Duration, len(records))
	for i, r := range records {
		latest[i] = -1
		if i > 0 {
			latest[i], when[i] = latest[i-1], when[i-1]
		}
		if r.State != check.Valid || r.Poison || r.ID == "" {
			continue // nothing that a store has to take
		}
		s, ok := stored[r.ID]
		if !ok {
			s = never
		}
		if latest[i] < 0 || s > when[i] {
			latest[i], when[i] = int32(i), s
		}
	}
	told := map[int32]bool{}
	for _, c := range commits {
		if c.Exchange.Copy {
			continue
		}
		t.Look(1)
		i := topic.Before(at.Partition.Partition, c.Offset)
		if i < 0 || latest[i] < 0 || when[i] <= c.At() || told[latest[i]] {
			continue
		}
		told[latest[i]] = true
		r, late := records[latest[i]], when[i]
		t.Find(func() check.Finding { return passed(at, c, r, late) })
	}
}

func passed(at check.GroupPartition, c check.Commit, r *check.Record, stored time.Duration) check.Finding {
	text := fmt.Sprintf("%s committed %d of %s/%d for %s, past the event at %s (id %s), which ", c.Exchange.Door, c.Offset, at.Topic, at.Partition.Partition, at.Group, r.Place(), r.ID)
	if stored == never {
		text += "was never stored"
	} else {
		text += fmt.Sprintf("was stored only %s later", stored-c.At())
	}
	f := check.Finding{Text: text, Witness: []history.Seq{r.Event.Seq}, Exchanges: []int64{c.Exchange.Seq}}
	if label := r.Label(); label != "" {
		f.Labels = []string{label}
	}
	if r.Sent != nil {
		f.Witness = append(f.Witness, r.Sent.Trace()...)
	}
	return f
}
