package sensor

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor/fold"
	"tahanuji/reference/sensor/payload"
)

// totals is a system in which nothing is named as in the sensor system: daily totals of each shop and till, published at
// every change, times as numbers, no event type.
func totals() Config {
	return Config{
		Events:          Topic{Name: "pesanan", Key: "/isi/toko", Payload: payload.Config{Schema: json.RawMessage(`{"type":"object","required":["no","isi"]}`)}},
		Summaries:       Topic{Name: "total", Key: "/isi/toko"},
		Envelope:        Envelope{ID: "/no", Time: "/waktu", Data: "/isi", TimeAs: fold.Number},
		SummarizerGroup: "pembukuan", DisplayGroup: "papan",
		RecorderProducer: port.ProducerConfig{Acks: 1}, SummarizerProducer: port.ProducerConfig{Acks: -1},
		Fold: fold.Config{
			By:       []payload.Pointer{"/isi/toko", "/isi/kasir/no"},
			Window:   fold.Window{Of: "/waktu", Size: 24 * time.Hour, Zone: "Asia/Jakarta", Into: "/isi/tanggal", As: fold.Date},
			OnChange: true,
			Into: []fold.Aggregate{{Into: "/isi/n", Op: fold.Count}, {Into: "/isi/omzet", Op: fold.Sum, Of: "/isi/harga"},
				{Into: "/isi/rata", Op: fold.Mean, Of: "/isi/harga", Decimals: -1}},
		},
		OverwriteKey: []payload.Pointer{"/isi/tanggal", "/isi/toko", "/isi/kasir/no"},
	}
}

func order(no int, shop, till string, at time.Time, price string) []byte {
	return fmt.Appendf(nil, `{"no":%d,"waktu":%d,"isi":{"toko":%q,"kasir":{"no":%s},"harga":%s}}`, no, at.UnixMilli(), shop, till, price)
}

func TestByFieldsStandInASummaryByNameFirstAndThenInOrder(t *testing.T) {
	for _, c := range []struct{ by, over, want []payload.Pointer }{
		{[]payload.Pointer{"/a", "/b"}, []payload.Pointer{"/w", "/b", "/a"}, []payload.Pointer{"/a", "/b"}},
		{[]payload.Pointer{"/a", "/t"}, []payload.Pointer{"/w", "/type", "/a"}, []payload.Pointer{"/a", "/type"}},
		{[]payload.Pointer{"/t", "/a"}, []payload.Pointer{"/a", "/w", "/type"}, []payload.Pointer{"/type", "/a"}},
		{[]payload.Pointer{"/x", "/y"}, []payload.Pointer{"/p", "/q", "/w"}, []payload.Pointer{"/p", "/q"}},
	} {
		config := totals()
		config.Fold.By, config.OverwriteKey, config.Fold.Window.Into = c.by, c.over, "/w"
		if got, err := config.summaryBy(); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v over %v: %v, %v", c.by, c.over, got, err)
		}
	}
}

func TestWhereTheDocumentGivesNoKeyNoRecordHasOne(t *testing.T) {
	c := totals()
	c.Events.Key, c.Summaries.Key = "", ""
	f := newFake(c)
	ctx := context.Background()
	r, err := NewRecorder(f.port("recorder", 1), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSummarizer(f.port("summarizer", 1), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{r.open(ctx), r.recover(ctx), s.open(ctx)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if a := r.Accept(ctx, order(1, "melati", "1", time.Date(2026, 3, 2, 17, 0, 0, 0, time.UTC), "7")); !a.Recorded {
		t.Fatalf("%+v", a)
	}
	if err := s.rounds(t, 2); err != nil {
		t.Fatal(err)
	}
	for _, topic := range []string{"pesanan", "total"} {
		if len(f.logs[topic]) == 0 {
			t.Errorf("%s is empty", topic)
		}
		for _, partition := range f.logs[topic] {
			for _, record := range partition {
				if record.Key != nil {
					t.Errorf("%s: a record has the key %q", topic, record.Key)
				}
			}
		}
	}
}

func TestAnotherDocumentIsPlayedByTheSameRoles(t *testing.T) {
	c := totals()
	f := newFake(c)
	ctx := context.Background()
	r, err := NewRecorder(f.port("recorder", 1), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSummarizer(f.port("summarizer", 1), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDisplay(f.port("display", 1), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{r.open(ctx), r.recover(ctx), s.open(ctx), d.open(ctx)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	midnight := time.Date(2026, 3, 2, 17, 0, 0, 0, time.UTC) // of 3 March in Jakarta
	for i, raw := range [][]byte{
		order(1, "melati", "1", midnight.Add(-time.Millisecond), "0.10"),
		order(2, "melati", "1", midnight, "0.2"),
		order(3, "melati", "2", midnight, "7"),
		order(4, "melati", "1", midnight, "0.1"),
		order(4, "melati", "1", midnight, "0.1"),
		order(5, `mel"ati`, "1", midnight, "1e1"),
	} {
		if a := r.Accept(ctx, raw); !a.Recorded {
			t.Fatalf("%s: %+v", raw, a)
		}
		if i%2 == 0 {
			if err := s.rounds(t, 1); err != nil {
				t.Fatal(err)
			}
		}
	}
	if a := r.Accept(ctx, []byte(`{"no":6,"isi":{}}`)); len(a.Refused) != 1 || a.Refused[0].Field != "/isi/toko" {
		t.Errorf("an order without its key: %+v", a)
	}
	if err := s.rounds(t, 3); err != nil {
		t.Fatal(err)
	}
	if err := d.round(ctx); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range d.Rows() {
		got = append(got, fmt.Sprintf("%q %s", row.Key, row.Value))
	}
	want := []string{
		`["2026-03-02" "melati" "1"] {"toko":"melati","kasir":{"no":1},"tanggal":"2026-03-02","n":1,"omzet":0.1,"rata":0.100000000000}`,
		`["2026-03-03" "mel\"ati" "1"] {"toko":"mel\"ati","kasir":{"no":1},"tanggal":"2026-03-03","n":1,"omzet":10,"rata":10.000000000000}`,
		`["2026-03-03" "melati" "1"] {"toko":"melati","kasir":{"no":1},"tanggal":"2026-03-03","n":2,"omzet":0.3,"rata":0.150000000000}`,
		`["2026-03-03" "melati" "2"] {"toko":"melati","kasir":{"no":2},"tanggal":"2026-03-03","n":1,"omzet":7,"rata":7.000000000000}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("rows:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
