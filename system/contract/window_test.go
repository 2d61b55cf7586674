package contract_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"tahanuji/system/contract"
)

func moment(t testing.TB, text string) time.Time {
	t.Helper()
	m, err := contract.ParseTime(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestWindowsAreCutInTheZonesLocalTime(t *testing.T) {
	for _, c := range []struct {
		name, zone   string
		size         time.Duration
		at           string
		start, after string // in UTC
	}{
		{"an hour", "UTC", time.Hour, "2026-11-07T08:30:00Z", "2026-11-07T08:00:00Z", "2026-11-07T09:00:00Z"},
		{"the first moment belongs to the window", "UTC", time.Hour, "2026-11-07T08:00:00Z", "2026-11-07T08:00:00Z", "2026-11-07T09:00:00Z"},
		{"the last moment does too", "UTC", time.Hour, "2026-11-07T08:59:59.999999999Z", "2026-11-07T08:00:00Z", "2026-11-07T09:00:00Z"},
		{"the zone of the event does not matter", "UTC", time.Hour, "2026-11-07T15:30:00+07:00", "2026-11-07T08:00:00Z", "2026-11-07T09:00:00Z"},
		{"a day in Jakarta", "Asia/Jakarta", contract.Day, "2026-03-02T16:59:59Z", "2026-03-01T17:00:00Z", "2026-03-02T17:00:00Z"},
		{"the next day in Jakarta", "Asia/Jakarta", contract.Day, "2026-03-02T17:00:00Z", "2026-03-02T17:00:00Z", "2026-03-03T17:00:00Z"},
		{"an hour where the offset has a half", "Asia/Kolkata", time.Hour, "2026-03-02T10:15:00Z", "2026-03-02T09:30:00Z", "2026-03-02T10:30:00Z"},
		{"a quarter of an hour where the offset has three", "Asia/Kathmandu", 15 * time.Minute, "2026-03-02T10:14:00Z", "2026-03-02T10:00:00Z", "2026-03-02T10:15:00Z"},
		{"a day of 23 hours", "Europe/Berlin", contract.Day, "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"},
		{"a day of 25 hours", "Europe/Berlin", contract.Day, "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"},
		{"an hour that comes twice, the first", "Europe/Berlin", time.Hour, "2026-10-25T00:30:00Z", "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"},
		{"an hour that comes twice, the second", "Europe/Berlin", time.Hour, "2026-10-25T01:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"},
		{"a quarter of a day with an hour more", "Europe/Berlin", 6 * time.Hour, "2026-10-25T01:30:00Z", "2026-10-24T22:00:00Z", "2026-10-25T05:00:00Z"},
		{"a day whose midnight does not exist", "Asia/Beirut", contract.Day, "2026-03-29T10:00:00Z", "2026-03-28T22:00:00Z", "2026-03-29T21:00:00Z"},
		{"the day before it", "Asia/Beirut", contract.Day, "2026-03-28T10:00:00Z", "2026-03-27T22:00:00Z", "2026-03-28T22:00:00Z"},
		{"a midnight that comes twice", "America/Havana", contract.Day, "2026-11-01T05:30:00Z", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"},
		{"before 1970", "UTC", time.Hour, "1969-12-31T23:59:59Z", "1969-12-31T23:00:00Z", "1970-01-01T00:00:00Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := contract.Window{Size: c.size, Zone: c.zone}
			start := w.Start(moment(t, c.at))
			if !start.Equal(moment(t, c.start)) {
				t.Errorf("start %s, want %s", start.UTC(), c.start)
			}
			if end := w.End(start); !end.Equal(moment(t, c.after)) {
				t.Errorf("end %s, want %s", end.UTC(), c.after)
			}
		})
	}
}

func TestEveryMomentIsInExactlyOneWindow(t *testing.T) {
	zones := []string{"UTC", "Asia/Jakarta", "Asia/Kathmandu", "Europe/Berlin", "America/Havana", "Asia/Beirut", "America/St_Johns", "Atlantic/Azores", "Pacific/Chatham"}
	sizes := []time.Duration{time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, contract.Day}
	locations := map[string]*time.Location{}
	for _, z := range zones {
		loc, err := time.LoadLocation(z)
		if err != nil {
			t.Fatal(err)
		}
		locations[z] = loc
	}
	rapid.Check(t, func(t *rapid.T) {
		w := contract.Window{Size: rapid.SampledFrom(sizes).Draw(t, "size"), Zone: rapid.SampledFrom(zones).Draw(t, "zone")}
		// From 2012 on: before, St. John's set its clocks back at 00:01, and had half an hour of one day inside the next.
		at := time.Unix(rapid.Int64Range(1325376000, 1893456000).Draw(t, "at"), 0).In(locations[w.Zone])
		if _, change := at.ZoneBounds(); !change.IsZero() && rapid.Bool().Draw(t, "near a clock change") {
			at = change.Add(time.Duration(rapid.Int64Range(-26*3600, 26*3600).Draw(t, "off")) * time.Second)
		}
		start := w.Start(at)
		end := w.End(start)
		if start.After(at) || !at.Before(end) {
			t.Fatalf("%s is not in %s to %s", at, start, end)
		}
		if again := w.Start(start); !again.Equal(start) {
			t.Fatalf("the window of its start %s begins at %s", start, again)
		}
		if last := w.Start(end.Add(-1)); !last.Equal(start) {
			t.Fatalf("the last moment before %s is in the window of %s, not of %s", end, last, start)
		}
		if next := w.Start(end); !next.Equal(end) {
			t.Fatalf("the window after %s begins at %s, not at its end %s", start, next, end)
		}
		for _, as := range []string{"time", "number"} {
			w.As = as
			if back, err := w.Parse(w.Format(start)); err != nil || !back.Equal(start) {
				t.Fatalf("%s as %s is %s, read as %s: %v", start, as, w.Format(start), back, err)
			}
		}
		if w.As = "date"; w.Size == contract.Day {
			if back, err := w.Parse(w.Format(start)); err != nil || !back.Equal(start) {
				t.Fatalf("%s as a date is %s, read as %s: %v", start, w.Format(start), back, err)
			}
		}
	})
}

func TestAWindowsStartIsWrittenAsTheDocumentSays(t *testing.T) {
	at := moment(t, "2026-03-02T00:00:00+07:00")
	for as, want := range map[string]string{"time": `"2026-03-02T00:00:00+07:00"`, "date": `"2026-03-02"`, "number": "1772384400000"} {
		w := contract.Window{Size: contract.Day, Zone: "Asia/Jakarta", As: as}
		if got := string(w.Format(at)); got != want {
			t.Errorf("as %s: %s, want %s", as, got, want)
		}
	}
	w := contract.Window{Size: time.Hour, Zone: "UTC", As: "time"}
	if got := string(w.Format(at)); got != `"2026-03-01T17:00:00Z"` {
		t.Errorf("in UTC: %s", got)
	}
	if got := w.Label(at); got != "2026-03-01T17:00:00Z" {
		t.Errorf("label: %s", got)
	}
	if got, err := w.Parse([]byte(`"2026-03-02T00:00:00+07:00"`)); err != nil || !got.Equal(at) {
		t.Errorf("a time in another zone: %s, %v", got, err)
	}
	for as, raw := range map[string]string{"time": `"2026-03-02"`, "date": `"2026-03-02T00:00:00Z"`, "number": `"1772384400000"`} {
		w := contract.Window{Size: contract.Day, Zone: "UTC", As: as}
		if got, err := w.Parse([]byte(raw)); err == nil {
			t.Errorf("as %s: %s was read as %s", as, raw, got)
		}
	}
}

func TestDurationsAreISO8601WithoutTheCalendar(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"P7D": 7 * contract.Day, "P1W": 7 * contract.Day, "PT1H": time.Hour, "P1DT12H": 36 * time.Hour, "PT90S": 90 * time.Second, "PT0S": 0,
		"PT0.5S": 500 * time.Millisecond, "PT1,25S": 1250 * time.Millisecond, "P2W1DT3H4M5.000000006S": 15*contract.Day + 3*time.Hour + 4*time.Minute + 5*time.Second + 6,
	} {
		if got, err := contract.ParseDuration(text); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "P", "PT", "P1DT", "7d", "P1M", "P1Y", "P-1D", "-P1D", "PT1.5H", "PT1S ", "p1d", "PT1H1H", "P99999999999999999999D", "P99999D", "PT0.0000000001S"} {
		if got, err := contract.ParseDuration(text); err == nil {
			t.Errorf("%q was read as %s", text, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(0, int64(90*366*contract.Day)).Draw(t, "d"))
		if rapid.Bool().Draw(t, "whole") {
			d = d.Truncate(time.Minute)
		}
		if back, err := contract.ParseDuration(contract.FormatDuration(d)); err != nil || back != d {
			t.Fatalf("%d is %s, read as %d: %v", d, contract.FormatDuration(d), back, err)
		}
	})
}
