package groups

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// Matches: at rest a group's committed offset is one past the last record of each partition and not past its end; no member commits
// an offset below one that was committed before; and a member that leaves in good order has committed what it stored. Offsets that
// the harness set itself begin a new count. Its own copies of requests are nobody's act: no client hears of one, so where a copy has
// set a group back, what its members committed themselves counts, and going on from there is no step back. A group of which no
// commit was ever seen is not judged unless the document has it commit.
var Matches = check.One("commit.matches", "At rest, and at each hand-over, the committed offset is one past the last event handled; it never goes back.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		for _, r := range readers(ix) {
			if !r.commits() && !commitsSeen(ix, r) {
				continue
			}
			for _, scan := range ix.Scans() {
				atRest(ix, t, r, scan)
			}
		}
		for _, at := range ix.CommitKeys() {
			goesBack(t, at, ix.Commits[at])
		}
		handOvers(in, t)
		return t.Verdict(fmt.Sprintf("in %s the committed offset is where the records end, and none went back", check.Plural(t.Examined(), "place")),
			"no committed offset was seen")
	})

func commitsSeen(ix *check.Index, r *reader) bool {
	for at := range ix.Commits {
		if at.Group == r.group {
			return true
		}
	}
	for _, scan := range ix.Committed {
		for at, e := range scan {
			if at.Group == r.group && e.Where.Offset >= 0 {
				return true
			}
		}
	}
	return false
}

func atRest(ix *check.Index, t *check.Tally, r *reader, scan string) {
	if ix.Committed[scan] == nil {
		return
	}
	for _, topic := range r.reads {
		for _, p := range partitions(ix, topic, scan) {
			next, end := lastRecord(topic, p.Partition, scan), ix.Ended[scan][p]
			if next == 0 {
				continue // never held a record
			}
			e := ix.Committed[scan][check.GroupPartition{Group: r.group, Partition: p}]
			if e == nil {
				continue // the scan did not ask, as of a partition that the document does not have
			}
			committed := e.Where.Offset
			t.Look(1)
			switch {
			case committed < next && copiedOver(ix.Commits[check.GroupPartition{Group: r.group, Partition: p}], committed, next):
			case committed < next:
				t.Find(func() check.Finding { return short(topic, r, p, e, committed, next) })
			case end != nil && committed > end.Where.Offset:
				t.Find(func() check.Finding {
					return check.Finding{
						Text:    fmt.Sprintf("%s has committed %d of %s/%d, which ends at %d", r.group, committed, p.Topic, p.Partition, end.Where.Offset),
						Witness: []history.Seq{e.Seq, end.Seq},
					}
				})
			}
		}
	}
}

// lastRecord is one past the last record of a partition that a scan, or one before it, saw.
func lastRecord(t *check.Topic, partition int32, scan string) int64 {
	next := t.Ends[partition]
	for _, later := range []string{history.ScanReplayKept, history.ScanReplayEmptied} {
		if scan == history.ScanRest {
			break
		}
		for i := range t.Later[later] {
			if r := &t.Later[later][i]; r.Partition == partition {
				next = max(next, r.Offset+1)
			}
		}
		if scan == later {
			break
		}
	}
	return next
}

func short(topic *check.Topic, r *reader, p check.Partition, e *history.Event, committed, next int64) check.Finding {
	shown := fmt.Sprint("only ", committed)
	if committed < 0 {
		shown = "nothing"
	}
	f := check.Finding{Text: fmt.Sprintf("%s has committed %s of %s/%d, whose last record is at %d", r.group, shown, p.Topic, p.Partition, next-1)}
	if e != nil {
		f.Witness = append(f.Witness, e.Seq)
	}
	if first := topic.At(p.Partition, max(committed, topic.Starts[p.Partition])); first != nil {
		f.Witness = append(f.Witness, first.Event.Seq)
		if label := first.Label(); label != "" {
			f.Labels = []string{label}
			f.Text += fmt.Sprintf(" (the first one not covered is %s)", strings.TrimPrefix(label, "summary:"))
		}
	}
	return f
}

