package check

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"tahanuji/system/check/decimal"
	"tahanuji/system/check/jsonscan"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

type num struct {
	decimal.Num
	ok bool
}

// State of a record.
type State uint8

// States. Malformed is no JSON, Invalid breaks the topic's schema or rules.
const (
	Valid State = iota
	Invalid
	Malformed
)

// Record is one record of a topic as a scan saw it.
type Record struct {
	Event     *history.Event
	Partition int32
	Offset    int64
	ID        string // envelope's id, "" if there is none
	Key       string // what the document makes the key of
	HasKey    bool   // the record has something at that place
	State     State
	Poison    bool  // the harness wrote it
	Repeat    bool  // a record of the same id stands before it (partition, offset)
	Sent      *Sent // the event that it is, nil if nobody sent it
	Broken    *Sent // the event that it is, of those that the source broke on purpose
	Like      *Sent // where nobody sent it: the event that it would be but for its id
	Cell      *Cell // the summary that it is, nil if it is none that can be read
}

// Place of the record in a sentence, such as topic/0@17.
func (r *Record) Place() string { return Place(r.Event.Where) }

// Place is a position in a sentence.
func Place(p *history.Position) string {
	return fmt.Sprintf("%s/%d@%d", p.Topic, p.Partition, p.Offset)
}

// Label of the record as plans and the ledger write it, "" if it has none.
func (r *Record) Label() string {
	switch {
	case r.Sent != nil:
		return r.Sent.Label
	case r.Broken != nil:
		return r.Broken.Label
	case r.Like != nil:
		return r.Like.Label
	case r.Cell != nil:
		return r.Cell.Label()
	}
	return ""
}

// Is says that the record may be the one with a label.
func (r *Record) Is(label string) bool {
	if r.Label() == label {
		return true
	}
	return r.Sent != nil && slices.ContainsFunc(r.Sent.Twins, func(s *Sent) bool { return s.Label == label })
}

// smallWork is the number of items below which a second goroutine costs more than it saves.
const smallWork = 4096

// spread calls work for the parts of n items, on all processors.
func spread(n int, work func(from, to int)) {
	parts := runtime.GOMAXPROCS(0)
	if n < smallWork || parts < 2 {
		work(0, n)
		return
	}
	// More parts than processors, so that one slow part does not leave the others idle.
	size := max(smallWork/4, n/(parts*8)+1)
	var mu sync.Mutex
	next := 0
	var failed any
	var all sync.WaitGroup
	for range parts {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					mu.Lock()
					failed = p
					mu.Unlock()
				}
			}()
			for {
				mu.Lock()
				from := next
				next += size
				mu.Unlock()
				if from >= n {
					return
				}
				work(from, min(n, from+size))
			}
		})
	}
	all.Wait()
	if failed != nil {
		panic(failed)
	}
}

// readRecords reads each scan's records, each position once; of a scan after a replay those that no scan before it saw.
func (ix *Index) readRecords() {
	for _, t := range ix.Topics {
		scans := ix.raw[t.Doc.Name]
		for scan := range scans {
			t.Scanned[scan] = true
		}
		for scan, ends := range ix.Ended {
			if t.endsEmpty(ends) {
				t.Scanned[scan] = true
			}
		}
		t.Records = ix.ordered(scans[history.ScanRest])
		t.bounds()
		for i, rows := range ix.decode(t, t.Records) {
			t.views[i].table = rows
		}
		seen := map[history.Position]bool{}
		for _, scan := range []string{history.ScanReplayKept, history.ScanReplayEmptied} {
			t.Later[scan] = slices.DeleteFunc(ix.ordered(scans[scan]), func(r Record) bool {
				at := *r.Event.Where
				if old := t.At(r.Partition, r.Offset); old != nil || seen[at] {
					return true
				}
				seen[at] = true
				return false
			})
		}
	}
}

// endsEmpty says that a scan saw ends of the topic's partitions, all of them 0: it found no record because there is none.
func (t *Topic) endsEmpty(ends map[Partition]*history.Event) bool {
	seen := false
	for p, e := range ends {
		if p.Topic != t.Doc.Name {
			continue
		}
		if e.Where.Offset > 0 {
			return false
		}
		seen = true
	}
	return seen
}

// ordered are the records of the events by partition and offset; of a position seen twice the first sight counts.
func (ix *Index) ordered(at []int32) []Record {
	records := make([]Record, len(at))
	for i, e := range at {
		event := &ix.in.History.Events[e]
		records[i] = Record{Event: event, Partition: event.Where.Partition, Offset: event.Where.Offset}
	}
	byPlace := func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Event.Seq, b.Event.Seq))
	}
	if !slices.IsSortedFunc(records, byPlace) {
		slices.SortFunc(records, byPlace)
	}
	return slices.CompactFunc(records, func(a, b Record) bool { return a.Partition == b.Partition && a.Offset == b.Offset })
}

func (t *Topic) bounds() {
	t.byOffset = map[int32][]int32{}
	for i := range t.Records {
		r := &t.Records[i]
		if _, seen := t.Starts[r.Partition]; !seen {
			t.Starts[r.Partition] = r.Offset
		}
		t.Ends[r.Partition] = r.Offset + 1
		t.byOffset[r.Partition] = append(t.byOffset[r.Partition], int32(i))
	}
}

// At is the record at a position of the scan at rest, nil if there is none.
func (t *Topic) At(partition int32, offset int64) *Record {
	at := t.byOffset[partition]
	i, ok := slices.BinarySearchFunc(at, offset, func(r int32, o int64) int { return cmp.Compare(t.Records[r].Offset, o) })
	if !ok {
		return nil
	}
	return &t.Records[at[i]]
}

