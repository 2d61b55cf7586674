package workload_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tahanuji/system/workload"
)

// rewritten is a record as a service in another language may write it: names in another order, other white space.
func rewritten(t *testing.T, record []byte, change func(map[string]any)) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(record))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	change(m)
	out, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEventsAreKnownByIDAndElseByWhatTheyCarry(t *testing.T) {
	for path, id := range map[string]string{sensor: "event_id", toko: "kode"} {
		l := made(t, path, 6)
		label := workload.Identify(load(t, path), l)
		for _, e := range l.Valid() {
			if got := label(l.Topic, e.Record); got != e.Label {
				t.Errorf("%s: %s is taken for %q", path, e.Label, got)
			}
			own := rewritten(t, e.Record, func(m map[string]any) { m[id] = "set-by-the-role" })
			if got := label(l.Topic, own); got != e.Label {
				t.Errorf("%s: with an id of the role's, %s is taken for %q", path, e.Label, got)
			}
		}
		if got := label(l.Topic, []byte(`{"x":1}`)); got != "" {
			t.Errorf("a strange record is taken for %q", got)
		}
		if got := label("another-topic", l.Valid()[0].Record); got != "" {
			t.Errorf("a record of another topic is taken for %q", got)
		}
		for _, bad := range []string{"", "{", "null", "[1", `"x"`} {
			if got := label(l.Topic, []byte(bad)); got != "" {
				t.Errorf("%q is taken for %q", bad, got)
			}
		}
	}
}

func TestEventsAreKnownByTheirDataWhereTheRoleSetsAllElse(t *testing.T) {
	l := made(t, sensor, 6)
	label := workload.Identify(load(t, sensor), l)
	for _, e := range l.Valid() {
		own := rewritten(t, e.Record, func(m map[string]any) { m["event_id"], m["occurred_at"] = "x", "2030-01-01T00:00:00Z" })
		if got := label(l.Topic, own); got != e.Label {
			t.Errorf("%s is taken for %q", e.Label, got)
		}
	}
}

func TestSummariesAreKnownByTheirKeyAndWindow(t *testing.T) {
	for path, want := range map[string]string{
		sensor: "summary:sensor-07|2026-11-07T08:00:00Z",
		toko:   "summary:toko-melati|2026-03-01T17:00:00Z",
	} {
		doc := load(t, path)
		label := workload.Identify(doc, made(t, path, 1))
		for _, f := range doc.Flows {
			if len(f.OverwriteKey) == 0 {
				continue
			}
			for _, example := range doc.PayloadOf(f.Writes).Examples {
				if got := label(f.Writes, example); got != want {
					t.Errorf("%s: %s is labelled %q, want %q", path, example, got, want)
				}
			}
			if got := label(f.Writes, []byte(`{"data":{}}`)); got != "" {
				t.Errorf("%s: a summary without a key is labelled %q", path, got)
			}
		}
	}
}

func TestASummaryOfAnEventHasTheLabelThatItsRecordGets(t *testing.T) {
	l := made(t, toko, 1)
	label := workload.Identify(load(t, toko), l)
	for _, e := range l.Valid() {
		all := l.SummariesOf(e)
		if len(all) != 1 || all[0].Role != "buku-besar" || all[0].Topic != "toko-total" {
			t.Fatalf("%s: %v", e.Label, all)
		}
		day := all[0].Window.Format("2006-01-02")
		record := `{"kode":"k","jenis":"total","isi":{"toko":"` + e.Key + `","tanggal":"` + day + `"}}`
		if got := label("toko-total", []byte(record)); got != all[0].Label {
			t.Errorf("%s counts in %q, and the record %s is %q", e.Label, all[0].Label, record, got)
		}
		if !all[0].Window.Equal(e.Window) {
			t.Errorf("%s: window %v and %v", e.Label, all[0].Window, e.Window)
		}
	}
}

// written puts records into a file, one a line.
func written(t *testing.T, records ...[]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.jsonl")
	if err := os.WriteFile(path, append(bytes.Join(records, []byte("\n")), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAFileIsSentAsItStands(t *testing.T) {
	doc, l := load(t, sensor), made(t, sensor, 1)
	var records [][]byte
	for _, s := range l.Sends {
		if s.Kind != workload.Broken {
			records = append(records, s.Event.Record)
		}
	}
	read, err := workload.FromFile(doc, written(t, records...), workload.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(read.Sends) != len(records) || len(read.Events) != len(l.Valid()) {
		t.Fatalf("%d sends of %d events, want %d of %d", len(read.Sends), len(read.Events), len(records), len(l.Valid()))
	}
	for i, s := range read.Sends {
		if !bytes.Equal(s.Event.Record, records[i]) {
			t.Fatalf("send %d is %s, want %s", i, s.Event.Record, records[i])
		}
	}
	for _, name := range []string{workload.TagLate, workload.TagDuplicateNow, workload.TagDuplicateLater, workload.CoverClosed, workload.CoverKeys, workload.TagStart, workload.TagInGrace} {
		if read.Covered[name] != l.Covered[name] {
			t.Errorf("%s: the file covers %d, the load that it was made from %d", name, read.Covered[name], l.Covered[name])
		}
	}
	if !read.Base.Equal(l.Base) || !read.Last.Equal(l.Last) {
		t.Errorf("from %v to %v, want %v to %v", read.Base, read.Last, l.Base, l.Last)
	}
}

func TestABrokenLineIsNamedWithItsFields(t *testing.T) {
	doc, l := load(t, sensor), made(t, sensor, 1)
	good, other := l.Valid()[0].Record, l.Valid()[1].Record
	same := bytes.Replace(other, []byte(l.Valid()[1].ID), []byte(l.Valid()[0].ID), 1)
	for want, lines := range map[string][][]byte{
		"events.jsonl:2: /data/lantai": {good, bytes.Replace(other, []byte(`"lantai":`), []byte(`"lantai":99`), 1), good},
		"events.jsonl:3":               {good, other, []byte(`{"event_id":`)},
		"another record":               {good, same},
		"holds no event":               {[]byte("")},
	} {
		_, err := workload.FromFile(doc, written(t, lines...), workload.Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	if _, err := workload.FromFile(doc, "no-such-file.jsonl", workload.Options{}); err == nil {
		t.Error("a missing file passes")
	}
}
