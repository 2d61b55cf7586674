package check

import (
	"cmp"
	"slices"
	"time"

	"tahanuji/system/check/decimal"
	"tahanuji/system/history"
)

// Cell is one summary: a key and a window, with the events that belong into it and what was published of it.
type Cell struct {
	Fold  *Fold
	Key   string
	Start int64     // Unix seconds
	End   time.Time // first moment after the window
	// Events are the topic's records that belong into it: valid, each id once, by partition and offset.
	Events []*Record
	// Doubtful counts records that break the schema and can be read all the same: whether they are counted is not this cell's matter.
	Doubtful int
	// Due says that it must be published by now.
	Due bool
	// Forgotten says that the newest event is more than the dedupe window past the cell's end: its ids may be forgotten by now, so an
	// event that comes again may be counted again.
	Forgotten bool
	// Published are its summaries at rest, in the order in which they were scanned.
	Published []Summary
	// Later are its summaries that were published after the rest, by the scan that saw them first.
	Later map[string][]Summary
	truth []Truth
}

// Truth is what one field of a summary must be.
type Truth struct {
	Num decimal.Num // of a mean: the sum
	OK  bool        // false where an event lacks the field
}

// Summary is one record of a summary topic.
type Summary struct {
	Record *Record
	Values []decimal.Num // by the fold's Into
	Has    []bool
}

// fill puts events and summaries into cells.
func (f *Fold) fill(ix *Index) {
	seen := make(map[string]struct{}, len(f.in.rows))
	for i := range f.in.rows {
		r := &f.in.rows[i]
		if !r.ok {
			continue
		}
		if f.In.Records[i].State == Valid {
			if last, ok := f.latest[r.key]; !ok || r.time > last {
				f.latest[r.key] = r.time
			}
		}
		if _, again := seen[r.id]; again {
			continue
		}
		seen[r.id] = struct{}{}
		f.cell(r.key, r.start).take(f, i)
	}
	if f.out != nil {
		f.fillPublished(ix)
	}
	var newest time.Time
	for _, last := range f.latest {
		if at := time.Unix(0, last); at.After(newest) {
			newest = at
		}
	}
	f.Cells = make([]*Cell, 0, len(f.cells))
	for _, c := range f.cells {
		c.End = f.Spec.Window.End(time.Unix(c.Start, 0))
		c.Due = len(c.Events) > 0 && f.due(ix, c)
		c.Forgotten = f.Flow.Dedupe != nil && f.Flow.Dedupe.Window > 0 && newest.After(c.End.Add(f.Flow.Dedupe.Window))
		f.Cells = append(f.Cells, c)
	}
	slices.SortFunc(f.Cells, func(a, b *Cell) int { return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Start, b.Start)) })
}

func (f *Fold) cell(key string, start int64) *Cell {
	k := cellKey{key, start}
	c := f.cells[k]
	if c == nil {
		c = &Cell{Fold: f, Key: key, Start: start, truth: make([]Truth, len(f.Spec.Into))}
		f.cells[k] = c
	}
	return c
}

// Cell of a key and window start, nil if nothing was seen of it.
func (f *Fold) Cell(key string, start int64) *Cell { return f.cells[cellKey{key, start}] }

// take adds record i of the fold's input.
func (c *Cell) take(f *Fold, i int) {
	record := &f.In.Records[i]
	if record.State != Valid {
		c.Doubtful++
		return
	}
	first := len(c.Events) == 0
	c.Events = append(c.Events, record)
	nums := f.in.nums[i*f.in.stride : (i+1)*f.in.stride]
	for n, a := range f.Spec.Into {
		t := &c.truth[n]
		if a.Op == "count" {
			t.Num, t.OK = decimal.Int(int64(len(c.Events))), true
			continue
		}
		v := nums[slices.Index(f.of, a.Of)]
		switch {
		case first:
			t.Num, t.OK = v.Num, v.ok
		case !v.ok:
			t.OK = false
		case a.Op == "min" && v.Cmp(t.Num) < 0, a.Op == "max" && v.Cmp(t.Num) > 0:
			t.Num = v.Num
		case a.Op == "sum", a.Op == "mean":
			t.Num = t.Num.Add(v.Num)
		}
	}
}

