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
	zones, fixed := s.zones(p)
	for _, zone := range zones {
		for _, st := range forms(zone) {
			if !takes(st.plain, near) {
				continue
			}
			if st.fine == nil || !takes(st.fine, near.Add(time.Millisecond)) {
				st.fine, st.tick = st.plain, st.unit
			}
			if !fixed && st.unit == time.Second {
				if other := layout(seconds, s.elsewhere(near)); takes(other, near) {
					st.other = other
				}
			}
			return st, nil
		}
	}
	return stamp{}, fmt.Errorf("workload: payload %s takes no form of time at %s that is known here (RFC 3339 to seconds, milliseconds, microseconds or nanoseconds, "+
		"in UTC, in the window's zone or in an example's); give the events as a file", s.payload.Name, p)
}

const seconds = "2006-01-02T15:04:05Z07:00"

// forms are the ways to write a time, the shortest first.
func forms(zone *time.Location) []stamp {
	return []stamp{
		{plain: layout(seconds, zone), fine: layout("2006-01-02T15:04:05.000Z07:00", zone), unit: time.Second, tick: time.Millisecond},
		{plain: layout("2006-01-02T15:04:05.000Z07:00", zone), unit: time.Millisecond},
		{plain: layout("2006-01-02T15:04:05.000000Z07:00", zone), unit: time.Microsecond},
		{plain: layout("2006-01-02T15:04:05.000000000Z07:00", zone), unit: time.Nanosecond},
		{plain: layout("2006-01-02T15:04:05-07:00", zone), unit: time.Second},
		{plain: layout("2006-01-02T15:04:05.000-07:00", zone), unit: time.Millisecond},
	}
}

// zones are those in which a time may be written: the one that a rule names, or else UTC, the window's, and those of the examples,
// for a schema may want an offset without a rule.
func (s *shape) zones(p contract.Pointer) (zones []*time.Location, fixed bool) {
	if r := s.payload.Rules.Time; r != nil && r.At == p {
		if t, err := time.Parse("Z07:00", r.Zone); err == nil {
			return []*time.Location{t.Location()}, true
		}
		return []*time.Location{time.UTC}, true
	}
	zones = []*time.Location{time.UTC}
	if local, err := time.LoadLocation(s.window().Zone); err == nil {
		zones = append(zones, local)
	}
	for _, example := range s.payload.Examples {
		text, _ := p.Text(example)
		if t, err := contract.ParseTime(text); err == nil {
			zones = append(zones, t.Location())
		}
	}
	return zones, false
}

// elsewhere is a zone that is not UTC: the window's, or seven hours east.
func (s *shape) elsewhere(near time.Time) *time.Location {
	if local, err := time.LoadLocation(s.window().Zone); err == nil {
		if _, offset := near.In(local).Zone(); offset != 0 {
			return local
		}
	}
	return time.FixedZone("", 7*3600)
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
