package groups

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// handOvers finds members that left in good order (LeaveGroup) without having committed what they had stored. It needs a store that
// tells what it stored, and says nothing of a member whose commit a fault touched: what it handled may then be handled again.
func handOvers(in *check.Input, t *check.Tally) {
	ix := in.Index()
	if len(ix.Stored) == 0 {
		return
	}
	for i := range in.History.Ledger {
		x := &in.History.Ledger[i]
		if x.API != "LeaveGroup" || x.Copy || x.Applied != history.OK || refused(x) {
			continue
		}
		stored := storedBetween(ix, x.Door, assigned(in.History.Ledger[:i], x), x.At)
		for _, at := range slices.SortedFunc(maps.Keys(stored), check.ByPartition) {
			last := stored[at]
			committed, hurt := committedBefore(ix, x, at)
			if hurt {
				continue
			}
			t.Look(1)
			if committed <= last.Where.Offset {
				t.Find(func() check.Finding {
					return check.Finding{
						Text: fmt.Sprintf("%s left group %s having stored %s/%d up to %d (event %s) and committed only up to %d", x.Door, x.Group, at.Topic, at.Partition,
							last.Where.Offset, last.Key, committed),
						Witness: []history.Seq{last.Seq}, Exchanges: []int64{x.Seq},
					}
				})
			}
		}
	}
}

// assigned is when the member was given its partitions last: the SyncGroup before it left. What it stored in an earlier generation
// and lost with it is not its own to commit.
func assigned(before []history.Exchange, leave *history.Exchange) time.Duration {
	for i := len(before) - 1; i >= 0; i-- {
		x := &before[i]
		if x.API == "SyncGroup" && x.Door == leave.Door && x.Group == leave.Group && x.Applied == history.OK && (len(x.Items) == 0 || x.Items[0].Code == 0) {
			return x.At
		}
	}
	return 0
}

// storedBetween is the last event of each partition that an instance stored in a time.
func storedBetween(ix *check.Index, door string, from, to time.Duration) map[check.Partition]*history.Event {
	last := map[check.Partition]*history.Event{}
	for _, e := range ix.Stored {
		if e.Phase != history.OK || e.Proc != door || e.Where == nil || e.At < from || e.At > to {
			continue
		}
		at := check.Partition{Topic: e.Where.Topic, Partition: e.Where.Partition}
		if have := last[at]; have == nil || e.Where.Offset > have.Where.Offset {
			last[at] = e
		}
	}
	return last
}

// committedBefore is the highest offset that the group had committed when the member left, and whether a fault touched one of the
// member's own commits.
func committedBefore(ix *check.Index, leave *history.Exchange, at check.Partition) (offset int64, hurt bool) {
	for _, c := range ix.Commits[check.GroupPartition{Group: leave.Group, Partition: at}] {
		if c.At() <= leave.At {
			offset = max(offset, c.Offset)
		}
	}
	return offset, ix.CommitHurt(leave.Door, leave.At)
}

// refused says that the broker did not take a request. A member that it had thrown out before has nothing to hand over any more.
func refused(x *history.Exchange) bool {
	return slices.ContainsFunc(x.Items, func(it history.Item) bool { return it.Code != 0 })
}
