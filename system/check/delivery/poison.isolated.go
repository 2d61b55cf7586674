package delivery

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// Isolated: behind a record that the harness broke on purpose each reading group has gone on (its committed offset is past it, where
// it commits), and the summaries that are due count every good event of the same partition.
var Isolated = check.One("poison.isolated", "A record that breaks its schema stalls no partition and costs no neighbour.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		for _, p := range ix.Poison {
			if p.Where == nil || ix.Topic(p.Where.Topic) == nil {
				continue
			}
			stalled(ix, t, p)
			neighbours(ix, t, p)
		}
		return t.Verdict(fmt.Sprintf("behind the poison the groups went on and no event beside it was lost, in %d places", t.Examined()),
			"the harness wrote no record that breaks its schema, or nobody reads its topic")
	})

func stalled(ix *check.Index, t *check.Tally, p check.Poison) {
	seen := map[string]bool{}
	for _, f := range ix.Doc().Flows {
		if f.Reads != p.Where.Topic || f.Group == "" || seen[f.Group] {
			continue
		}
		seen[f.Group] = true
		at := check.GroupPartition{Group: f.Group, Partition: check.Partition{Topic: p.Where.Topic, Partition: p.Where.Partition}}
		e := ix.Committed[history.ScanRest][at]
		if e == nil || e.Where.Offset < 0 && f.Commit == "" {
			continue // the group does not commit, or nobody looked
		}
		t.Look(1)
		if e.Where.Offset <= p.Where.Offset {
			t.Find(func() check.Finding {
				return check.Finding{
					Text:    fmt.Sprintf("%s has committed %d of %s/%d and does not get past the poison %s at %d", f.Group, e.Where.Offset, at.Topic, at.Partition.Partition, p.Event.Key, p.Where.Offset),
					Witness: []history.Seq{p.Event.Seq, e.Seq}, Labels: []string{p.Event.Key},
				}
			})
		}
	}
}

// neighbours finds summaries that lack events of the poisoned partition. Each is one finding, however many poisons there are.
func neighbours(ix *check.Index, t *check.Tally, p check.Poison) {
	for _, f := range ix.Folds {
		if f.In.Doc.Name != p.Where.Topic || f.Out == nil {
			continue
		}
		for _, c := range f.Cells {
			near := nearest(c, p)
			if !c.Due || near == nil {
				continue
			}
			t.Look(1)
			last, published := c.Last()
			count, counts := f.CountOf(last)
			if published && (!counts || count >= int64(len(c.Events))) {
				continue
			}
			t.Find(func() check.Finding {
				what := "was not published"
				if published {
					what = fmt.Sprintf("counts %d of its %d events", count, len(c.Events))
				}
				finding := check.Finding{
					Text:    fmt.Sprintf("%s %s, with the poison %s at %s beside %s", c.Name(), what, p.Event.Key, check.Place(p.Where), near.Place()),
					Witness: append(c.Trace(near), p.Event.Seq), Labels: []string{p.Event.Key, c.Label()},
				}
				return finding
			})
		}
	}
}

// nearest is the cell's event in the poison's partition with the least distance to it, nil if it has none there.
func nearest(c *check.Cell, p check.Poison) *check.Record {
	var near *check.Record
	distance := func(r *check.Record) int64 { return max(r.Offset-p.Where.Offset, p.Where.Offset-r.Offset) }
	for _, r := range c.Events {
		if r.Partition == p.Where.Partition && (near == nil || distance(r) < distance(near)) {
			near = r
		}
	}
	return near
}
