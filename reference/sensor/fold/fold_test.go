package fold_test

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"tahanuji/reference/sensor/fold"
	"tahanuji/reference/sensor/payload"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"
)

var into = []fold.Aggregate{
	{Into: "/n", Op: fold.Count}, {Into: "/sum", Op: fold.Sum, Of: "/v"}, {Into: "/min", Op: fold.Min, Of: "/v"},
	{Into: "/max", Op: fold.Max, Of: "/v"}, {Into: "/mean", Op: fold.Mean, Of: "/v", Decimals: 2},
}

func add(t rapid.TB, r *fold.Row, numbers ...string) {
	for _, n := range numbers {
		if err := r.Add(into, []string{n, n, n, n, n}); err != nil {
			t.Fatalf("%s: %v", n, err)
		}
	}
}

func values(t rapid.TB, r *fold.Row) []string {
	var out []string
	for i, a := range into {
		v, err := r.JSON(i, a)
		if err != nil {
			t.Fatalf("%s: %v", a.Into, err)
		}
		out = append(out, v)
	}
	return out
}

func TestAggregatesAreExact(t *testing.T) {
	for _, c := range []struct {
		numbers []string
		want    string
	}{
		{[]string{"24.5"}, "[1 24.5 24.5 24.5 24.50]"},
		{[]string{"0.1", "0.2"}, "[2 0.3 0.1 0.2 0.15]"},
		{[]string{"1e2", "100", "100.00"}, "[3 300 100 100 100.00]"},
		{[]string{"-0.005"}, "[1 -0.005 -0.005 -0.005 -0.01]"},
		{[]string{"0.005"}, "[1 0.005 0.005 0.005 0.01]"},
		{[]string{"-0.004"}, "[1 -0.004 -0.004 -0.004 0.00]"},
		{[]string{"1", "1", "0"}, "[3 2 0 1 0.67]"},
		{[]string{"-0", "0.0"}, "[2 0 0 0 0.00]"},
		{[]string{"99999999999999999999999999999999.99", "0.01"}, "[2 100000000000000000000000000000000 0.01 99999999999999999999999999999999.99 50000000000000000000000000000000.00]"},
		{[]string{"1e-30", "1e30"}, "[2 1000000000000000000000000000000.000000000000000000000000000001 0.000000000000000000000000000001 1000000000000000000000000000000 500000000000000000000000000000.00]"},
	} {
		r := fold.NewRow(0, 1, len(into))
		add(t, r, c.numbers...)
		if got := fmt.Sprint(values(t, r)); got != c.want {
			t.Errorf("%v: %s, want %s", c.numbers, got, c.want)
		}
	}
}

// The bytes depend on the set alone: not on the order, not on how numbers are written; and they agree with rationals.
func TestTheOrderOfEventsChangesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		drawn := rapid.SliceOfN(rapid.Int64Range(-1e9, 1e9), 1, 40).Draw(rt, "numbers")
		sum := new(big.Rat)
		var texts []string
		for i, n := range drawn {
			sum.Add(sum, big.NewRat(n, 1000))
			texts = append(texts, fmt.Sprintf("%se-3", fmt.Sprint(n)))
			if i%2 == 0 {
				texts[i] = big.NewRat(n, 1000).FloatString(5)
			}
		}
		one, other := fold.NewRow(0, 1, len(into)), fold.NewRow(0, 1, len(into))
		add(rt, one, texts...)
		add(rt, other, rapid.Permutation(texts).Draw(rt, "order")...)
		got := values(rt, one)
		if fmt.Sprint(got) != fmt.Sprint(values(rt, other)) {
			rt.Fatalf("%v, in another order %v", got, values(rt, other))
		}
		exact, _ := new(big.Rat).SetString(got[1])
		if exact.Cmp(sum) != 0 {
			rt.Fatalf("sum %s, want %s", got[1], sum.FloatString(3))
		}
		mean, _ := new(big.Rat).SetString(got[4])
		off := mean.Sub(mean, new(big.Rat).Quo(sum, big.NewRat(int64(len(drawn)), 1)))
		if off.Abs(off).Cmp(big.NewRat(5, 1000)) > 0 {
			rt.Fatalf("mean %s is off by %s", got[4], off.FloatString(6))
		}
		back, err := fold.DecodeRow(one.Encode())
		if err != nil || fmt.Sprint(back) != fmt.Sprint(one) {
			rt.Fatalf("stored and read: %v, %v; want %v", back, err, one)
		}
	})
}

func TestBytesThatEndTooEarlyAreNoRow(t *testing.T) {
	r := fold.NewRow(1, 2, len(into))
	add(t, r, "24.5")
	whole := r.Encode()
	for n := range whole {
		if _, err := fold.DecodeRow(whole[:n]); err == nil {
			t.Errorf("%d of %d bytes are taken for a row", n, len(whole))
		}
	}
}

