package workload

import (
	"math/big"
	"strings"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/workload/draw"
)

// Names in Load.Covered beside the tags. Each counts events or sends unless it says otherwise; a name that was not covered is
// there with zero, so that a report shows it.
const (
	CoverValid      = "valid"          // valid events
	CoverWindows    = "windows"        // different windows (not counted again for every group)
	CoverClosed     = "windows-closed" // windows of a group that an event of the group closes
	CoverKeys       = "keys"           // different keys
	CoverPartitions = "partitions"     // partitions that the Kafka client's default partitioner puts keys in
	CoverOf         = "partitions-of"  // partitions of the topic
	CoverRounded    = "mean-rounded"   // means of a group and window that have more decimals than the summary shows
	CoverLong       = "sum-long"       // sums of a group and window with more than 15 digits
)

// cover counts what the sends cover, by looking at them: a file's events are counted by the same rules as made ones.
func (l *Load) cover() {
	c := l.Covered
	for _, name := range []string{TagStart, TagEnd, TagClosing, TagInGrace, TagLate, TagDuplicateNow, TagDuplicateLater, TagInvalid,
		CoverValid, CoverWindows, CoverClosed, CoverKeys, CoverPartitions, CoverRounded, CoverLong} {
		c[name] = 0
	}
	c[CoverOf] = l.shape.topic.Partitions
	latest := map[string]time.Time{} // by group
	before := ""
	for _, s := range l.Sends {
		e := s.Event
		group := strings.Join(e.Group, ",")
		w := l.shape.window()
		end := w.End(e.Window)
		due := l.shape.due(end)
		closed := !latest[group].Before(due)
		switch s.Kind {
		case Broken:
			c[TagInvalid]++
			continue
		case Duplicate:
			if closed {
				c[TagDuplicateLater]++
			}
			if before == e.Label {
				c[TagDuplicateNow]++
			}
		case First:
			c[CoverValid]++
			count(c, TagStart, e.At.Equal(e.Window))
			count(c, TagEnd, e.At.Add(l.shape.tick()).Equal(end))
			count(c, TagClosing, e.Tag == TagClosing)
			count(c, TagLate, closed)
			count(c, TagInGrace, !closed && !latest[group].Before(end))
		}
		before = e.Label
		if e.At.After(latest[group]) {
			latest[group] = e.At
		}
	}
	l.coverKeys()
	l.coverSummaries(latest)
}

func count(c map[string]int, name string, yes bool) {
	if yes {
		c[name]++
	}
}

func (l *Load) coverKeys() {
	keys, partitions := map[string]bool{}, map[int]bool{}
	for i := range l.Events {
		e := &l.Events[i]
		if l.shape.topic.Key.From == "" || !e.Valid() || keys[e.Key] {
			continue
		}
		keys[e.Key] = true
		partitions[l.shape.partition(e.Key)] = true
	}
	l.Covered[CoverKeys], l.Covered[CoverPartitions] = len(keys), len(partitions)
}

// cell is a group in a window.
type cell struct {
	group  string
	window time.Time
}

func (l *Load) coverSummaries(latest map[string]time.Time) {
	members := map[cell][]*draw.Node{}
	windows := map[time.Time]bool{}
	for i := range l.Events {
		e := &l.Events[i]
		if !e.Valid() {
			continue
		}
		record, err := draw.Parse(e.Record)
		if err != nil {
			continue // a valid record parses; without it nothing is counted
		}
		at := cell{strings.Join(e.Group, ","), e.Window.UTC()}
		members[at] = append(members[at], record)
		windows[at.window] = true
	}
	l.Covered[CoverWindows] = len(windows)
	for at, records := range members {
		end := l.shape.window().End(at.window)
		count(l.Covered, CoverClosed, !latest[at.group].Before(l.shape.due(end)))
		if len(l.shape.folds) == 0 {
			continue
		}
		for _, a := range l.shape.folds[0].Into {
			l.coverNumbers(a, records)
		}
	}
}

func (l *Load) coverNumbers(a contract.Aggregate, records []*draw.Node) {
	sum := new(big.Rat)
	n := int64(0)
	for _, r := range records {
		if v := r.At(a.Of); a.Of != "" && v != nil {
			if x, ok := new(big.Rat).SetString(v.Text); ok {
				sum.Add(sum, x)
				n++
			}
		}
	}
	if n == 0 {
		return
	}
	digits := len(strings.Trim(strings.ReplaceAll(draw.Decimal(sum), ".", ""), "-0"))
	count(l.Covered, CoverLong, (a.Op == "sum" || a.Op == "mean") && digits > 15)
	if a.Op == "mean" && a.Decimals >= 0 {
		mean := sum.Quo(sum, big.NewRat(n, 1))
		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(a.Decimals)), nil)
		count(l.Covered, CoverRounded, !mean.Mul(mean, new(big.Rat).SetInt(scale)).IsInt())
	}
}
