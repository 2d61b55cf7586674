package fold

import (
	"fmt"
	"time"
)

const day = 24 * time.Hour

// Cutter finds the window of a time.
type Cutter struct {
	size time.Duration
	days int
	zone *time.Location
	form Form
}

// NewCutter checks a window's size, zone and form.
func NewCutter(w Window) (*Cutter, error) {
	zone, err := time.LoadLocation(w.Zone)
	if err != nil {
		return nil, fmt.Errorf("window: zone: %w", err)
	}
	if w.Size < time.Millisecond || w.Size > day && w.Size%day != 0 {
		return nil, fmt.Errorf("window: size %s: want 1 ms to a day, or whole days", w.Size)
	}
	switch w.As {
	case Time, Date, Number:
	default:
		return nil, fmt.Errorf("window: as %q: want time, date or number", w.As)
	}
	return &Cutter{size: w.Size, days: int(w.Size / day), zone: zone, form: w.As}, nil
}

// Of returns the beginning and the end (exclusive) of t's window.
func (c *Cutter) Of(t time.Time) (start, end time.Time) {
	t = t.In(c.zone)
	year, month, dayOf := t.Date()
	if c.days > 0 {
		// Days are counted from 1970-01-01 of the zone, so that pieces of several days are the same for everybody.
		number := int(time.Date(year, month, dayOf, 0, 0, 0, 0, time.UTC).Unix() / int64(day/time.Second))
		dayOf -= ((number % c.days) + c.days) % c.days
		return time.Date(year, month, dayOf, 0, 0, 0, 0, c.zone), time.Date(year, month, dayOf+c.days, 0, 0, 0, 0, c.zone)
	}
	hour, minute, second := t.Clock()
	wall := time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute + time.Duration(second)*time.Second +
		time.Duration(t.Nanosecond())
	into := wall % c.size
	if c.size <= time.Hour && time.Hour%c.size == 0 {
		// By subtraction: the hour that a change of summer time repeats is two windows.
		start = t.Add(-into)
		return start, start.Add(c.size)
	}
	from, to := wall-into, min(wall-into+c.size, day)
	return c.local(year, month, dayOf, from), c.local(year, month, dayOf, to)
}

func (c *Cutter) local(year int, month time.Month, dayOf int, wall time.Duration) time.Time {
	return time.Date(year, month, dayOf, 0, 0, 0, int(wall), c.zone)
}

// JSON is the start of a window as it stands in a summary.
func (c *Cutter) JSON(start time.Time) string {
	switch c.form {
	case Time:
		return `"` + start.UTC().Format(time.RFC3339Nano) + `"`
	case Date:
		return `"` + start.In(c.zone).Format(time.DateOnly) + `"`
	case Number:
		return fmt.Sprint(start.UnixMilli())
	}
	return "null"
}
