package groups

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// killedAtCommit judges a store that nobody sees: a member was killed when its commit had been applied, so nobody handles the events
// below it again, and each due summary of theirs must count them all. It is false if no member was killed at a commit.
func killedAtCommit(in *check.Input, t *check.Tally, f *contract.Flow, topic *check.Topic) bool {
	any := false
	told := map[*check.Cell]bool{}
	for i := range in.History.Ledger {
		x := &in.History.Ledger[i]
		if x.API != "OffsetCommit" || x.Group != f.Group || x.Do != "kill" {
			continue
		}
		any = true
		if x.Applied != history.OK {
			continue // the broker never saw it: the events are handled again whatever the order was
		}
		for n := range x.Items {
			if item := &x.Items[n]; item.Topic == f.Reads && item.Code == 0 {
				followed(in, t, f, topic, x, item, told)
			}
		}
	}
	return any
}

func followed(in *check.Input, t *check.Tally, f *contract.Flow, topic *check.Topic, x *history.Exchange, item *history.Item, told map[*check.Cell]bool) {
	for _, fold := range in.Index().Folds {
		if fold.Flow != f || fold.Out == nil {
			continue
		}
		for _, c := range fold.Cells {
			if !c.Due {
				continue
			}
			r := below(c, item)
			if r == nil {
				continue
			}
			t.Look(1)
			last, published := c.Last()
			count, counts := fold.CountOf(last)
			if told[c] || published && (!counts || count >= int64(len(c.Events))) {
				continue
			}
			told[c] = true
			t.Find(func() check.Finding {
				return check.Finding{
					Text: fmt.Sprintf("%s was killed when it had committed %d of %s/%d, past %s at %s, and %s counts %d of its %d events", x.Door, item.Offset, item.Topic, item.Partition,
						r.Label(), r.Place(), c.Name(), count, len(c.Events)),
					Witness: c.Trace(r), Exchanges: []int64{x.Seq}, Labels: []string{c.Label(), r.Label()},
				}
			})
		}
	}
}

// below is the last event of a summary that a commit passed, nil if it passed none.
func below(c *check.Cell, item *history.Item) *check.Record {
	var last *check.Record
	for _, r := range c.Events {
		if r.Partition == item.Partition && r.Offset < item.Offset {
			last = r
		}
	}
	return last
}
