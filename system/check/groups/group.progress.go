package groups

import (
	"fmt"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// Progress: every partition that holds records was read to its end or, if a group had something left to read when all faults were
// healed, at least read on. It is known by the committed offset; a group that never commits is known by what its members fetched.
var Progress = check.One("group.progress", "After healing every partition of every group goes on.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		healed, wasHealed := ix.HealedAt()
		for _, r := range readers(ix) {
			committing := r.commits() || commitsSeen(ix, r)
			if committing && ix.Committed[history.ScanRest] == nil {
				continue
			}
			var reached map[check.Partition]int64
			if !committing {
				reached = fetchedTo(in, r)
			}
			for _, topic := range r.reads {
				for _, p := range partitions(ix, topic, history.ScanRest) {
					before := int64(0)
					if wasHealed && committing {
						before = committedAt(ix, r, p, healed)
					}
					if topic.Ends[p.Partition] == 0 {
						continue
					}
					now, seen := reached[p], (*history.Event)(nil)
					if committing {
						seen = ix.Committed[history.ScanRest][check.GroupPartition{Group: r.group, Partition: p}]
						if seen == nil {
							continue // the scan did not ask
						}
						now = seen.Where.Offset
					} else if reached == nil {
						continue
					}
					t.Look(1)
					if now <= before && before < topic.Ends[p.Partition] {
						t.Find(func() check.Finding { return stands(topic, r, p, seen, before) })
					}
				}
			}
		}
		return t.Verdict(fmt.Sprintf("each of %s with records was read to its end or read on", check.Plural(t.Examined(), "partition")), "no partition with records has a known reader")
	})

func committedAt(ix *check.Index, r *reader, p check.Partition, at time.Duration) int64 {
	offset := int64(0)
	for _, c := range ix.Commits[check.GroupPartition{Group: r.group, Partition: p}] {
		if c.Done() <= at {
			offset = max(offset, c.Offset)
		}
	}
	return offset
}

func stands(topic *check.Topic, r *reader, p check.Partition, seen *history.Event, before int64) check.Finding {
	f := check.Finding{Text: fmt.Sprintf("%s did not go on with %s/%d after healing: it stands at %d of %d", r.group, p.Topic, p.Partition, before, topic.Ends[p.Partition])}
	if seen != nil {
		f.Witness = append(f.Witness, seen.Seq)
	}
	if record := topic.At(p.Partition, max(before, topic.Starts[p.Partition])); record != nil {
		f.Witness = append(f.Witness, record.Event.Seq)
		if label := record.Label(); label != "" {
			f.Labels = []string{label}
			f.Text += ", before " + label
		}
	}
	return f
}
