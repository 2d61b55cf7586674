package sensor

import (
	"encoding/binary"
	"errors"
	"fmt"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor/fold"
)

// claim is an open window: its end, and the member that publishes it until a time of the clock. A claim only saves work:
// two members that publish the same version write the same bytes.
type claim struct {
	end, until int64 // milliseconds since 1970
	owner      int64 // instance; 0: nobody; inDoubt
}

// inDoubt owns a window that was published after somebody else's send of it had remained without an answer. That send, of an
// older version maybe, may still arrive and stand last; so the window is published once more when it no longer can.
const inDoubt = -1

func (c claim) encode() []byte {
	b := make([]byte, 0, 24)
	for _, v := range [...]int64{c.end, c.until, c.owner} {
		b = binary.BigEndian.AppendUint64(b, uint64(v))
	}
	return b
}

func decodeClaim(b []byte) (claim, error) {
	if len(b) != 24 {
		return claim{}, fmt.Errorf("claim: %d bytes, want 24", len(b))
	}
	at := func(i int) int64 { return int64(binary.BigEndian.Uint64(b[8*i:])) }
	return claim{at(0), at(1), at(2)}, nil
}

// collect claims the summaries that are due: of the groups that had events, or of all in a sweep.
func (u *unit) collect(sweep bool) error {
	if sweep {
		return u.collectRange("", "")
	}
	for _, group := range u.byName {
		if err := u.collectRange(group+"\x00", group+"\x01"); err != nil {
			return err
		}
	}
	return nil
}

func (u *unit) collectRange(from, to string) error {
	type openRow struct {
		key   string
		claim claim
	}
	var rows []openRow
	var bad error
	err := u.tx.Scan(bucketOpen, from, to, func(row string, value []byte) bool {
		c, err := decodeClaim(value)
		if err != nil {
			bad = err
			return false
		}
		if _, flying := u.s.flying[row]; !flying && (c.owner == int64(u.s.port.Instance()) || c.until <= u.now.UnixMilli()) {
			rows = append(rows, openRow{row, c})
		}
		return true
	})
	if err := errors.Join(err, bad); err != nil {
		return err
	}
	for _, row := range rows {
		closed, err := u.closed(groupOf(row.key), row.claim.end)
		if err != nil {
			return err
		}
		if !closed {
			continue
		}
		if err := u.claim(row.key, row.claim); err != nil {
			return err
		}
	}
	return nil
}

// closed says whether a window's summary is due: event time of its group passed its end by the grace, or the group has
// been silent for long enough by the clock, or every change is published.
func (u *unit) closed(group string, end int64) (bool, error) {
	if u.s.c.Fold.OnChange {
		return true, nil
	}
	g, err := u.group(group)
	if err != nil {
		return false, err
	}
	silence := u.s.c.Fold.Silence.Milliseconds()
	byClock := silence > 0 && u.now.UnixMilli()-g.clock >= silence && !u.s.flaws.Has(SilenceIgnored)
	return g.newest >= end+u.s.c.Fold.Window.Grace.Milliseconds() || byClock, nil
}

func (u *unit) claim(key string, c claim) error {
	value, ok, err := u.tx.Get(bucketWindows, key)
	if err != nil {
		return err
	}
	if !ok {
		return u.tx.Delete(bucketOpen, key)
	}
	row, err := fold.DecodeRow(value)
	if err != nil {
		return err
	}
	record, err := u.s.write.record(groupOf(key), row, u.s)
	if err != nil {
		return err
	}
	doubt := c.owner != 0 && (c.owner != inDoubt || c.until == 0)
	u.due = append(u.due, &publication{row: key, version: row.Version, record: record, doubt: doubt, until: u.now.Add(u.s.c.Timing.Claim).UnixMilli()})
	if u.s.flaws.Has(PublishNotRetried) {
		row.Published = row.Version
		if err := u.tx.Put(bucketWindows, key, row.Encode()); err != nil {
			return err
		}
		return u.tx.Delete(bucketOpen, key)
	}
	c.owner, c.until = int64(u.s.port.Instance()), u.now.Add(u.s.c.Timing.Claim).UnixMilli()
	return u.tx.Put(bucketOpen, key, c.encode())
}

// mark notes that a publication stands in the topic. Offsets decide which publication is the last one: one that an older
// member sent late makes its older version the published one, and the newer version is published again.
func (s *Summarizer) mark(tx port.Tx, p *publication) error {
	value, ok, err := tx.Get(bucketWindows, p.row)
	if err != nil || !ok {
		return err
	}
	row, err := fold.DecodeRow(value)
	if err != nil {
		return err
	}
	if row.Offset < 0 || row.Partition != p.ack.Partition || p.ack.Offset > row.Offset {
		row.Published, row.Partition, row.Offset = p.version, p.ack.Partition, p.ack.Offset
		if err := tx.Put(bucketWindows, p.row, row.Encode()); err != nil {
			return err
		}
	}
	switch {
	case row.Published != row.Version:
		return tx.Put(bucketOpen, p.row, claim{end: row.End}.encode())
	case p.doubt:
		until := s.port.Now().Add(s.c.Timing.Doubt).UnixMilli()
		return tx.Put(bucketOpen, p.row, claim{end: row.End, until: until, owner: inDoubt}.encode())
	}
	return tx.Delete(bucketOpen, p.row)
}

// prune forgets ids that are older than the dedupe window, measured by the newest event of their own group: a source whose
// clock runs ahead costs nobody else.
func (u *unit) prune() error {
	window := u.s.c.Dedupe.Window.Milliseconds()
	if window == 0 || u.s.added+len(u.fresh) < u.s.pruneAt {
		return nil
	}
	newest := map[string]int64{}
	err := u.tx.Scan(bucketGroups, "", "", func(group string, value []byte) bool {
		if len(value) == 16 {
			newest[group] = int64(binary.BigEndian.Uint64(value))
		}
		return true
	})
	if err != nil {
		return err
	}
	var old []string
	u.pruned = 0
	err = u.tx.Scan(bucketIDs, "", "", func(id string, value []byte) bool {
		if len(value) >= 8 && int64(binary.BigEndian.Uint64(value)) < newest[string(value[8:])]-window {
			old = append(old, id)
		} else {
			u.pruned++
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, id := range old {
		if err := u.tx.Delete(bucketIDs, id); err != nil {
			return err
		}
	}
	return nil
}