// goesBack finds commits below an earlier one of the same era. One is certainly earlier if it came before on the same connection or
// was answered before the other arrived; behind one that the proxy held back also if it was answered before that one was.
func goesBack(t *check.Tally, at check.GroupPartition, commits []check.Commit) {
	own := slices.DeleteFunc(slices.Clone(commits), func(c check.Commit) bool { return c.Exchange.Copy })
	answered := slices.SortedStableFunc(slices.Values(own), func(a, b check.Commit) int { return cmp.Compare(a.Done(), b.Done()) })
	slices.SortFunc(own, func(a, b check.Commit) int { return cmp.Compare(a.Exchange.Seq, b.Exchange.Seq) })
	t.Look(len(own))
	var before highest // of those answered before
	next := 0
	onConn := map[int64]*highest{}
	for i := range own {
		c := &own[i]
		for ; next < len(answered) && answered[next].Done() <= c.At(); next++ {
			before.take(&answered[next])
		}
		mine := onConn[c.Exchange.Conn]
		if mine == nil {
			mine = &highest{}
			onConn[c.Exchange.Conn] = mine
		}
		was := mine.above(c)
		if was == nil {
			was = before.above(c)
		}
		if was == nil && c.Exchange.Do == "hold" {
			was = overtaken(answered, c)
		}
		if was == nil || setBack(commits, was, c) {
			mine.take(c)
			continue
		}
		t.Find(func() check.Finding {
			return check.Finding{
				Text: fmt.Sprintf("%s committed %d of %s/%d for %s after %s had committed %d", c.Exchange.Door, c.Offset, at.Topic, at.Partition.Partition, at.Group,
					was.Exchange.Door, was.Offset),
				Exchanges: []int64{was.Exchange.Seq, c.Exchange.Seq},
			}
		})
		clear(onConn) // what follows is measured from here: one step back is one finding
		onConn[c.Exchange.Conn] = &highest{c}
		before = highest{c}
	}
}

// copiedOver says whether the last commit of a partition was a copy by the proxy, to the offset that is committed, while a member's
// own commit before it had reached next.
func copiedOver(commits []check.Commit, committed, next int64) bool {
	if len(commits) == 0 {
		return false
	}
	last := slices.MaxFunc(commits, func(a, b check.Commit) int { return cmp.Compare(a.Done(), b.Done()) })
	return last.Exchange.Copy && last.Offset == committed && slices.ContainsFunc(commits, func(c check.Commit) bool {
		return !c.Exchange.Copy && c.Era == last.Era && c.Offset >= next
	})
}

// setBack says whether a copy by the proxy came between two commits of a partition and set the group to where the second goes on.
func setBack(commits []check.Commit, was, c *check.Commit) bool {
	return slices.ContainsFunc(commits, func(copied check.Commit) bool {
		return copied.Exchange.Copy && copied.Done() >= was.At() && copied.At() <= c.At() && copied.Offset <= c.Offset
	})
}

// highest commit of the latest era.
type highest struct{ commit *check.Commit }

func (h *highest) take(c *check.Commit) {
	if h.commit == nil || h.commit.Era < c.Era || h.commit.Era == c.Era && h.commit.Offset <= c.Offset {
		h.commit = c
	}
}

// above is the highest commit if it is of c's era and above it.
func (h *highest) above(c *check.Commit) *check.Commit {
	if h.commit != nil && h.commit.Era == c.Era && h.commit.Offset > c.Offset && h.commit.Exchange.Seq != c.Exchange.Seq {
		return h.commit
	}
	return nil
}

// overtaken is the highest commit that was answered while c was held back.
func overtaken(answered []check.Commit, c *check.Commit) *check.Commit {
	var h highest
	for i := range answered {
		if answered[i].Done() < c.Done() && answered[i].Exchange.Seq != c.Exchange.Seq {
			h.take(&answered[i])
		}
	}
	return h.above(c)
}
