package workload_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/workload"
)

const (
	sensor = "../sensor/architecture.yaml"
	toko   = "../contract/testdata/toko/architecture.yaml"
)

var base = time.Date(2026, 3, 2, 6, 20, 0, 0, time.UTC)

func load(t *testing.T, path string) *contract.Document {
	t.Helper()
	doc, err := contract.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func made(t *testing.T, path string, seed uint64) *workload.Load {
	t.Helper()
	l, err := workload.Make(load(t, path), workload.Options{Seed: seed, Base: base})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestEqualSeedsMakeEqualLoads(t *testing.T) {
	for _, path := range []string{sensor, toko} {
		a, b, c := made(t, path, 7), made(t, path, 7), made(t, path, 8)
		if len(a.Sends) != len(b.Sends) {
			t.Fatalf("%s: %d and %d sends", path, len(a.Sends), len(b.Sends))
		}
		for i := range a.Sends {
			if x, y := a.Sends[i], b.Sends[i]; x.Event.Label != y.Event.Label || !bytes.Equal(x.Event.Record, y.Event.Record) {
				t.Fatalf("%s: send %d is %s %s and %s %s", path, i, x.Event.Label, x.Event.Record, y.Event.Label, y.Event.Record)
			}
		}
		if bytes.Equal(a.Events[0].Record, c.Events[0].Record) {
			t.Errorf("%s: another seed makes the same first event %s", path, a.Events[0].Record)
		}
	}
}

func TestCoverageHasWhatTheDocumentWants(t *testing.T) {
	for _, path := range []string{sensor, toko} {
		for seed := range uint64(8) {
			l := made(t, path, seed)
			for name, least := range map[string]int{
				workload.TagStart: 3, workload.TagEnd: 3, workload.TagLate: 2, workload.TagDuplicateNow: 2, workload.TagDuplicateLater: 2,
				workload.TagInvalid: 20, workload.CoverWindows: 4, workload.CoverClosed: 3 * l.Covered[workload.CoverKeys],
				workload.CoverPartitions: l.Covered[workload.CoverOf], workload.CoverKeys: 4,
			} {
				if l.Covered[name] < least {
					t.Errorf("%s, seed %d: %s is covered %d times, want at least %d (all: %v)", path, seed, name, l.Covered[name], least, l.Covered)
				}
			}
			if n := l.Covered[workload.CoverValid]; n < 110 || n > 130 {
				t.Errorf("%s, seed %d: %d valid events, want about %d", path, seed, n, workload.DefaultEvents)
			}
		}
	}
	l := made(t, sensor, 1)
	for _, name := range []string{workload.TagInGrace, workload.CoverRounded} {
		if l.Covered[name] == 0 {
			t.Errorf("the sensor's load covers no %s: %v", name, l.Covered)
		}
	}
}

func TestValidEventsKeepTheDocumentAndInvalidOnesBreakTheNamedFields(t *testing.T) {
	for _, path := range []string{sensor, toko} {
		doc := load(t, path)
		l := made(t, path, 3)
		payload := doc.PayloadOf(l.Topic)
		ids := map[string]bool{}
		for i, e := range l.Events {
			if e.Index != i || e.Label != workload.Label(i) {
				t.Errorf("%s: event %d has index %d and label %s", path, i, e.Index, e.Label)
			}
			var fields []contract.Pointer
			for _, p := range payload.Validate(e.Record) {
				fields = append(fields, p.Field)
			}
			if e.Valid() != (len(fields) == 0) {
				t.Errorf("%s: %s (%s %s) breaks %q: %s", path, e.Label, e.Tag, e.How, fields, e.Record)
			}
			for _, w := range e.Wrong {
				if !slices.Contains(fields, w) {
					t.Errorf("%s: %s should break %s and breaks %q", path, e.Label, w, fields)
				}
			}
			if e.ID != "" && ids[e.ID] {
				t.Errorf("%s: %s has an id that another has: %s", path, e.Label, e.ID)
			}
			ids[e.ID] = true
			if id, _ := doc.Envelope.ID.Text(e.Record); e.Valid() && id != e.ID {
				t.Errorf("%s: %s carries id %q, want %q", path, e.Label, id, e.ID)
			}
		}
	}
}

func TestInvalidEventsCoverEveryRuleOfTheSensor(t *testing.T) {
	l := made(t, sensor, 1)
	var all []string
	for _, e := range l.Events {
		if !e.Valid() {
			all = append(all, e.How)
		}
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{
		"/data/id_perangkat missing", "/event_id against its pattern", "/data/suhu_c too small", "/data/suhu_c too large", "/data/lantai true",
		"/data/lantai too large", "in another zone", "without a zone", "NaN", "named twice", "cut short", " and ", "/occurred_at a date without a time",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no invalid event with %q; there are:\n%s", want, text)
		}
	}
}

func TestEventsOfAKeyComeInTheOrderOfTheirTimesExceptLateOnes(t *testing.T) {
	for _, path := range []string{sensor, toko} {
		for seed := range uint64(5) {
			l := made(t, path, seed)
			latest := map[string]time.Time{}
			for _, s := range l.Sends {
				e := s.Event
				if s.Kind != workload.First {
					continue
				}
				if early := e.At.Before(latest[e.Key]); early != (e.Tag == workload.TagLate || e.Tag == workload.TagInGrace) {
					t.Errorf("%s: %s (%s) of %s at %v comes after %v", path, e.Label, e.Tag, e.Key, e.At, latest[e.Key])
				}
				if e.At.After(latest[e.Key]) {
					latest[e.Key] = e.At
				}
			}
		}
	}
}

func TestLateEventsComeAfterTheirWindowIsDueByTheRulesOfTheDocument(t *testing.T) {
	for _, path := range []string{sensor, toko} {
		doc := load(t, path)
		l := made(t, path, 2)
		var w contract.Window
		for _, f := range doc.Flows {
			if f.Fold != nil {
				w = f.Fold.Window
			}
		}
		for i, s := range l.Sends {
			if s.Tag != workload.TagLate && s.Tag != workload.TagDuplicateLater {
				continue
			}
			due := w.End(w.Start(s.Event.At)).Add(w.Grace)
			if !slices.ContainsFunc(l.Sends[:i], func(o workload.Send) bool {
				return o.Event.Valid() && slices.Equal(o.Event.Group, s.Event.Group) && !o.Event.At.Before(due)
			}) {
				t.Errorf("%s: %s is %s, but nothing of its group before it is at or after %v", path, s.Event.Label, s.Tag, due)
			}
		}
	}
}

func TestEveryGroupHasAnEventThatClosesItsWindows(t *testing.T) {
	for _, path := range []string{sensor, toko} {
		l := made(t, path, 4)
		for _, e := range l.Valid() {
			if e.Tag != workload.TagClosing && !l.Closes(e) {
				t.Errorf("%s: nothing closes the window of %s", path, e.Label)
			}
		}
	}
}

func TestEventsAndSourcesAndWindowsAreAsAsked(t *testing.T) {
	doc := load(t, sensor)
	l, err := workload.Make(doc, workload.Options{Seed: 1, Base: base, Events: 700, Sources: 20, Windows: 10, First: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if n := l.Covered[workload.CoverValid]; n < 690 || n > 720 {
		t.Errorf("%d valid events, want about 700", n)
	}
	if n := l.Covered[workload.CoverKeys]; n != 20 {
		t.Errorf("%d keys, want 20", n)
	}
	if n := l.Covered[workload.CoverWindows]; n != 11 {
		t.Errorf("%d windows, want 10 and the one that closes them", n)
	}
	if l.Events[0].Label != "event:1000" {
		t.Errorf("the first label is %s", l.Events[0].Label)
	}
	small, err := workload.Make(doc, workload.Options{Seed: 1, Base: base, Events: 10})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(small.Sends); n > 30 {
		t.Errorf("a load of 10 events has %d sends", n)
	}
}

func TestWithABodyOnlyTheBodyIsBroken(t *testing.T) {
	doc := load(t, sensor)
	l, err := workload.Make(doc, workload.Options{Seed: 1, Base: base, Body: "/data"})
	if err != nil {
		t.Fatal(err)
	}
	broken := 0
	for _, e := range l.Events {
		if data, ok := contract.Pointer("/data").Get(e.Record); ok && string(l.Handed(e)) != data.Raw {
			t.Errorf("%s hands over %s, want %s", e.Label, l.Handed(e), data.Raw)
		}
		if e.Valid() {
			continue
		}
		broken++
		for _, w := range e.Wrong {
			if w != "" && (!contract.Pointer("/data").Under(w) || w == "/data") {
				t.Errorf("%s breaks %s, which the role sets", e.Label, w)
			}
		}
	}
	if broken < 10 {
		t.Errorf("%d invalid events", broken)
	}
	if l.SetsTime() {
		t.Error("the source is said to set the time, which the role does")
	}
}

func TestAnUnknownFlowIsRefusedWithThoseThatAre(t *testing.T) {
	_, err := workload.Make(load(t, sensor), workload.Options{Flow: "masak"})
	if err == nil || !strings.Contains(err.Error(), "rekam") {
		t.Errorf("got %v", err)
	}
}
