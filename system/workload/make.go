package workload

import (
	"fmt"
	"math/rand"
	"path/filepath"
	"slices"
	"strconv"

	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/workload/draw"
)

// Make makes a load for one recorder flow of a document. Equal arguments make equal loads. It is an error when the document's
// schema can't be drawn from, or says what no draw meets; the error says which rule and what to give instead. Where the
// document names a file, the load is what the file holds.
func Make(doc *contract.Document, o Options) (*Load, error) {
	if doc.Workload.From == "file" {
		return fromFile(doc, o, filepath.Join(filepath.Dir(doc.File), doc.Workload.File))
	}
	s, err := newShape(doc, o.Flow)
	if err != nil {
		return nil, err
	}
	if o.Base.IsZero() {
		return nil, fmt.Errorf("workload: flow %s: the options say no time at which the events begin", s.flow.Name)
	}
	events := o.Events
	if events <= 0 {
		events = DefaultEvents
	}
	windows := o.Windows
	if windows <= 0 {
		windows = DefaultWindows
	}
	m := newMaker(s, o)
	people, err := s.subjects(seed.Rand(o.Seed, "sources"), sources(s, o, windows, events))
	if err != nil {
		return nil, err
	}
	first, err := m.probe(people[0])
	if err != nil {
		return nil, err
	}
	if err := s.clocks(first, o.Base); err != nil {
		return nil, err
	}
	slots := s.layout(seed.Rand(o.Seed, "layout"), o.Base, len(people), windows, events)
	l := newLoad(s, o)
	if err := m.fill(l, slots, people, o); err != nil {
		return nil, err
	}
	l.cover()
	return l, nil
}

func newLoad(s *shape, o Options) *Load {
	return &Load{Flow: s.flow.Name, Role: s.flow.Role, Topic: s.topic.Name, Covered: map[string]int{}, shape: s, seed: o.Seed, body: o.Body}
}

// sources is how many keys send: two a partition, or fewer when the events would not reach.
func sources(s *shape, o Options, windows, events int) int {
	if o.Sources > 0 {
		return o.Sources
	}
	return max(1, min(max(4, 2*s.topic.Partitions), events/(2*windows+2)))
}

// probe is a record to try forms of time on: drawn as the schema says, with no time set.
func (m *maker) probe(one subject) (*draw.Node, error) {
	if len(m.payload.Examples) > 0 {
		if example, err := draw.Parse(m.payload.Examples[0]); err == nil {
			return example, nil
		}
	}
	return m.once(seed.Rand(m.seed, "probe"), one, m.near, stylePlain)
}

// filler turns slots into events and sends.
type filler struct {
	*maker
	load   *Load
	slots  []slot
	people []subject
	later  map[int][]int // slot -> slots whose events are sent again behind it
	now    map[int]bool
	broken map[int][]variant
	made   []Event
	next   int
}

func (m *maker) fill(l *Load, slots []slot, people []subject, o Options) error {
	f := &filler{maker: m, load: l, slots: slots, people: people, next: o.First, later: map[int][]int{}, now: map[int]bool{}, made: make([]Event, len(slots))}
	f.duplicates(seed.Rand(o.Seed, "duplicates"))
	records := make([]*draw.Node, len(slots))
	for i, s := range slots {
		record, err := m.record(people[s.subject], s.at, s.style, s.address)
		if err != nil {
			return err
		}
		records[i] = record
	}
	if err := f.spread(records); err != nil {
		return err
	}
	for i := range slots {
		f.send(i, records[i])
	}
	return nil
}

// duplicates chooses which events are sent again: at once, and after their window closed.
func (f *filler) duplicates(rng *rand.Rand) {
	each := max(2, len(f.slots)/24)
	order := rng.Perm(len(f.slots))
	for _, i := range order {
		if len(f.now) < each {
			f.now[i] = true
		}
	}
	again := 0
	for _, i := range order {
		s := f.slots[i]
		if again == each || s.tag == TagClosing || f.now[i] {
			continue
		}
		w := f.window()
		due := f.due(w.End(w.Start(s.at)))
		for k := i + 1; k < len(f.slots); k++ {
			if c := f.slots[k]; c.subject == s.subject && c.rank == 0 && !c.at.Before(due) {
				f.later[k] = append(f.later[k], i)
				again++
				break
			}
		}
	}
}

// spread derives the invalid events and places them evenly over the load behind its first sixth.
func (f *filler) spread(records []*draw.Node) error {
	f.broken = map[int][]variant{}
	from := len(records) / 6
	all := f.breaks(records[from])
	if most := max(6, len(records)/2); len(all) > most { // a small load is not to be mostly refusals
		some := make([][]edit, 0, most)
		chosen := seed.Rand(f.seed, "invalid").Perm(len(all))[:most]
		slices.Sort(chosen)
		for _, k := range chosen {
			some = append(some, all[k])
		}
		all = some
	}
	for k, edits := range all {
		at := from + k*(len(records)-from)/len(all)
		base := records[at].Clone()
		if err := f.stampOwn(base, "invalid/"+strconv.Itoa(k)); err != nil {
			return err
		}
		if v, ok := f.like(base, edits); ok { // optional fields may be missing in this record
			f.broken[at] = append(f.broken[at], v)
		}
	}
	return nil
}

func (f *filler) send(i int, record *draw.Node) {
	s := f.slots[i]
	e := Event{Record: record.Bytes(), At: s.at, Window: f.window().Start(s.at), Tag: s.tag}
	f.describe(&e, record)
	f.made[i] = f.load.add(e, First, &f.next)
	if f.now[i] {
		f.load.Sends = append(f.load.Sends, Send{Event: f.made[i], Kind: Duplicate, Tag: TagDuplicateNow})
	}
	for _, k := range f.later[i] {
		f.load.Sends = append(f.load.Sends, Send{Event: f.made[k], Kind: Duplicate, Tag: TagDuplicateLater})
	}
	for _, v := range f.broken[i] {
		f.load.add(f.brokenEvent(v, f.made[i]), Broken, &f.next)
	}
}

// brokenEvent makes the invalid event of a variant, beside a valid one.
func (s *shape) brokenEvent(v variant, beside Event) Event {
	e := Event{Record: v.record.Bytes(), At: beside.At, Window: beside.Window, Tag: TagInvalid, Wrong: v.wrong, How: v.how}
	s.describe(&e, v.record)
	return e
}

// add numbers an event and sends it for the first time.
func (l *Load) add(e Event, kind Kind, next *int) Event {
	e.Index, e.Label = *next, Label(*next)
	*next++
	l.Events = append(l.Events, e)
	l.Sends = append(l.Sends, Send{Event: e, Kind: kind, Tag: e.Tag})
	if l.Base.IsZero() || e.At.Before(l.Base) {
		l.Base = e.At
	}
	if e.At.After(l.Last) {
		l.Last = e.At
	}
	return e
}
