package sensor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor/fold"
	"tahanuji/reference/sensor/payload"

	"github.com/tidwall/gjson"
)

// writer makes the bytes of summaries. They depend on the set of events alone: the same set gives the same bytes.
type writer struct {
	c      Config
	shape  *fold.Shape
	cutter *fold.Cutter
	key    payload.Path
	hasTyp bool
	hasAt  bool
}

func newWriter(c Config) (*writer, error) {
	w := &writer{c: c, hasTyp: c.Envelope.Type != "", hasAt: c.Envelope.Time != ""}
	holes := []payload.Pointer{c.Envelope.ID}
	if w.hasTyp {
		holes = append(holes, c.Envelope.Type)
	}
	if w.hasAt {
		holes = append(holes, c.Envelope.Time)
	}
	by, err := c.summaryBy()
	if err != nil {
		return nil, err
	}
	holes = append(append(holes, by...), c.Fold.Window.Into)
	for _, a := range c.Fold.Into {
		holes = append(holes, a.Into)
	}
	var errs [3]error
	w.shape, errs[0] = fold.NewShape(holes)
	w.cutter, errs[1] = fold.NewCutter(c.Fold.Window)
	w.key, errs[2] = payload.Compile(c.Summaries.Key)
	return w, errors.Join(errs[:]...)
}

// record makes the summary of a row. Its id is derived from group and window, its time is the window's end.
func (w *writer) record(group string, row *fold.Row, s *Summarizer) (port.Record, error) {
	start := time.UnixMilli(row.Start)
	id := fold.DerivedID(w.c.Summaries.Name, group, strconv.FormatInt(row.Start, 10))
	if s.flaws.Has(SummaryRandomID) {
		s.spoiling.drawn++
		id = fold.DerivedID("drawn", strconv.Itoa(s.port.Instance()), strconv.FormatInt(s.port.Now().UnixNano(), 10), strconv.Itoa(s.spoiling.drawn))
	}
	values := make([]string, 0, 16)
	values = append(values, fold.Quote(id))
	if w.hasTyp {
		values = append(values, fold.Quote(w.c.SummaryType))
	}
	if w.hasAt {
		values = append(values, w.time(row.End))
	}
	gjson.Parse("[" + group + "]").ForEach(func(_, v gjson.Result) bool {
		values = append(values, v.Raw)
		return true
	})
	values = append(values, w.cutter.JSON(start))
	for i, a := range w.c.Fold.Into {
		v, err := row.JSON(i, a)
		if err != nil {
			return port.Record{}, fmt.Errorf("summary of %s: %w", group, err)
		}
		if a.Op == fold.Mean && s.flaws.Has(FloatMean) {
			v = cutOff(row, i, a)
		}
		values = append(values, v)
	}
	value := w.shape.Fill(values)
	return port.Record{Topic: w.c.Summaries.Name, Key: w.keyOf(row, value, s.flaws), Value: value}, nil
}

// keyOf is the key of a summary's record, nil where the topic's records have none.
func (w *writer) keyOf(row *fold.Row, value []byte, flaws Flaws) []byte {
	switch {
	case flaws.Has(SummaryKeyOfTheHour):
		return []byte(strconv.FormatInt(row.Start, 10))
	case w.c.Summaries.Key == "":
		return nil
	}
	return []byte(payload.Text(w.key.Get(value)))
}

func (w *writer) time(ms int64) string {
	if w.c.Envelope.TimeAs == fold.Number {
		return strconv.FormatInt(ms, 10)
	}
	return fold.Quote(time.UnixMilli(ms).UTC().Format(time.RFC3339Nano))
}

// send sends what is due, in order.
func (s *Summarizer) send(ctx context.Context, due []*publication) {
	for _, p := range due {
		if s.port.Now().UnixMilli() >= p.until && !s.flaws.Has(PublishNotRetried) {
			continue // paused since the claim: somebody else may have published a newer version; it is claimed again
		}
		p.promise = s.producer.Send(ctx, p.record)
		s.flying[p.row] = p
		s.order = append(s.order, p)
	}
}

// settle waits for the answers to publications, together at most Timing.PublishWait, and marks what is in the topic. What
// the client gave up stays open and is published again once its claim is over.
func (s *Summarizer) settle(ctx context.Context) error {
	if len(s.order) == 0 {
		return nil
	}
	until := s.port.Now().Add(s.c.Timing.PublishWait)
	var acked, waiting []*publication
	failed := false
	for _, p := range s.order {
		ack, err := p.promise.Wait(ctx, max(0, until.Sub(s.port.Now())))
		switch {
		case err == nil:
			p.ack = ack
			acked = append(acked, p)
		case ended(ctx, err):
			return err
		case errors.Is(err, port.ErrWaiting):
			waiting = append(waiting, p)
			continue
		default:
			failed = true
		}
		delete(s.flying, p.row)
	}
	s.order = waiting
	if failed {
		if err := s.replace(ctx); err != nil {
			return err
		}
	}
	for len(acked) > 0 {
		err := s.store.Update(ctx, func(tx port.Tx) error {
			for _, p := range acked {
				if err := s.mark(tx, p); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			return nil
		}
		if ended(ctx, err) {
			return err
		}
		if err := s.port.Sleep(ctx, s.c.Timing.Backoff); err != nil {
			return err
		}
	}
	return nil
}

// replace takes a new producer, for one that gave a record up may have given up for good. What was in flight stays open and
// is claimed again.
func (s *Summarizer) replace(ctx context.Context) error {
	closing, cancel := context.WithTimeout(ctx, s.c.Timing.PublishWait)
	defer cancel()
	s.producer.Close(closing)
	clear(s.flying)
	s.order = nil
	fresh, err := s.port.NewProducer(ctx, s.c.SummarizerProducer)
	if err != nil {
		return fmt.Errorf("summarizer: producer: %w", err)
	}
	s.producer = fresh
	return nil
}
