package sensor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor/payload"
)

// Row is one row of the display.
type Row struct {
	Key   []string        // the fields of overwrite-key, as text
	Value json.RawMessage // the last record's data
	Came  time.Time       // when the record was made, by its timestamp
	At    Position
}

// Display is a member of its group that shows the last summary per overwrite-key. At each start it reads its partitions
// from their beginning; it commits as it goes, never below what is committed. Rows and Handler may be used by several
// goroutines while Run runs.
type Display struct {
	port  port.Port
	c     Config
	flaws Flaws
	check *payload.Checker
	key   []payload.Path
	data  payload.Path

	consumer  port.Consumer
	next      map[port.Partition]int64
	committed map[port.Partition]int64
	renewAt   time.Time

	mu     sync.Mutex // guards what follows; never held across a call of the port
	rows   map[string]Row
	broken int
}

// NewDisplay checks the configuration. It opens nothing before Run.
func NewDisplay(p port.Port, c Config, flaws Flaws) (*Display, error) {
	c, err := c.checked()
	if err != nil {
		return nil, fmt.Errorf("display: %w", err)
	}
	d := &Display{port: p, c: c, flaws: flaws, rows: map[string]Row{},
		next: map[port.Partition]int64{}, committed: map[port.Partition]int64{}}
	if d.check, err = payload.NewChecker(c.Summaries.Payload); err != nil {
		return nil, fmt.Errorf("display: %w", err)
	}
	if d.key, err = payload.CompileAll(c.OverwriteKey); err != nil {
		return nil, fmt.Errorf("display: overwrite-key: %w", err)
	}
	if d.data, err = payload.Compile(c.Envelope.Data); err != nil {
		return nil, fmt.Errorf("display: data: %w", err)
	}
	return d, nil
}

// Run works until ctx ends (a clean stop: nil) or the role is gone (port.ErrGone).
func (d *Display) Run(ctx context.Context) error {
	if err := d.open(ctx); err != nil {
		return err
	}
	var err error
	for err == nil {
		err = d.round(ctx)
		if err != nil && !ended(ctx, err) {
			err = d.port.Sleep(ctx, d.c.Timing.Backoff)
		}
	}
	if errors.Is(err, port.ErrGone) {
		return err
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.c.Timing.Close)
	defer cancel()
	d.consumer.Close(stopping)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (d *Display) open(ctx context.Context) (err error) {
	group, topics := d.c.DisplayGroup, []string{d.c.Summaries.Name}
	if d.flaws.Has(OneGroupForBoth) {
		group, topics = d.c.SummarizerGroup, append(topics, d.c.Events.Name)
	}
	d.consumer, err = d.port.NewConsumer(ctx, port.ConsumerConfig{Group: group, Topics: topics, Max: maxPoll,
		FromStart: !d.flaws.Has(DisplayForgets)})
	if err != nil {
		return fmt.Errorf("display: consumer: %w", err)
	}
	return nil
}

func (d *Display) round(ctx context.Context) error {
	b, err := d.consumer.Poll(ctx, d.c.Timing.Poll)
	for _, ps := range [][]port.Partition{b.Revoked, b.Lost, b.Assigned} {
		for _, p := range ps {
			delete(d.next, p)
			delete(d.committed, p)
		}
	}
	for p, offset := range b.Committed {
		d.committed[p] = offset
	}
	for _, r := range b.Records {
		d.show(r)
		d.next[port.Partition{Topic: r.Topic, Partition: r.Partition}] = r.Offset + 1
	}
	if err != nil && len(b.Records) == 0 {
		return fmt.Errorf("display: poll: %w", err)
	}
	return d.commit(ctx)
}

// commit commits what lies above the committed offset: while the table is rebuilt, nothing does.
func (d *Display) commit(ctx context.Context) error {
	due := map[port.Partition]int64{}
	for p, offset := range d.next {
		if offset > d.committed[p] {
			due[p] = offset
		}
	}
	now := d.port.Now()
	if len(due) == 0 && !now.Before(d.renewAt) {
		// Once more what this life has shown: a late copy of an older commit may have set the group back.
		for p, offset := range d.next {
			if offset >= d.committed[p] {
				due[p] = offset
			}
		}
	}
	if len(due) == 0 {
		return nil
	}
	d.renewAt = now.Add(d.c.Timing.Renew)
	err := d.consumer.Commit(ctx, due)
	if err == nil {
		for p, offset := range due {
			d.committed[p] = offset
		}
		return nil
	}
	if ended(ctx, err) {
		return err
	}
	return nil // kept in next: tried again after the next poll
}

// show takes one record in. The order of the log decides: an older record changes nothing.
func (d *Display) show(r port.Record) {
	if r.Topic != d.c.Summaries.Name {
		return
	}
	row, ok := d.row(r)
	d.mu.Lock()
	defer d.mu.Unlock()
	if !ok {
		d.broken++
		return
	}
	name := strings.Join(row.Key, "\x00")
	if d.flaws.Has(DisplayAppend) {
		name = fmt.Sprintf("%s\x00%020d", name, r.Offset)
	}
	had, known := d.rows[name]
	if known && had.At.Partition == r.Partition && had.At.Offset >= r.Offset {
		return
	}
	if known && d.flaws.Has(DisplayKeepsFirst) {
		return
	}
	d.rows[name] = row
}

// row reads a summary; false when the record breaks its schema.
func (d *Display) row(r port.Record) (Row, bool) {
	if !d.check.Valid(r.Value) {
		return Row{}, false
	}
	row := Row{Came: r.Timestamp, At: Position{r.Topic, r.Partition, r.Offset}, Key: make([]string, len(d.key))}
	for i, p := range d.key {
		v := p.Get(r.Value)
		if !v.Exists() {
			return Row{}, false
		}
		row.Key[i] = payload.Text(v)
	}
	row.Value = json.RawMessage(d.data.Get(r.Value).Raw)
	return row, len(row.Value) > 0
}

// Rows returns what is shown, sorted by key.
func (d *Display) Rows() []Row {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := make([]string, 0, len(d.rows))
	for name := range d.rows {
		names = append(names, name)
	}
	slices.Sort(names)
	out := make([]Row, len(names))
	for i, name := range names {
		out[i] = d.rows[name]
	}
	return out
}

// Broken counts the records that were read and not shown because they break their schema.
func (d *Display) Broken() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.broken
}
