package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Day is the longest window, and a day of a duration: 24 hours.
const Day = 24 * time.Hour

// A window of up to an hour is cut in the offset of the moment, so that an hour that a clock change repeats is two windows; a longer
// one is cut by the clock on the wall, so that a day begins at local midnight whatever its length.
const byOffset = time.Hour

func (w Window) location() *time.Location {
	if w.loc != nil {
		return w.loc
	}
	loc, err := time.LoadLocation(w.Zone)
	if err != nil {
		// Load refuses unknown zones, so this window was made by hand.
		panic(fmt.Sprintf("contract: window: zone %q: %v", w.Zone, err))
	}
	return loc
}

// Start is the beginning of the window that holds t. It panics on a zone or size that Load refuses.
func (w Window) Start(t time.Time) time.Time {
	if w.Size <= 0 || Day%w.Size != 0 {
		panic(fmt.Sprintf("contract: window: size %s does not divide a day", w.Size))
	}
	t = t.In(w.location())
	wall := time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())
	if w.Size <= byOffset {
		return t.Add(-(wall % w.Size))
	}
	return wallClock(t, wall-wall%w.Size)
}

// End is the first moment after the window that begins at start.
func (w Window) End(start time.Time) time.Time {
	if w.Size <= byOffset {
		return start.Add(w.Size)
	}
	start = start.In(w.location())
	wall := time.Duration(start.Hour())*time.Hour + time.Duration(start.Minute())*time.Minute
	// A midnight that a clock change skipped begins later than 00:00, so cut again.
	return wallClock(start, wall-wall%w.Size+w.Size)
}

// wallClock is the moment of t's local day at which the clock on the wall shows since, or the first moment after it if the clock
// skips that.
func wallClock(t time.Time, since time.Duration) time.Time {
	at := func(loc *time.Location) time.Time {
		return time.Date(t.Year(), t.Month(), t.Day(), int(since/time.Hour), int(since/time.Minute)%60, int(since/time.Second)%60, int(since%time.Second), loc)
	}
	want, got := at(time.UTC), at(t.Location())
	before, after := got.ZoneBounds()
	if sameWall(want, got) {
		if !before.IsZero() {
			_, then := before.Add(-1).Zone()
			_, now := got.Zone()
			if first := got.Add(time.Duration(now-then) * time.Second); first.Before(before) && sameWall(want, first) {
				return first // the wall shows it twice; the window begins at the first
			}
		}
		return got
	}
	if got.Day() != want.Day() || got.Hour() < want.Hour() {
		return after // Date took the offset in force before the change
	}
	return before
}

func sameWall(a, b time.Time) bool {
	return a.Day() == b.Day() && a.Hour() == b.Hour() && a.Minute() == b.Minute()
}

// Format writes a window's start as the summary carries it: a JSON string with an RFC 3339 time or a date in the window's zone, or
// a JSON number of milliseconds since 1970.
func (w Window) Format(start time.Time) json.RawMessage {
	start = start.In(w.location())
	switch w.As {
	case "date":
		return json.RawMessage(strconv.Quote(start.Format(time.DateOnly)))
	case "number":
		return json.RawMessage(strconv.FormatInt(start.UnixMilli(), 10))
	}
	return json.RawMessage(strconv.Quote(start.Format(time.RFC3339)))
}

// Label writes a window's start as labels do: RFC 3339 in UTC.
func (w Window) Label(start time.Time) string { return start.UTC().Format(time.RFC3339) }