func (f *Fold) fillPublished(ix *Index) {
	f.publish(f.Out.Records, f.out.table, func(c *Cell, s Summary) { c.Published = append(c.Published, s) })
	for scan, records := range f.Out.Later {
		if len(records) == 0 {
			continue
		}
		at := slices.Index(f.Out.views, f.out)
		f.publish(records, ix.decode(f.Out, records)[at], func(c *Cell, s Summary) {
			if c.Later == nil {
				c.Later = map[string][]Summary{}
			}
			c.Later[scan] = append(c.Later[scan], s)
		})
	}
	inOrder := func(a, b Summary) int { return cmp.Compare(a.Record.Event.Seq, b.Record.Event.Seq) }
	for _, c := range f.cells {
		slices.SortStableFunc(c.Published, inOrder)
		for _, later := range c.Later {
			slices.SortStableFunc(later, inOrder)
		}
	}
}

func (f *Fold) publish(records []Record, rows table, add func(c *Cell, s Summary)) {
	for i := range rows.rows {
		r := &rows.rows[i]
		if !r.ok || records[i].Poison {
			continue
		}
		records[i].Cell = f.cell(r.key, r.start)
		add(records[i].Cell, f.summary(&records[i], rows.nums[i*f.out.stride:(i+1)*f.out.stride]))
	}
}

func (f *Fold) summary(r *Record, nums []num) Summary {
	s := Summary{Record: r, Values: make([]decimal.Num, len(nums)), Has: make([]bool, len(nums))}
	for i, n := range nums {
		s.Values[i], s.Has[i] = n.Num, n.ok
	}
	return s
}

// due: at rest always where every change is published; else once the key has an event at or after the window's end and grace, or
// once the clock has certainly passed that and the silence after which the window closes. Where the clock is the run's own it
// counts from the key's last event, so a window is never called due too early.
func (f *Fold) due(ix *Index, c *Cell) bool {
	if f.Spec.Emit != "on-close" {
		return true
	}
	closes := c.End.Add(f.Spec.Window.Grace)
	latest := time.Unix(0, f.latest[c.Key])
	if !latest.Before(closes) {
		return true
	}
	return f.Spec.Close > 0 && ix.elapsed() >= closes.Sub(latest)+f.Spec.Close
}

// ElapsedPhase marks that the runner moved the roles' clock on; the event's Value is by how much (Go's notation), "" means far enough
// for every window to close.
const ElapsedPhase = "elapsed"

// elapsed is how long the roles' clock ran before the scan at rest and after the last send.
func (ix *Index) elapsed() time.Duration {
	var last time.Duration
	if len(ix.sends) > 0 {
		last = ix.in.History.Events[ix.sends[len(ix.sends)-1]].At
	}
	rest, ok := ix.PhaseAt("rest")
	if !ok {
		rest = last
	}
	sum := max(0, rest-last)
	for _, e := range ix.Phases {
		if e.Key != ElapsedPhase || ok && e.At > rest {
			continue
		}
		d, err := time.ParseDuration(e.Value)
		if err != nil {
			return 1<<63 - 1
		}
		sum += d
	}
	return sum
}

// Last is the summary that counts: the last in the topic.
func (c *Cell) Last() (Summary, bool) {
	if len(c.Published) == 0 {
		return Summary{}, false
	}
	return c.Published[len(c.Published)-1], true
}

// CountOf a summary, false where it has none, as the summary that was not published.
func (f *Fold) CountOf(s Summary) (int64, bool) {
	if f.Count < 0 || f.Count >= len(s.Has) || !s.Has[f.Count] {
		return 0, false
	}
	return s.Values[f.Count].Int64()
}

// Truth of field i of Into over the cell's events.
func (c *Cell) Truth(i int) Truth { return c.truth[i] }

// Right says whether field i of a summary equals the fold over the cell's events.
func (c *Cell) Right(s Summary, i int) bool {
	a, t := c.Fold.Spec.Into[i], c.truth[i]
	if !s.Has[i] {
		return false
	}
	if a.Op == "mean" {
		return decimal.IsMean(s.Values[i], t.Num, int64(len(c.Events)), a.Decimals)
	}
	return s.Values[i].Equal(t.Num)
}

// Name is the summary in a sentence.
func (c *Cell) Name() string { return "the summary of " + c.Key + " for " + c.Fold.Name(c.Start) }

// Label of the summary as plans and the ledger write it.
func (c *Cell) Label() string { return "summary:" + c.Key + "|" + c.Fold.Name(c.Start) }

// Trace is the send and record of one event of the cell and the summary that counts.
func (c *Cell) Trace(events ...*Record) []history.Seq {
	var trace []history.Seq
	for _, r := range events {
		if r.Sent != nil {
			trace = append(trace, r.Sent.Trace()...)
		}
		trace = append(trace, r.Event.Seq)
	}
	if s, ok := c.Last(); ok {
		trace = append(trace, s.Record.Event.Seq)
	}
	return trace
}
