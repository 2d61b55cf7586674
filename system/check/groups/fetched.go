package groups

import (
	"cmp"
	"slices"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// stretch of offsets of one partition that a role fetched: from and up to, not including.
type stretch struct{ from, to int64 }

// fetched are the stretches of each partition of a group's topics that reached doors of its roles, in no order. nil if the
// ledger holds no Fetch of them.
func fetched(in *check.Input, r *reader) map[check.Partition][]stretch {
	var all map[check.Partition][]stretch
	for i := range in.History.Ledger {
		x := &in.History.Ledger[i]
		if x.API != "Fetch" || x.Applied != history.OK || x.Told != history.OK || !r.plays(check.RoleOf(x.Door)) {
			continue
		}
		if all == nil {
			all = map[check.Partition][]stretch{}
		}
		for n := range x.Items {
			item := &x.Items[n]
			if item.Code != 0 || item.Records <= 0 || item.Offset < 0 {
				continue
			}
			p := check.Partition{Topic: item.Topic, Partition: item.Partition}
			s := stretch{item.Offset, item.Offset + int64(item.Records)}
			// Members mostly go on where they were: that keeps the list short however many requests there are.
			if have := all[p]; len(have) > 0 && have[len(have)-1].to >= s.from && have[len(have)-1].from <= s.from {
				have[len(have)-1].to = max(have[len(have)-1].to, s.to)
				continue
			}
			all[p] = append(all[p], s)
		}
	}
	return all
}

func fetchedTo(in *check.Input, r *reader) map[check.Partition]int64 {
	stretches := fetched(in, r)
	if stretches == nil {
		return nil
	}
	to := map[check.Partition]int64{}
	for p, all := range stretches {
		for _, s := range all {
			to[p] = max(to[p], s.to)
		}
	}
	return to
}

// gap is the first record of a partition that no stretch covers, nil if all are covered. Offsets without a record are no gap.
func gap(all []stretch, records []*check.Record) *check.Record {
	slices.SortFunc(all, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	next, covered := 0, int64(-1) // offsets below covered, from the stretches before next
	for _, r := range records {
		for next < len(all) && all[next].from <= r.Offset {
			covered = max(covered, all[next].to)
			next++
		}
		if r.Offset >= covered {
			return r
		}
	}
	return nil
}
