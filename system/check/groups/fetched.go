package groups

import (
	"slices"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// stretch of offsets of one partition that a role fetched: from and up to, not including.
type stretch struct{ from, to int64 }

// fetched are the stretches of each partition of a group's topics that were answered to doors of its roles, in no order. nil if the
// ledger holds no Fetch of them.
func fetched(in *check.Input, r *reader) map[check.Partition][]stretch {
	var all map[check.Partition][]stretch
	for i := range in.History.Ledger {
		x := &in.History.Ledger[i]
		if x.API != "Fetch" || x.Applied != history.OK || !r.plays(check.RoleOf(x.Door)) {
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

// gap is the first offset from on, and before end, that no stretch covers; false if all are covered.
func gap(all []stretch, from, end int64) (int64, bool) {
	slices.SortFunc(all, func(a, b stretch) int { return int(a.from - b.from) })
	for _, s := range all {
		if s.from > from {
			break
		}
		from = max(from, s.to)
	}
	return from, from < end
}