// decode reads the places of the records, in parallel, and makes a table for each view of the topic.
// LaterAt is the record at a position that only a scan after a replay saw, nil if there is none.
func (t *Topic) LaterAt(partition int32, offset int64) *Record {
	for _, records := range t.Later {
		i, ok := slices.BinarySearchFunc(records, offset, func(r Record, o int64) int {
			return cmp.Or(cmp.Compare(r.Partition, partition), cmp.Compare(r.Offset, o))
		})
		if ok {
			return &records[i]
		}
	}
	return nil
}

// In are the records of a partition, by offset.
func (t *Topic) In(partition int32) []*Record {
	at := t.byOffset[partition]
	records := make([]*Record, len(at))
	for i, r := range at {
		records[i] = &t.Records[r]
	}
	return records
}

// Before is the index in In of the last record below an offset, -1 if there is none.
func (t *Topic) Before(partition int32, offset int64) int {
	i, _ := slices.BinarySearchFunc(t.byOffset[partition], offset, func(r int32, o int64) int { return cmp.Compare(t.Records[r].Offset, o) })
	return i - 1
}

func (ix *Index) decode(t *Topic, records []Record) []table {
	tables := make([]table, len(t.views))
	for n, v := range t.views {
		tables[n] = table{rows: make([]row, len(records)), nums: make([]num, len(records)*v.stride)}
	}
	spread(len(records), func(from, to int) {
		out := make([]jsonscan.Value, t.plan.Len())
		cuts := make([]windowCut, len(t.views))
		for i := from; i < to; i++ {
			if !records[i].read(t, out) {
				continue
			}
			for n, v := range t.views {
				tables[n].rows[i] = v.read(out, tables[n].nums[i*v.stride:(i+1)*v.stride], &cuts[n])
			}
		}
	})
	return tables
}

// read sets what does not depend on a fold; it is false for what is no JSON.
func (r *Record) read(t *Topic, out []jsonscan.Value) bool {
	if t.plan.Scan(r.Event.Value, out) != nil {
		r.State = Malformed
		return false
	}
	if scalar(out[placeID]) {
		r.ID = out[placeID].Text()
	}
	if scalar(out[placeKey]) {
		r.Key, r.HasKey = out[placeKey].Text(), true
	}
	if t.Payload != nil && !t.proves(r.Event.Value, out[placeTime]) && len(t.Payload.Validate([]byte(r.Event.Value))) > 0 {
		r.State = Invalid
	}
	return true
}

// proves says that a record is certainly valid, its time rule included: it spares most records the validator.
func (t *Topic) proves(record string, when jsonscan.Value) bool {
	if rule := t.Payload.Rules.Time; rule != nil {
		if rule.At != t.time || when.Kind != jsonscan.String || !strings.HasSuffix(when.Text(), rule.Zone) {
			return false
		}
		if _, err := contract.ParseTime(when.Text()); err != nil {
			return false
		}
	}
	return t.schema.Proves(record)
}

// Problems are what is wrong with a record of the topic, none if the document gives no payload.
func (t *Topic) Problems(record string) []contract.Problem {
	if t.Payload == nil {
		return nil
	}
	return t.Payload.Validate([]byte(record))
}

func scalar(v jsonscan.Value) bool {
	switch v.Kind {
	case jsonscan.String, jsonscan.Number, jsonscan.Bool:
		return true
	case jsonscan.Missing, jsonscan.Null, jsonscan.Array, jsonscan.Object:
	}
	return false
}

// read makes a row of a record; it is not ok where a field that the fold needs is missing or unreadable.
func (v *view) read(out []jsonscan.Value, nums []num, cut *windowCut) row {
	f, at := v.fold, v.place
	var r row
	keys := f.keys
	if v.summary {
		keys = f.outKeys
	}
	key, ok := joined(out[at : at+len(keys)])
	if !ok {
		return r
	}
	r.key, at = key, at+len(keys)
	if v.summary {
		start, err := f.Spec.Window.Parse([]byte(out[at].Raw))
		if out[at].Kind == jsonscan.Missing || err != nil {
			return r
		}
		r.start, at = start.Unix(), at+1
	} else {
		when, err := contract.ParseTime(out[at+1].Text())
		if !scalar(out[at]) || out[at+1].Kind != jsonscan.String || err != nil {
			return r
		}
		r.id, r.time, r.start, at = out[at].Text(), when.UnixNano(), cut.start(f, when), at+2
	}
	for i := range nums {
		if out[at+i].Kind == jsonscan.Number {
			nums[i].Num, nums[i].ok = decimal.Parse(out[at+i].Raw)
		}
	}
	r.ok = true
	return r
}

func joined(fields []jsonscan.Value) (string, bool) {
	for _, f := range fields {
		if !scalar(f) {
			return "", false
		}
	}
	if len(fields) == 1 {
		return fields[0].Text(), true
	}
	var key []byte
	for i, f := range fields {
		if i > 0 {
			key = append(key, ',')
		}
		key = append(key, f.Text()...)
	}
	return string(key), true
}

// windowCut remembers the last window, since neighbours in a log mostly share it.
type windowCut struct {
	from, to time.Time
}

func (c *windowCut) start(f *Fold, t time.Time) int64 {
	if c.to.IsZero() || t.Before(c.from) || !t.Before(c.to) {
		c.from = f.Spec.Window.Start(t)
		c.to = f.Spec.Window.End(c.from)
	}
	return c.from.Unix()
}
