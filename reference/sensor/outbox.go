package sensor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"tahanuji/reference/port"
)

// outbox is the bucket of events that the broker has not acknowledged, in the order of their acceptance.
const outbox = "outbox"

// recover resends, in order, what an earlier life left in the outbox. It comes before new events are taken, so that a
// device's events stay in order; after it the recorder is ready.
func (r *Recorder) recover(ctx context.Context) error {
	var left []*item
	var last string
	err := r.store.Update(ctx, func(tx port.Tx) error {
		left = left[:0]
		return tx.Scan(outbox, "", "", func(row string, raw []byte) bool {
			left = append(left, &item{row: row, record: port.Record{Value: slices.Clone(raw)}})
			last = row
			return true
		})
	})
	if err != nil {
		return fmt.Errorf("recorder: read the outbox: %w", err)
	}
	if last != "" {
		n, err := strconv.ParseUint(last, 10, 64)
		if err != nil {
			return fmt.Errorf("recorder: outbox row %q: %w", last, err)
		}
		r.next = n
	}
	if r.flaws.Has(OutboxUnordered) {
		slices.Reverse(left)
	}
	for _, it := range left {
		row, raw := it.row, it.record.Value
		if r.flaws.Has(NewEventIDOnResend) {
			raw, _ = r.renamed(raw)
		}
		*it = *r.item(raw, r.id.Get(raw), r.key.Get(raw))
		it.row = row
		it.promise = r.current().Send(ctx, it.record)
	}
	r.mu.Lock()
	r.late = append(r.late, left...)
	for _, it := range left {
		r.latest[string(it.record.Key)] = it
	}
	r.mu.Unlock()
	r.wake.Raise()
	r.ready.Raise()
	return nil
}

// empty works the queue off: one transaction keeps all that is in it and drops the rows that were acknowledged, then the
// group is sent in order. What came meanwhile is left to one of those who brought it, so that nobody works for the others for
// ever. r.busy is set.
func (r *Recorder) empty(ctx context.Context) {
	for {
		r.mu.Lock()
		group, acked := r.queue, r.acked
		if len(group) == 0 {
			r.busy = false
			r.mu.Unlock()
			return
		}
		r.queue, r.spare, r.acked = r.spare[:0], nil, nil
		for _, it := range group {
			r.next++
			it.row = rowName(r.next)
		}
		r.mu.Unlock()
		r.keep(ctx, group, acked)
		clear(group)
		r.spare = group[:0] // only who is busy touches it
		if r.handOn() {
			return
		}
	}
}

// handOn makes somebody who waits go on with the queue; false when nobody does.
func (r *Recorder) handOn() bool {
	r.mu.Lock()
	var next *item
	for _, it := range r.queue {
		if !it.gone {
			next = it
			next.lead = true
			break
		}
	}
	r.mu.Unlock()
	if next == nil {
		return false
	}
	next.done.Raise()
	return true
}

func (r *Recorder) keep(ctx context.Context, group []*item, acked []string) {
	err := r.write(ctx, group, acked)
	for _, it := range group {
		if err != nil {
			it.err = fmt.Errorf("recorder: outbox: %w", err)
		} else {
			r.dispatch(ctx, it)
			r.copied(ctx, it)
		}
		if it.done != nil {
			it.done.Raise()
		}
	}
	if err != nil {
		r.mu.Lock()
		r.acked = append(r.acked, acked...)
		r.mu.Unlock()
	}
}

// dispatch sends an item; when nobody waits for it any more, Run looks after it, and also when an earlier one has to be sent anew
// first.
func (r *Recorder) dispatch(ctx context.Context, it *item) {
	if r.holds(ctx, it) {
		r.leave(it)
		return
	}
	promise := r.current().Send(ctx, it.record)
	r.mu.Lock()
	it.promise = promise
	gone := it.gone
	r.mu.Unlock()
	if gone {
		r.leave(it)
	}
}

