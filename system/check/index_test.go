package check

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// story is a short history that is written line by line.
type story struct {
	h *history.History
}

func (s *story) add(e history.Event) history.Seq {
	e.Seq = history.Seq(len(s.h.Events) + 1)
	e.At = time.Duration(e.Seq) * time.Millisecond
	s.h.Events = append(s.h.Events, e)
	return e.Seq
}

func (s *story) send(label, value string, phase history.Phase, id string) {
	of := s.add(history.Event{Proc: "recorder", Op: history.OpSend, Phase: history.Invoke, Key: label, Value: value})
	s.add(history.Event{Proc: "recorder", Op: history.OpSend, Phase: phase, Of: of, Key: label, Value: id})
}

func (s *story) record(offset int64, value string) {
	s.add(history.Event{Op: history.OpRecord, Phase: history.OK, Tag: history.ScanRest, Value: value, Where: &history.Position{Topic: "kejadian", Offset: offset}})
}

func golden(t *testing.T) *contract.Document {
	t.Helper()
	doc, err := contract.Load(documents[0])
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func reading(id string, minute int) string {
	return fmt.Sprintf(`{"id":%q,"jenis":"suhu.terbaca","waktu":"2026-11-07T08:%02d:00Z","data":{"alat":"sensor-07","suhu":24.5}}`, id, minute)
}

func labels(t *Topic) []string {
	var out []string
	for i := range t.Records {
		out = append(out, t.Records[i].Label())
	}
	return out
}

func TestARecordIsTheEventOfItsID(t *testing.T) {
	s := &story{&history.History{}}
	s.send("event:0", reading("v0", 1), history.OK, "")
	s.send("event:1", reading("v1", 1), history.Unknown, "")
	s.record(1, reading("v1", 1))
	s.record(0, reading("v0", 1))
	s.record(2, reading("v0", 1))
	s.record(3, reading("stranger", 59))
	s.record(2, reading("v1", 1)) // a position that was seen already
	topic := (&Input{Doc: golden(t), History: s.h}).Index().Topic("kejadian")
	if got, want := labels(topic), []string{"event:0", "event:1", "event:0", ""}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if topic.Records[0].Repeat || !topic.Records[2].Repeat {
		t.Error("the second record of an id is the repeat")
	}
}

func TestWhereTheRoleSetsTheIDARecordIsTheEventOfItsBody(t *testing.T) {
	for name, source := range map[string]string{
		"the record without its id":        `{"jenis":"suhu.terbaca","waktu":"2026-11-07T08:01:00Z","data":{"suhu":24.50,"alat":"sensor-07"}}`,
		"the data and its time":            `{"waktu":"2026-11-07T08:01:00Z","data":{"alat":"sensor-07","suhu":24.5}}`,
		"the data in its place":            `{"data":{"alat":"sensor-07","suhu":24.5}}`,
		"the bare data, written otherwise": ` {"suhu":2.45e1, "alat":"sensor-07"}`,
	} {
		s := &story{&history.History{}}
		s.send("event:0", source, history.OK, "")
		s.record(0, reading("r-1", 1))
		topic := (&Input{Doc: golden(t), History: s.h}).Index().Topic("kejadian")
		if got := labels(topic); got[0] != "event:0" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestIDsOfEqualBodiesGoToTheEventsThatWereSentOftenEnough(t *testing.T) {
	const body = `{"jenis":"suhu.terbaca","waktu":"2026-11-07T08:01:00Z","data":{"alat":"sensor-07","suhu":24.5}}`
	s := &story{&history.History{}}
	s.send("event:0", body, history.Unknown, "")
	s.send("event:0", body, history.OK, "")
	s.send("event:1", body, history.OK, "r-3")
	for i, id := range []string{"r-1", "r-3", "r-2", "r-1", "r-4"} {
		s.record(int64(i), reading(id, 1))
	}
	topic := (&Input{Doc: golden(t), History: s.h}).Index().Topic("kejadian")
	if got, want := labels(topic), []string{"event:0", "event:1", "event:0", "event:0", "event:1"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestSummariesAreFoundUnderTheirKeyInAnyOrderOfItsFields(t *testing.T) {
	doc, err := contract.Load(documents[2])
	if err != nil {
		t.Fatal(err)
	}
	h := &history.History{Events: []history.Event{
		{Seq: 1, Op: history.OpRecord, Phase: history.OK, Tag: history.ScanRest, Where: &history.Position{Topic: "toko-pesanan"},
			Value: `{"kode":"P-0000000017","jenis":"pesanan_dibayar","waktu":"2026-03-02T23:59:59+07:00","isi":{"toko":"toko-melati","harga":125000.50,"barang":3}}`},
		{Seq: 2, Op: history.OpRecord, Phase: history.OK, Tag: history.ScanRest, Where: &history.Position{Topic: "toko-total"},
			Value: `{"kode":"x","jenis":"total_harian","waktu":"2026-03-02T17:00:00Z","isi":{"toko":"toko-melati","tanggal":"2026-03-02","pesanan":1,"omzet":125000.5,"terbesar":125000.50,"barang":3}}`},
	}}
	f := (&Input{Doc: doc, History: h}).Index().Folds[0]
	if len(f.Cells) != 1 || len(f.Cells[0].Events) != 1 || len(f.Cells[0].Published) != 1 || !f.Cells[0].Due {
		t.Fatalf("%+v", f.Cells)
	}
	c := f.Cells[0]
	if got := c.Label(); got != "summary:toko-melati|2026-03-01T17:00:00Z" {
		t.Errorf("label %s", got)
	}
	for i, a := range f.Spec.Into {
		if !c.Right(c.Published[0], i) {
			t.Errorf("%s is not right", a.Into)
		}
	}
}

func TestAWindowIsDueByEventTimeOfItsKeyAlone(t *testing.T) {
	s := &story{&history.History{}}
	s.record(0, reading("v0", 10))
	s.record(1, `{"id":"v1","jenis":"suhu.terbaca","waktu":"2026-11-07T09:04:59Z","data":{"alat":"sensor-07","suhu":24.5}}`)
	s.record(2, `{"id":"v2","jenis":"suhu.terbaca","waktu":"2026-11-07T12:00:00Z","data":{"alat":"sensor-08","suhu":24.5}}`)
	due := func() bool {
		f := (&Input{Doc: golden(t), History: s.h}).Index().Folds[0]
		return f.Cell("sensor-07", time.Date(2026, 11, 7, 8, 0, 0, 0, time.UTC).Unix()).Due
	}
	if due() {
		t.Error("due before the grace has passed, or because of another key")
	}
	s.record(3, `{"id":"v3","jenis":"suhu.terbaca","waktu":"2026-11-07T09:05:00Z","data":{"alat":"sensor-07","suhu":999}}`)
	if due() {
		t.Error("due because of an event that breaks its schema")
	}
	s.record(4, `{"id":"v4","jenis":"suhu.terbaca","waktu":"2026-11-07T09:05:00Z","data":{"alat":"sensor-07","suhu":24.5}}`)
	if !due() {
		t.Error("not due at its end and grace")
	}
}

// Work that is spread over processors gives what one goroutine gives.
func TestALongHistoryIsReadAsAShortOneIs(t *testing.T) {
	s := &story{&history.History{}}
	const n = 3 * smallWork
	for i := range n {
		s.send(fmt.Sprint("event:", i), reading(fmt.Sprint("v", i), i%60), history.OK, "")
	}
	for i := range n {
		s.record(int64(i), reading(fmt.Sprint("v", i), i%60))
	}
	ix := (&Input{Doc: golden(t), History: s.h}).Index()
	topic := ix.Topic("kejadian")
	for i := range topic.Records {
		if r := &topic.Records[i]; r.Label() != fmt.Sprint("event:", i) || r.State != Valid || r.Key != "sensor-07" {
			t.Fatalf("record %d is %s, %v, %q", i, r.Label(), r.State, r.Key)
		}
	}
	if c := ix.Folds[0].Cells; len(c) != 1 || len(c[0].Events) != n {
		t.Errorf("%d cells", len(c))
	}
}
