package workload

import (
	"fmt"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/workload/draw"
)

// stamp writes event times at one place of the record.
type stamp struct {
	plain func(t time.Time) *draw.Node // for times that fall on a multiple of unit
	fine  func(t time.Time) *draw.Node // for multiples of tick
	other func(t time.Time) *draw.Node // the same instant in another zone, nil where the document wants one zone
	unit  time.Duration
	tick  time.Duration
}

// write chooses the shortest form that says the instant exactly.
func (s stamp) write(t time.Time, elsewhere bool) *draw.Node {
	if t.Truncate(s.unit) != t.Truncate(s.tick) {
		return s.fine(t)
	}
	if elsewhere && s.other != nil {
		return s.other(t)
	}
	return s.plain(t)
}

// clocks finds for each place of the event's time how it can be written, by trying forms on a record that is valid but
// for that place.
func (s *shape) clocks(record *draw.Node, near time.Time) error {
	s.stamps = map[contract.Pointer]stamp{}
	places := []contract.Pointer{s.doc.Envelope.Time}
	for _, f := range s.folds {
		places = append(places, f.Window.Of)
	}
	for _, p := range places {
		if p == "" || s.stamps[p].unit != 0 {
			continue
		}
		st, err := s.clock(record.Clone(), p, near.Truncate(24*time.Hour))
		if err != nil {
			return err
		}
		s.stamps[p] = st
	}
	return nil
}

func (s *shape) clock(record *draw.Node, p contract.Pointer, near time.Time) (stamp, error) {
	takes := func(write func(time.Time) *draw.Node, t time.Time) bool {
		record.Set(p, write(t))
		for _, problem := range s.payload.Validate(record.Bytes()) {
			if problem.Field == p {
				return false
			}
		}
		return true
	}
	zone := time.UTC
	fixed := false
	if r := s.payload.Rules.Time; r != nil && r.At == p {
		fixed = true
		if t, err := time.Parse("Z07:00", r.Zone); err == nil {
			zone = t.Location()
		}
	}
	forms := []stamp{
		{plain: layout("2006-01-02T15:04:05Z07:00", zone), fine: layout("2006-01-02T15:04:05.000Z07:00", zone), unit: time.Second, tick: time.Millisecond},
		{plain: layout("2006-01-02T15:04:05.000Z07:00", zone), unit: time.Millisecond},
		{plain: layout("2006-01-02T15:04:05.000000Z07:00", zone), unit: time.Microsecond},
		{plain: layout("2006-01-02T15:04:05-07:00", zone), unit: time.Second},
	}
	for _, st := range forms {
		if !takes(st.plain, near) {
			continue
		}
		if st.fine == nil || !takes(st.fine, near.Add(time.Millisecond)) {
			st.fine, st.tick = st.plain, st.unit
		}
		local, err := time.LoadLocation(s.window().Zone)
		if err == nil && !fixed && st.unit == time.Second {
			if _, offset := near.In(local).Zone(); offset == 0 {
				local = time.FixedZone("", 7*3600)
			}
			if other := layout("2006-01-02T15:04:05Z07:00", local); takes(other, near) {
				st.other = other
			}
		}
		return st, nil
	}
	return stamp{}, fmt.Errorf("workload: payload %s takes no form of time at %s that is known here (RFC 3339 to seconds, milliseconds or microseconds); give the events as a file", s.payload.Name, p)
}

func layout(form string, zone *time.Location) func(time.Time) *draw.Node {
	return func(t time.Time) *draw.Node { return draw.Text(t.In(zone).Format(form)) }
}

// tick is the smallest step of event time that every place of it can say.
func (s *shape) tick() time.Duration {
	step := time.Nanosecond
	for _, st := range s.stamps {
		step = max(step, st.tick)
	}
	return step
}

// unit is the step of event times that need no fine form.
func (s *shape) unit() time.Duration {
	step := time.Nanosecond
	for _, st := range s.stamps {
		step = max(step, st.unit)
	}
	return step
}
