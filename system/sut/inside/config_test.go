package inside

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor"
	"tahanuji/reference/sensor/fold"
	"tahanuji/reference/sensor/payload"
	"tahanuji/system/contract"
)

func document(t *testing.T, path string) *contract.Document {
	t.Helper()
	doc, err := contract.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// generic is a configuration without what is compared in another way.
func generic(t *testing.T, c sensor.Config) map[string]any {
	t.Helper()
	c.Timing = sensor.Timing{}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTheSensorDocumentGivesTheReferencesOwnConfiguration(t *testing.T) {
	doc := document(t, "../../sensor/architecture.yaml")
	want := generic(t, sensor.Default())
	for _, role := range doc.RoleNames() {
		c, err := Config(doc, role, "")
		if err != nil {
			t.Fatal(err)
		}
		got := generic(t, c)
		for name := range want {
			if !reflect.DeepEqual(got[name], want[name]) {
				t.Errorf("%s: %s is\n%v, the reference has\n%v", role, name, got[name], want[name])
			}
		}
	}
}

func TestAnotherDocumentGivesItsOwnNames(t *testing.T) {
	doc := document(t, "../../contract/testdata/toko/architecture.yaml")
	c, err := Config(doc, "papan-tulis", "run7.")
	if err != nil {
		t.Fatal(err)
	}
	if c.Events.Name != "run7.toko-pesanan" || c.Summaries.Name != "run7.toko-total" || c.SummarizerGroup != "run7.pembukuan" ||
		c.DisplayGroup != "run7.papan" || c.SummaryType != "total_harian" || c.Envelope.ID != "/kode" || !c.Fold.OnChange ||
		c.Fold.Window.Zone != "Asia/Jakarta" || c.Fold.Window.As != fold.Date || c.Fold.Window.Size != 24*time.Hour || len(c.Fold.Into) != 4 ||
		c.Dedupe.Window != 72*time.Hour || c.RecorderProducer != (port.ProducerConfig{Acks: -1, Idempotent: true}) ||
		c.OverwriteKey[0] != "/isi/tanggal" || c.Envelope.TimeAs != "" || len(c.Events.Payload.Schema) == 0 {
		t.Errorf("%+v", c)
	}
}

func TestWhatADocumentSaysOfTimesTypesAndProducers(t *testing.T) {
	doc := document(t, "../../contract/testdata/toko/architecture.yaml")
	doc.Payloads[0].Schema = json.RawMessage(`{"properties":{"waktu":{"type":"integer"}}}`)
	doc.Payloads[1].Examples = nil
	doc.Payloads[1].Schema = json.RawMessage(`{"properties":{"jenis":{"enum":["a","b"]}}}`)
	for i := range doc.Flows {
		if doc.Flows[i].Producer != nil {
			doc.Flows[i].Producer = &contract.Producer{Acks: "1"}
		}
	}
	c, err := Config(doc, "kasir", "")
	if err != nil {
		t.Fatal(err)
	}
	if c.Envelope.TimeAs != fold.Number || c.SummaryType != "a" || c.RecorderProducer.Acks != 1 || c.RecorderProducer.Idempotent {
		t.Errorf("%+v", c)
	}
}

func TestARoleThatTheReferenceCantPlayIsRefusedWithTheReason(t *testing.T) {
	doc := document(t, "../../contract/testdata/toko/architecture.yaml")
	twice := *doc.Flow("jumlahkan")
	twice.Name = "jumlahkan-lagi"
	doc.Flows = append(doc.Flows, twice)
	if _, err := Config(doc, "buku-besar", ""); err == nil || !strings.Contains(err.Error(), "it makes 2 folds") {
		t.Errorf("%v", err)
	}
}

func TestWhereNothingIsFoldedTheEventsThemselvesAreRecordedAndShown(t *testing.T) {
	doc := document(t, "../../contract/testdata/toko/architecture.yaml")
	doc.Flows = []contract.Flow{*doc.Flow("terima"), {Name: "lihat", Role: "jendela", Kind: contract.Display, Reads: "toko-pesanan", Group: "jendela"}}
	for _, role := range doc.RoleNames() {
		c, err := Config(doc, role, "x.")
		if err != nil {
			t.Fatal(err)
		}
		if c.Events.Name != "x.toko-pesanan" || c.Summaries.Name != c.Events.Name || c.DisplayGroup != "x.jendela" ||
			!slices.Equal(c.OverwriteKey, []payload.Pointer{c.Events.Key}) || c.Events.Key == "" {
			t.Errorf("%s: %+v", role, c)
		}
	}
	doc.Topics[0].Key = contract.Key{}
	c, err := Config(doc, "jendela", "")
	if err != nil || !slices.Equal(c.OverwriteKey, []payload.Pointer{c.Envelope.ID}) || c.Events.Key != "" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestASummarizerWhoseSummariesAreFoldedAgainMakesOneFold(t *testing.T) {
	doc := document(t, "../../contract/testdata/toko/architecture.yaml")
	again := *doc.Flow("jumlahkan")
	again.Name, again.Role, again.Reads = "jumlahkan-lagi", "buku-induk", "toko-total"
	out := *doc.Flow("terbitkan")
	out.Name, out.Role, out.Writes = "terbitkan-lagi", "buku-induk", "toko-pesanan"
	doc.Flows = append(doc.Flows, again, out)
	for role, reads := range map[string]string{"buku-besar": "toko-pesanan", "buku-induk": "toko-total"} {
		if c, err := Config(doc, role, ""); err != nil || c.Events.Name != reads {
			t.Errorf("%s reads %s, %v", role, c.Events.Name, err)
		}
	}
}

func TestARoleOfSeveralTopicsOrOfASummaryWithoutAFoldIsRefused(t *testing.T) {
	doc := document(t, "../../contract/testdata/toko/architecture.yaml")
	doc.Flows = append(doc.Flows,
		contract.Flow{Name: "a", Role: "two", Kind: contract.Recorder, Writes: "toko-pesanan"},
		contract.Flow{Name: "b", Role: "two", Kind: contract.Recorder, Writes: "toko-total"},
		contract.Flow{Name: "c", Role: "idle", Kind: contract.Summarizer, Reads: "toko-pesanan", Group: "idle"})
	for role, why := range map[string]string{"two": "it is a recorder of 2 topics (toko-pesanan, toko-total)", "idle": "it is a summarizer without a fold"} {
		if _, err := Config(doc, role, ""); err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), "sut.yaml") {
			t.Errorf("%v", err)
		}
	}
}

func TestPayloadsAreCompiledOnce(t *testing.T) {
	doc := document(t, "../../contract/testdata/toko/architecture.yaml")
	checkers := NewCheckers()
	a, err := Config(doc, "kasir", "")
	if err != nil {
		t.Fatal(err)
	}
	b := a
	if err := checkers.Share(&a); err != nil {
		t.Fatal(err)
	}
	if err := checkers.Share(&b); err != nil || a.Events.Payload.Shared != b.Events.Payload.Shared || a.Events.Payload.Shared == nil {
		t.Errorf("%v", err)
	}
	b.Events.Payload.Shared = nil
	b.Events.Name, b.Events.Payload.Schema = "other", json.RawMessage(`{"type":`)
	if err := checkers.Share(&b); err == nil {
		t.Error("a schema that is no JSON was compiled")
	}
}