func TestWindowsBeginInLocalTime(t *testing.T) {
	for _, c := range []struct{ zone, size, at, start, end string }{
		{"UTC", "1h", "2026-11-07T08:59:59.999Z", "2026-11-07T08:00:00Z", "2026-11-07T09:00:00Z"},
		{"UTC", "1h", "2026-11-07T09:00:00Z", "2026-11-07T09:00:00Z", "2026-11-07T10:00:00Z"},
		{"Asia/Jakarta", "24h", "2026-11-07T16:59:59Z", "2026-11-06T17:00:00Z", "2026-11-07T17:00:00Z"},
		{"Asia/Kathmandu", "1h", "2026-11-07T08:20:00Z", "2026-11-07T08:15:00Z", "2026-11-07T09:15:00Z"},
		{"Europe/Berlin", "24h", "2026-10-25T12:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"}, // 25 hours
		{"Europe/Berlin", "1h", "2026-10-25T00:30:00Z", "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z"},
		{"Europe/Berlin", "1h", "2026-10-25T01:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T02:00:00Z"}, // the same local hour again
		{"Europe/Berlin", "6h", "2026-03-29T03:30:00Z", "2026-03-28T23:00:00Z", "2026-03-29T04:00:00Z"}, // five hours long
		{"UTC", "5h", "2026-11-07T23:00:00Z", "2026-11-07T20:00:00Z", "2026-11-08T00:00:00Z"},
		{"UTC", "48h", "1970-01-02T12:00:00Z", "1970-01-01T00:00:00Z", "1970-01-03T00:00:00Z"},
		{"UTC", "48h", "1969-12-31T12:00:00Z", "1969-12-30T00:00:00Z", "1970-01-01T00:00:00Z"},
	} {
		size, err := time.ParseDuration(c.size)
		if err != nil {
			t.Fatal(err)
		}
		cut, err := fold.NewCutter(fold.Window{Size: size, Zone: c.zone, As: fold.Time})
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		start, end := cut.Of(at)
		if got := start.UTC().Format(time.RFC3339) + " " + end.UTC().Format(time.RFC3339); got != c.start+" "+c.end {
			t.Errorf("%s of %s in %s: %s, want %s %s", c.size, c.at, c.zone, got, c.start, c.end)
		}
	}
}

// Every time lies in its window, and all times of a window have the same one.
func TestWindowsPartitionTime(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		zone := rapid.SampledFrom([]string{"UTC", "Asia/Jakarta", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"}).Draw(rt, "zone")
		size := rapid.SampledFrom([]time.Duration{time.Minute, 15 * time.Minute, time.Hour, 6 * time.Hour, day, 7 * day}).Draw(rt, "size")
		cut, err := fold.NewCutter(fold.Window{Size: size, Zone: zone, As: fold.Number})
		if err != nil {
			rt.Fatal(err)
		}
		at := time.UnixMilli(rapid.Int64Range(1.7e12, 1.8e12).Draw(rt, "at"))
		start, end := cut.Of(at)
		if at.Before(start) || !at.Before(end) {
			rt.Fatalf("%s is not in %s to %s", at, start, end)
		}
		inside := start.Add(time.Duration(rapid.Int64Range(0, int64(end.Sub(start))-1).Draw(rt, "inside")))
		if s, e := cut.Of(inside); !s.Equal(start) || !e.Equal(end) {
			rt.Fatalf("%s: %s to %s, but %s: %s to %s", at, start, end, inside, s, e)
		}
	})
}

const day = 24 * time.Hour

func TestAStartIsWrittenAsTheDocumentWants(t *testing.T) {
	start := time.Date(2026, 11, 6, 17, 0, 0, 0, time.UTC)
	for form, want := range map[fold.Form]string{fold.Time: `"2026-11-06T17:00:00Z"`, fold.Date: `"2026-11-07"`, fold.Number: "1793984400000"} {
		cut, err := fold.NewCutter(fold.Window{Size: day, Zone: "Asia/Jakarta", As: form})
		if err != nil {
			t.Fatal(err)
		}
		if got := cut.JSON(start); got != want {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
	}
}

func TestAShapePutsValuesAtTheirPointers(t *testing.T) {
	ps := []payload.Pointer{"/id", "/a~1b/x", "/data/n", "/a~1b/y\"", "/missing", "/data/deep/er"}
	s, err := fold.NewShape(ps)
	if err != nil {
		t.Fatal(err)
	}
	out := s.Fill([]string{`"i"`, "1", "2", "3", "", "null"})
	if !gjson.ValidBytes(out) {
		t.Fatalf("no JSON: %s", out)
	}
	for i, want := range []string{`"i"`, "1", "2", "3", "", "null"} {
		path, err := payload.Compile(ps[i])
		if err != nil {
			t.Fatal(err)
		}
		if got := path.Get(out).Raw; got != want {
			t.Errorf("%s: %s, want %s in %s", ps[i], got, want, out)
		}
	}
	for _, bad := range [][]payload.Pointer{{"/a", "/a"}, {"/a", "/a/b"}, {"/a/b", "/a"}, {""}, {"a"}} {
		if _, err := fold.NewShape(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestDerivedIDsAreUUIDsAndTellTheirPartsApart(t *testing.T) {
	ids := map[string]bool{}
	for _, parts := range [][]string{{"a", "b"}, {"ab"}, {"a", "b", ""}, {"", "ab"}, {"a:b"}} {
		id := fold.DerivedID(parts...)
		if len(id) != 36 || id[14] != '5' || id != fold.DerivedID(parts...) || ids[id] {
			t.Errorf("%q: %s", parts, id)
		}
		ids[id] = true
	}
}