// holds says whether an item has to wait, because the client gave up one that was accepted before it.
func (r *Recorder) holds(ctx context.Context, it *item) bool {
	var before port.Promise
	r.mu.Lock()
	if latest := r.latest[string(it.record.Key)]; latest != nil && !latest.held {
		before = latest.promise
	}
	r.mu.Unlock()
	if before != nil {
		if _, err := before.Wait(ctx, 0); err != nil {
			r.stick(ctx, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	it.held, it.kept = r.stuck, r.stuck
	return it.held
}

func (r *Recorder) write(ctx context.Context, group []*item, acked []string) error {
	if r.flaws.Has(OutboxInMemory) {
		return nil
	}
	return r.store.Update(ctx, func(tx port.Tx) error {
		for _, row := range acked {
			if err := tx.Delete(outbox, row); err != nil {
				return err
			}
		}
		for _, it := range group {
			if err := tx.Put(outbox, it.row, it.record.Value); err != nil {
				return err
			}
		}
		return nil
	})
}

// tend looks after late answers and deletes acknowledged rows, until ctx ends or the role is gone.
func (r *Recorder) tend(ctx context.Context) error {
	for {
		r.mu.Lock()
		wake := r.wake
		r.mu.Unlock()
		if err := wake.Wait(ctx, idle); err != nil && !errors.Is(err, port.ErrWaiting) {
			return err
		}
		// A pause, so that the answers of a burst share one transaction.
		if err := r.port.Sleep(ctx, r.c.Timing.Housekeeping); err != nil {
			return err
		}
		fresh := r.port.NewSignal()
		r.mu.Lock()
		r.wake = fresh
		r.mu.Unlock()
		if r.look(ctx, 1) > 0 {
			fresh.Raise()
		}
		if err := r.tidy(ctx); err != nil && ended(ctx, err) {
			return err
		}
	}
}

// look asks for late answers, waiting for the first one at most AckWait times patience, and sends anew what the client
// gave up. It returns how many are still open.
func (r *Recorder) look(ctx context.Context, patience int) int {
	r.mu.Lock()
	late := r.late
	r.late = nil
	r.mu.Unlock()
	var open []*item
	failed := false
	for i, it := range late {
		wait := r.c.Timing.AckWait
		if i > 0 || patience == 0 {
			wait = 0
		}
		if it.held {
			open = append(open, it)
			continue
		}
		_, err := it.promise.Wait(ctx, wait)
		if err == nil {
			r.mu.Lock()
			r.acked = append(r.acked, it.row)
			if key := string(it.record.Key); r.latest[key] == it {
				delete(r.latest, key)
			}
			r.mu.Unlock()
			continue
		}
		r.stick(ctx, err)
		failed = failed || !errors.Is(err, port.ErrWaiting)
		open = append(open, it)
	}
	r.mu.Lock()
	failed = failed || r.stuck
	r.mu.Unlock()
	if failed && patience > 0 && ctx.Err() == nil {
		open = r.replace(ctx, open)
	}
	r.mu.Lock()
	r.late = append(open, r.late...)
	r.mu.Unlock()
	return len(open)
}

// replace takes a new producer, for one that gave a record up may have given up for good, and sends what is open once more,
// in order, with what was held back meanwhile. It returns all that is open then.
func (r *Recorder) replace(ctx context.Context, open []*item) []*item {
	fresh, err := r.port.NewProducer(ctx, r.producerConfig())
	if err != nil {
		return open // tried again by the next look
	}
	closing, cancel := context.WithTimeout(ctx, r.c.Timing.AckWait)
	defer cancel()
	r.current().Close(closing)
	r.mu.Lock()
	r.producer = fresh
	r.mu.Unlock()
	for more := open; ; {
		slices.SortFunc(more, func(a, b *item) int { return cmp.Compare(a.row, b.row) })
		for _, it := range more {
			if !it.held && !waits(ctx, it.promise) {
				continue
			}
			promise := fresh.Send(ctx, it.record)
			r.mu.Lock()
			it.promise, it.held = promise, false
			r.mu.Unlock()
		}
		r.mu.Lock()
		more, r.late = r.late, nil
		r.stuck = len(more) > 0
		r.mu.Unlock()
		if len(more) == 0 {
			return open
		}
		open = append(open, more...)
	}
}

// waits says whether a promise is not kept yet.
func waits(ctx context.Context, p port.Promise) bool {
	_, err := p.Wait(ctx, 0)
	return err != nil
}

func (r *Recorder) current() port.Producer {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.producer
}

// tidy deletes acknowledged rows; while somebody empties the queue, that one does it.
func (r *Recorder) tidy(ctx context.Context) error {
	r.mu.Lock()
	if r.busy || len(r.acked) == 0 {
		r.mu.Unlock()
		return nil
	}
	r.busy = true
	acked := r.acked
	r.acked = nil
	r.mu.Unlock()
	err := r.write(ctx, nil, acked)
	r.mu.Lock()
	if err != nil {
		r.acked = append(r.acked, acked...)
	}
	wake := r.wake
	r.mu.Unlock()
	if err != nil {
		wake.Raise()
	}
	r.empty(ctx)
	return err
}
