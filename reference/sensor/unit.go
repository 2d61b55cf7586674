package sensor

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor/fold"
)

// Buckets of the summarizer's store. Windows are never dropped: a replay of old events must find them.
const (
	bucketIDs     = "ids"     // id -> event time, group
	bucketWindows = "windows" // group, start -> fold.Row
	bucketOpen    = "open"    // group, start -> claim; the windows whose last version is not published
	bucketGroups  = "groups"  // group -> newest event time, clock of the last new event
	bucketPoison  = "poison"  // topic/partition/offset -> why
)

// pruneEvery is how many new ids are taken in between two prunings, at least.
const pruneEvery = 10_000

// unit is one transaction of the summarizer. It may be run again after it failed: a new unit each time.
type unit struct {
	s      *Summarizer
	tx     port.Tx
	now    time.Time
	groups map[string]*groupState
	rows   map[string]*fold.Row
	byName []string // groups that had events, in the order of their first one: nothing depends on the order of maps
	byRow  []string // rows that changed, likewise
	due    []*publication
	fresh  []string // ids that were new
	pruned int      // ids kept by a pruning, -1 if there was none
}

// groupState is what is known of a group's time.
type groupState struct {
	newest int64 // event time, milliseconds since 1970
	clock  int64 // the clock when its last new event came
	// touched: a record of the group came in this transaction.
	touched bool
}

func (s *Summarizer) newUnit() *unit {
	return &unit{s: s, now: s.port.Now(), groups: map[string]*groupState{}, rows: map[string]*fold.Row{}, pruned: -1}
}

// kept takes over what a committed transaction changed in memory.
func (s *Summarizer) kept(u *unit) {
	s.added += len(u.fresh)
	if s.flaws.Has(DedupeInMemory) {
		for _, id := range u.fresh {
			s.spoiling.ids[id] = true
		}
	}
	if u.pruned >= 0 {
		s.added, s.pruneAt = 0, max(pruneEvery, u.pruned/4)
	}
}

func (u *unit) run(tx port.Tx, events []event, sweep bool) error {
	u.tx = tx
	for i := range events {
		if err := u.event(&events[i]); err != nil {
			return err
		}
	}
	for _, key := range u.byRow {
		if err := u.keep(key, u.rows[key]); err != nil {
			return err
		}
	}
	for _, group := range u.byName {
		g := u.groups[group]
		value := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(make([]byte, 0, 16), uint64(g.newest)), uint64(g.clock))
		if err := tx.Put(bucketGroups, group, value); err != nil {
			return err
		}
	}
	if err := u.collect(sweep); err != nil {
		return err
	}
	return u.prune()
}

// event takes one event in, unless it is known.
func (u *unit) event(e *event) error {
	if e.skipped {
		return nil
	}
	if e.poison != "" {
		return u.tx.Put(bucketPoison, fmt.Sprintf("%s/%d/%d", e.at.Topic, e.at.Partition, e.at.Offset), []byte(e.poison))
	}
	g, err := u.group(e.group)
	if err != nil {
		return err
	}
	if !g.touched {
		g.touched = true
		u.byName = append(u.byName, e.group)
	}
	known, err := u.known(e, g)
	if err != nil || known {
		return err
	}
	g.newest = max(g.newest, e.time)
	g.clock = u.now.UnixMilli() // an event that comes once more does not break the silence
	if u.s.flaws.Has(WallClockHour) {
		start, end := u.s.read.cutter.Of(u.now)
		e.start, e.end = start.UnixMilli(), end.UnixMilli()
	}
	key := rowKey(e.group, e.start)
	row, err := u.row(key, e)
	if err != nil {
		return err
	}
	if u.s.flaws.Has(LateEventDropped) && row.Published > 0 {
		return nil
	}
	if err := row.Add(u.s.read.into, e.numbers); err != nil {
		return u.tx.Put(bucketPoison, fmt.Sprintf("%s/%d/%d", e.at.Topic, e.at.Partition, e.at.Offset), []byte(err.Error()))
	}
	if len(u.s.flaws) > 0 {
		u.s.warp(row, e)
	}
	if u.rows[key] == nil {
		u.byRow = append(u.byRow, key)
	}
	u.rows[key] = row
	return nil
}

// known says whether an event was taken in before, and remembers it.
func (u *unit) known(e *event, g *groupState) (bool, error) {
	id := e.id
	switch {
	case u.s.flaws.Has(NoDedupe):
		return false, nil
	case u.s.flaws.Has(DedupeByOffset):
		id = fmt.Sprintf("%s/%d/%d", e.at.Topic, e.at.Partition, e.at.Offset)
	case u.s.flaws.Has(DedupeInMemory):
		known := u.s.spoiling.ids[id] || slices.Contains(u.fresh, id)
		u.fresh = append(u.fresh, id)
		return known, nil
	}
	value, had, err := u.tx.Get(bucketIDs, id)
	if err != nil {
		return false, err
	}
	if had && u.s.flaws.Has(DedupeWindowShort) && len(value) >= 8 {
		age := g.newest - int64(binary.BigEndian.Uint64(value))
		had = age < u.s.c.Fold.Window.Size.Milliseconds()/4
	}
	if had {
		return true, nil
	}
	u.fresh = append(u.fresh, id)
	value = append(binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(e.group)), uint64(e.time)), e.group...)
	return false, u.tx.Put(bucketIDs, id, value)
}

func (u *unit) group(name string) (*groupState, error) {
	if g, ok := u.groups[name]; ok {
		return g, nil
	}
	g := &groupState{newest: -1 << 62}
	value, ok, err := u.tx.Get(bucketGroups, name)
	if err != nil {
		return nil, err
	}
	if ok && len(value) == 16 {
		g.newest, g.clock = int64(binary.BigEndian.Uint64(value)), int64(binary.BigEndian.Uint64(value[8:]))
	}
	u.groups[name] = g
	return g, nil
}

func (u *unit) row(key string, e *event) (*fold.Row, error) {
	if row, ok := u.rows[key]; ok {
		return row, nil
	}
	value, ok, err := u.tx.Get(bucketWindows, key)
	if err != nil {
		return nil, err
	}
	if !ok {
		return fold.NewRow(e.start, e.end, len(u.s.read.into)), nil
	}
	return fold.DecodeRow(value)
}

// keep writes a changed row and opens it.
func (u *unit) keep(key string, row *fold.Row) error {
	if err := u.tx.Put(bucketWindows, key, row.Encode()); err != nil {
		return err
	}
	value, open, err := u.tx.Get(bucketOpen, key)
	if err != nil {
		return err
	}
	c := claim{end: row.End}
	if open {
		if c, err = decodeClaim(value); err != nil || c.owner != inDoubt {
			return err
		}
		c.until = 0 // there is something new to publish: at once, and the doubt remains
	}
	return u.tx.Put(bucketOpen, key, c.encode())
}

// rowKey orders the windows of a group by their start.
func rowKey(group string, start int64) string {
	return group + "\x00" + rowName(uint64(start)+1<<62) // as many digits before 1970
}

func groupOf(row string) string { return row[:strings.IndexByte(row, 0)] }