// Parse reads a window's start from the JSON value of a summary's field. A time may be written in any zone and names its moment;
// a date is local midnight of the window's zone; a number is milliseconds since 1970, whole. Whether a window begins there is not
// checked: compare with Start.
func (w Window) Parse(raw []byte) (time.Time, error) {
	if w.As == "number" {
		ms, err := strconv.ParseInt(strings.TrimSuffix(string(raw), ".0"), 10, 64)
		if err != nil {
			return time.Time{}, fmt.Errorf("window: %.40q is no whole number of milliseconds: %w", raw, err)
		}
		return time.UnixMilli(ms).In(w.location()), nil
	}
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return time.Time{}, fmt.Errorf("window: %.40q is no text: %w", raw, err)
	}
	if w.As == "date" {
		t, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return time.Time{}, fmt.Errorf("window: %.40q is no date: %w", text, err)
		}
		noon := time.Date(t.Year(), t.Month(), t.Day(), 12, 0, 0, 0, w.location())
		return wallClock(noon, 0), nil
	}
	t, err := ParseTime(text)
	if err != nil {
		return time.Time{}, fmt.Errorf("window: %w", err)
	}
	return t.In(w.location()), nil
}

// ParseTime reads an RFC 3339 time of an event. A leap second is refused: no window can hold it.
func ParseTime(text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return t, fmt.Errorf("%.40q is no RFC 3339 time: %w", text, err)
	}
	return t, nil
}

// Causes of a duration that is refused.
var (
	errNoDuration = errors.New("it is not written as ISO 8601 durations are; write such as P7D, PT1H or PT0.5S")
	errCalendar   = errors.New("a year or a month has no fixed length; write days, such as P30D")
	errTooLong    = errors.New("it is longer than 100 years; write less")
)

var duration = regexp.MustCompile(`^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,](\d{1,9}))?S)?)?$`)

// ParseDuration reads an ISO 8601 duration of weeks, days (24 hours each), hours, minutes and seconds; only seconds may have a
// fraction, to nanoseconds. Years and months are refused, since their length depends on the calendar.
func ParseDuration(text string) (time.Duration, error) {
	m := duration.FindStringSubmatch(text)
	if m == nil || text == "P" || m[5] == "T" {
		return 0, fmt.Errorf("duration %.40q: %w", text, errNoDuration)
	}
	if m[1] != "" || m[2] != "" {
		return 0, fmt.Errorf("duration %.40q: %w", text, errCalendar)
	}
	var sum time.Duration
	for _, part := range []struct {
		number string
		unit   time.Duration
	}{{m[3], 7 * Day}, {m[4], Day}, {m[6], time.Hour}, {m[7], time.Minute}, {m[8], time.Second}} {
		if part.number == "" {
			continue
		}
		n, err := strconv.ParseInt(part.number, 10, 64)
		const most = 100 * 366 * Day
		if err != nil || n > int64(most/part.unit) || sum+time.Duration(n)*part.unit > most {
			return 0, fmt.Errorf("duration %.40q: %w", text, errTooLong)
		}
		sum += time.Duration(n) * part.unit
	}
	if m[9] != "" {
		nanos, _ := strconv.Atoi((m[9] + "000000000")[:9]) // the expression lets digits through only
		sum += time.Duration(nanos)
	}
	return sum, nil
}

// FormatDuration writes a duration as ISO 8601: P7D, PT1H, P1DT12H, PT0.5S. Negative ones are written with a minus in front, which
// ParseDuration does not read.
func FormatDuration(d time.Duration) string {
	if d < 0 {
		return "-" + FormatDuration(-d)
	}
	text, rest := "P", d%Day
	if d >= Day {
		text += strconv.FormatInt(int64(d/Day), 10) + "D"
	}
	if rest == 0 && d > 0 {
		return text
	}
	text += "T"
	if h := rest / time.Hour; h > 0 {
		text += strconv.FormatInt(int64(h), 10) + "H"
	}
	if m := rest % time.Hour / time.Minute; m > 0 {
		text += strconv.FormatInt(int64(m), 10) + "M"
	}
	if s := rest % time.Minute; s > 0 || d == 0 {
		text += strconv.FormatInt(int64(s/time.Second), 10)
		if nanos := s % time.Second; nanos > 0 {
			text += strings.TrimRight(fmt.Sprintf(".%09d", nanos), "0")
		}
		text += "S"
	}
	return text
}
