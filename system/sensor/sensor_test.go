package sensor

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/system/contract"
)

func document(t testing.TB) *contract.Document {
	t.Helper()
	d, err := contract.Load("architecture.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestTheDocumentAgreesWithItself(t *testing.T) {
	if faults := contract.Lint(document(t), time.Date(2026, 11, 7, 0, 0, 0, 0, time.UTC)); len(faults) > 0 {
		t.Fatal(faults)
	}
}

func TestTheTopicMapIsThatOfTheSource(t *testing.T) {
	d := document(t)
	if len(d.Topics) != 2 {
		t.Fatalf("%d topics, the source has two and no more", len(d.Topics))
	}
	for name, want := range map[string]struct {
		partitions int
		days       time.Duration
	}{"m8-suhu-kejadian": {3, 7}, "m8-suhu-rangkuman": {1, 30}} {
		topic := d.Topic(name)
		if topic == nil || topic.Partitions != want.partitions || topic.Key.From != "/data/id_perangkat" {
			t.Errorf("%s: %+v", name, topic)
			continue
		}
		if ms, err := time.ParseDuration(topic.Config["retention.ms"] + "ms"); err != nil || ms != want.days*24*time.Hour {
			t.Errorf("%s keeps its records for %s (%v), want %d days", name, ms, err, want.days)
		}
		for key, ok := range map[string]bool{"sensor-07": true, "sensor-7": false, "sensor-007": false, "Sensor-07": false, "xsensor-07": false, "sensor-07\n": false} {
			if topic.Key.Matches(key) != ok {
				t.Errorf("%s: key %q matches: %v", name, key, !ok)
			}
		}
	}
}

func TestTheDeliveryContractIsThatOfTheSource(t *testing.T) {
	d := document(t)
	for _, name := range []string{"rekam", "rangkum", "tampilkan"} {
		if got := d.Flow(name).Semantics; got != "at-least-once" {
			t.Errorf("%s is delivered %s", name, got)
		}
	}
	if p := d.Flow("rekam").Producer; p.Acks != "all" || !p.Idempotent {
		t.Errorf("the recorder's producer: %+v", p)
	}
	count := d.Flow("hitung")
	if count.Commit != "after-store" || count.Dedupe.By != d.Envelope.ID || count.Group != "perekap" {
		t.Errorf("counting: %+v", count)
	}
	if d.Group("perekap").Members != 3 || d.Group("perekap").Lag == nil || d.Group("tampilan").Lag == nil {
		t.Errorf("groups: %+v", d.Groups)
	}
	if d.Replay.Window != 7*contract.Day || d.Capacity.Sources != 20 || d.Capacity.Interval != time.Minute || d.Capacity.Claims["volume"] != "50.4 MB" || d.Capacity.Claims["rate"] != "0.33/s" {
		t.Errorf("replay %+v, capacity %+v", d.Replay, d.Capacity)
	}
	if len(contract.Clauses(d)) != len(contract.ClauseIDs()) {
		t.Error("the sensor document does not make every clause")
	}
}

func TestTwoDecisionsAreAcceptedAndEachCanBeReviewed(t *testing.T) {
	d := document(t)
	var accepted []string
	for _, a := range d.ADRs {
		if a.Status == contract.Accepted {
			accepted = append(accepted, a.ID)
		}
		if len(a.Reasons) == 0 || len(a.Alternatives) == 0 || len(a.Body) < 80 || !strings.HasPrefix(a.Body, "# "+a.Title) {
			t.Errorf("%s can't be reviewed: %+v", a.ID, a)
		}
		if a.Status == contract.Proposed && len(a.Expects) == 0 {
			t.Errorf("%s expects nothing", a.ID)
		}
	}
	if !slices.Equal(accepted, []string{"ADR-0001", "ADR-0002"}) {
		t.Errorf("accepted: %q", accepted)
	}
}

// example is the source's own event.
const example = `{
"event_id": "a3f8e1d2-7b4c-4e2a-9c1d-5e6f7a8b9c0d",
"event_type": "sensor.suhu.terbaca",
"occurred_at": "2026-11-07T08:30:00Z",
"data": {
"id_perangkat": "sensor-07",
"lantai": 3,
"suhu_c": 24.5
}
}`

func TestTheSourcesExampleIsTheDocumentsAndPassesBoth(t *testing.T) {
	d := document(t)
	var ours, theirs any
	for text, into := range map[string]*any{example: &theirs, string(d.Payload("suhu-terbaca").Examples[0]): &ours} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := json.Marshal(ours)
	b, _ := json.Marshal(theirs)
	if string(a) != string(b) {
		t.Errorf("the document's example %s is not the source's %s", a, b)
	}
	if problems := d.Payload("suhu-terbaca").Validate([]byte(example)); len(problems) > 0 {
		t.Errorf("document: %v", problems)
	}
	if wrong := script(t, example); len(wrong) > 0 {
		t.Errorf("script: %q", wrong)
	}
}

// TestWhereTextAndScriptDisagreeTheTextWins holds the document and the source's script against the same events.
func TestWhereTextAndScriptDisagreeTheTextWins(t *testing.T) {
	p := document(t).Payload("suhu-terbaca")
	for _, c := range []struct{ name, old, fresh, document, script string }{
		{"a date without a time", "2026-11-07T08:30:00Z", "2026-11-07", "/occurred_at", ""},
		{"a date without hyphens", "2026-11-07T08:30:00Z", "20261107", "/occurred_at", ""},
		{"the zone of Jakarta", "08:30:00Z", "15:30:00+07:00", "/occurred_at", ""},
		{"no zone", "08:30:00Z", "08:30:00", "/occurred_at", ""},
		{"a space before the time", "2026-11-07T08:30:00Z", "2026-11-07 08:30:00Z", "/occurred_at", ""},
		{"no seconds", "08:30:00Z", "08:30Z", "/occurred_at", ""},
		{"true as a floor", `"lantai": 3`, `"lantai": true`, "/data/lantai", ""},
		{"true as a temperature", `"suhu_c": 24.5`, `"suhu_c": true`, "/data/suhu_c", ""},
		{"a name given twice", `"lantai": 3`, `"lantai": 11, "lantai": 3`, "/data/lantai", ""},
		{"an event of another kind", "sensor.suhu.terbaca", "sensor.pintu.terbuka", "/event_type", ""},
		{"a floor with a point is a whole number in JSON", `"lantai": 3`, `"lantai": 3.0`, "", "lantai"},

		{"a time that is none", "2026-11-07T08:30:00Z", "kemarin", "/occurred_at", "occurred_at"},
		{"a day that is not", "2026-11-07T08:30:00Z", "2026-11-31T08:30:00Z", "/occurred_at", "occurred_at"},
		{"an hour that is not", "T08:30:00Z", "T25:30:00Z", "/occurred_at", "occurred_at"},
		{"an id in upper case", "a3f8e1d2", "A3F8E1D2", "/event_id", "event_id"},
		{"an id that is short", "5e6f7a8b9c0d", "5e6f7a8b9c0", "/event_id", "event_id"},
		{"a type of one word", "sensor.suhu.terbaca", "suhu", "/event_type", "event_type"},
		{"a type in upper case", "sensor.suhu.terbaca", "Sensor.suhu.terbaca", "/event_type", "event_type"},
		{"a device of one digit", "sensor-07", "sensor-7", "/data/id_perangkat", "id_perangkat"},
		{"a device of another name", "sensor-07", "termometer-07", "/data/id_perangkat", "id_perangkat"},
		{"too cold", "24.5", "-40.1", "/data/suhu_c", "suhu_c"},
		{"just cold enough", "24.5", "-40", "", ""},
		{"too hot", "24.5", "60.5", "/data/suhu_c", "suhu_c"},
		{"just hot enough", "24.5", "60", "", ""},
		{"a temperature as a text", "24.5", `"24.5"`, "/data/suhu_c", "suhu_c"},
		{"a floor too low", `"lantai": 3`, `"lantai": 0`, "/data/lantai", "lantai"},
		{"a floor too high", `"lantai": 3`, `"lantai": 11`, "/data/lantai", "lantai"},
		{"half a floor", `"lantai": 3`, `"lantai": 2.5`, "/data/lantai", "lantai"},
		{"no floor", `"lantai": 3,`, "", "/data/lantai", "lantai"},
		{"no id", `"event_id": "a3f8e1d2-7b4c-4e2a-9c1d-5e6f7a8b9c0d",`, "", "/event_id", "event_id"},
		{"everything at once", `"sensor-07",` + "\n" + `"lantai": 3,` + "\n" + `"suhu_c": 24.5`, `7, "lantai": "3", "suhu_c": null`, "/data/id_perangkat /data/lantai /data/suhu_c", "id_perangkat suhu_c lantai"},
	} {
		t.Run(c.name, func(t *testing.T) {
			event := strings.Replace(example, c.old, c.fresh, 1)
			if event == example {
				t.Fatalf("%q does not stand in the example", c.old)
			}
			var got []string
			for _, problem := range p.Validate([]byte(event)) {
				got = append(got, string(problem.Field))
			}
			if strings.Join(got, " ") != c.document {
				t.Errorf("the document refuses %q, want %q", got, c.document)
			}
			if wrong := strings.Join(script(t, event), " "); wrong != c.script {
				t.Errorf("the script refuses %q, want %q", wrong, c.script)
			}
		})
	}
}

func TestNotANumberIsNoTemperature(t *testing.T) {
	p := document(t).Payload("suhu-terbaca")
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		problems := p.Validate([]byte(strings.Replace(example, "24.5", word, 1)))
		if len(problems) != 1 || problems[0].Field != "/data/suhu_c" {
			t.Errorf("%s: %v", word, problems)
		}
	}
}
