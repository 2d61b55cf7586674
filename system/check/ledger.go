package check

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tahanuji/system/history"
)

// Commit is one offset that the broker took for a group and partition.
type Commit struct {
	Exchange *history.Exchange
	Offset   int64
	// Era counts how often the harness itself set offsets before: offsets of two eras are not compared.
	Era int
}

// At is when the commit arrived, Done when its answer was there.
func (c Commit) At() time.Duration   { return c.Exchange.At }
func (c Commit) Done() time.Duration { return c.Exchange.At + c.Exchange.Took }

// SetOffsetsPhase marks that the runner itself set a group's offsets, as every phase does that begins with "replay".
const SetOffsetsPhase = "set-offsets"

func (ix *Index) readLedger() {
	eras := ix.eras()
	for i := range ix.in.History.Ledger {
		x := &ix.in.History.Ledger[i]
		if x.Fault != "" {
			for _, item := range x.Items {
				for _, label := range item.Labels {
					ix.faulted[label] = append(ix.faulted[label], int32(i))
				}
			}
		}
		if x.API != "OffsetCommit" || x.Applied != history.OK {
			continue
		}
		era, _ := slices.BinarySearchFunc(eras, x.At, func(at, want time.Duration) int {
			if at <= want {
				return -1
			}
			return 1
		})
		for _, item := range x.Items {
			if item.Code == 0 && item.Topic != "" {
				at := GroupPartition{x.Group, Partition{item.Topic, item.Partition}}
				ix.Commits[at] = append(ix.Commits[at], Commit{Exchange: x, Offset: item.Offset, Era: era})
			}
		}
	}
}

// eras are the times at which the harness set offsets.
func (ix *Index) eras() []time.Duration {
	var at []time.Duration
	for _, e := range ix.Phases {
		if e.Key == SetOffsetsPhase || strings.HasPrefix(e.Key, "replay") {
			at = append(at, e.At)
		}
	}
	slices.Sort(at)
	return at
}

// OffsetsSet says that the harness had set a group's offsets itself before a time.
func (ix *Index) OffsetsSet(before time.Duration) bool {
	eras := ix.eras()
	return len(eras) > 0 && eras[0] <= before
}

// CommitKeys are the groups and partitions that commits were seen of, sorted.
func (ix *Index) CommitKeys() []GroupPartition {
	keys := make([]GroupPartition, 0, len(ix.Commits))
	for k := range ix.Commits {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b GroupPartition) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), ByPartition(a.Partition, b.Partition))
	})
	return keys
}

// CommitHurt says that a fault touched a commit that an instance sent before a time, or that one got no answer.
func (ix *Index) CommitHurt(door string, before time.Duration) bool {
	for i := range ix.in.History.Ledger {
		x := &ix.in.History.Ledger[i]
		if x.At > before {
			break
		}
		if x.API == "OffsetCommit" && x.Door == door && (x.Fault != "" || x.Applied != history.OK || x.Told != history.OK) {
			return true
		}
	}
	return false
}
