package contract_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"tahanuji/system/contract"
)

const (
	sensorFile = "../sensor/architecture.yaml"
	shopFile   = "testdata/toko/architecture.yaml"
)

func load(t testing.TB, file string) *contract.Document {
	t.Helper()
	d, err := contract.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func fields(problems []contract.Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, string(p.Field))
	}
	return all
}

func TestEachWrongFieldIsNamedOnceAndAsDeepAsCanBe(t *testing.T) {
	p := load(t, sensorFile).Payload("suhu-terbaca")
	valid := string(p.Examples[0])
	for _, c := range []struct{ name, old, fresh, want string }{
		{"valid", "", "", ""},
		{"unknown fields are let through", `"lantai":3`, `"lantai":3,"baterai":0.9`, ""},
		{"a number that is too large", `"suhu_c":24.5`, `"suhu_c":60.01`, "/data/suhu_c"},
		{"the upper end is valid", `"suhu_c":24.5`, `"suhu_c":60`, ""},
		{"a number as a text", `"suhu_c":24.5`, `"suhu_c":"24.5"`, "/data/suhu_c"},
		{"not a number", `"suhu_c":24.5`, `"suhu_c":NaN`, "/data/suhu_c"},
		{"infinity", `"suhu_c":24.5`, `"suhu_c":-Infinity`, "/data/suhu_c"},
		{"a number beyond all numbers", `"suhu_c":24.5`, `"suhu_c":1e999999999`, "/data/suhu_c"},
		{"true is no integer", `"lantai":3`, `"lantai":true`, "/data/lantai"},
		{"a fraction is no integer", `"lantai":3`, `"lantai":3.5`, "/data/lantai"},
		{"a whole number with a point is an integer", `"lantai":3`, `"lantai":3.0`, ""},
		{"null", `"lantai":3`, `"lantai":null`, "/data/lantai"},
		{"a missing field", `"lantai":3,`, ``, "/data/lantai"},
		{"a missing part", `"data":`, `"isi":`, "/data"},
		{"a name given twice", `"lantai":3`, `"lantai":4,"lantai":3`, "/data/lantai"},
		{"a name given twice at the top", `{"event_id"`, `{"event_type":"sensor.suhu.terbaca","event_id"`, "/event_type"},
		{"a name given twice in escapes", `"lantai":3`, `"lanta\u0069":4,"lantai":3`, "/data/lantai"},
		{"a time with another zone", `08:30:00Z`, `08:30:00+07:00`, "/occurred_at"},
		{"a time that is UTC but does not say Z", `08:30:00Z`, `08:30:00+00:00`, "/occurred_at"},
		{"a time without a zone", `08:30:00Z`, `08:30:00`, "/occurred_at"},
		{"a date", `2026-11-07T08:30:00Z`, `2026-11-07`, "/occurred_at"},
		{"a day that is not", `2026-11-07T`, `2026-02-30T`, "/occurred_at"},
		{"a small zone letter", `08:30:00Z`, `08:30:00z`, "/occurred_at"},
		{"fractions of seconds", `08:30:00Z`, `08:30:00.250Z`, ""},
		{"upper case in the type", `sensor.suhu.terbaca`, `sensor.Suhu.terbaca`, "/event_type"},
		{"a trailing newline in a pattern", `sensor-07"`, `sensor-07\n"`, "/data/id_perangkat"},
		{"several at once", `"id_perangkat":"sensor-07","lantai":3,"suhu_c":24.5`, `"id_perangkat":"sensor-7","lantai":11,"suhu_c":-41`, "/data/id_perangkat /data/lantai /data/suhu_c"},
		{"a flaw beside a missing field", `"lantai":3,"suhu_c":24.5`, `"suhu_c":NaN`, "/data/lantai /data/suhu_c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			record := valid
			if c.old != "" {
				if record = strings.Replace(valid, c.old, c.fresh, 1); record == valid {
					t.Fatalf("%q does not stand in %s", c.old, valid)
				}
			}
			problems := p.Validate([]byte(record))
			if got := strings.Join(fields(problems), " "); got != c.want {
				t.Errorf("got %v, want %q", problems, c.want)
			}
			for _, problem := range problems {
				if problem.Why == "" {
					t.Errorf("%s without a reason", problem.Field)
				}
			}
		})
	}
}

func TestWhatIsNoJSONIsOneProblemOfTheRecord(t *testing.T) {
	p := load(t, sensorFile).Payload("suhu-terbaca")
	for _, record := range []string{
		"", " ", "nul", "{", `{"a"`, `{"a":}`, `{"a":1,}`, `[1 2]`, `{"a":01}`, `{"a":+1}`, `{"a":1.}`, `{"a":.5}`, `{"a":--1}`, `{'a':1}`,
		`{"a":"` + "\x01" + `"}`, `{"a":"\x"}`, "{\"a\":\"\xff\"}", `{"a":1} {}`, "\xef\xbb\xbf{}", `{"a":tru}`, `{"a":Nan}`,
		strings.Repeat("[", 100_000),
	} {
		problems := p.Validate([]byte(record))
		if len(problems) != 1 || problems[0].Field != "" || problems[0].Why == "" {
			t.Errorf("%.20q: %v", record, problems)
		}
	}
	if problems := p.Validate([]byte("[]")); len(problems) != 1 || problems[0].Field != "" {
		t.Errorf("a list: %v", problems)
	}
}

func TestARuleThatTheDocumentDoesNotGiveIsNotJudged(t *testing.T) {
	p := load(t, shopFile).Payload("pesanan")
	record := strings.Replace(string(p.Examples[0]), `"barang":3`, `"barang":4,"barang":3`, 1)
	if problems := p.Validate([]byte(record)); len(problems) > 0 {
		t.Errorf("a name given twice: %v", problems)
	}
	if problems := p.Validate([]byte(strings.Replace(record, `"kode"`, `"lain":1,"kode"`, 1))); !slices.Equal(fields(problems), []string{"/lain"}) {
		t.Errorf("a field that the schema closes out: %v", problems)
	}
	if problems := p.Validate([]byte(strings.Replace(record, "125000.5", "125000.505", 1))); !slices.Equal(fields(problems), []string{"/isi/harga"}) {
		t.Errorf("decimals are exact: %v", problems)
	}
	if problems := p.Validate([]byte(strings.Replace(record, "125000.50", "0.07", 1))); len(problems) > 0 {
		t.Errorf("0.07 is a multiple of 0.01: %v", problems)
	}
}

func TestOfAlternativesTheClosestSaysWhatIsWrong(t *testing.T) {
	p := &contract.Payload{Name: "p", Schema: json.RawMessage(`{"oneOf":[
		{"type":"object","required":["a","b"],"properties":{"a":{"type":"integer"},"b":{"type":"integer"}}},
		{"type":"object","required":["x","y","z"]}]}`)}
	if got := fields(p.Validate([]byte(`{"a":1,"b":"2"}`))); !slices.Equal(got, []string{"/b"}) {
		t.Errorf("got %v", got)
	}
	if got := fields(p.Validate([]byte(`3`))); !slices.Equal(got, []string{""}) {
		t.Errorf("got %v", got)
	}
	nullable := &contract.Payload{Name: "n", Schema: json.RawMessage(`{"properties":{"a/b":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`)}
	if got := fields(nullable.Validate([]byte(`{"a/b":3}`))); !slices.Equal(got, []string{"/a~1b"}) {
		t.Errorf("got %v", got)
	}
}

func TestASchemaThatDoesNotCompileRefusesEveryRecord(t *testing.T) {
	p := &contract.Payload{Name: "p", Schema: json.RawMessage(`{"type":"objekt"}`)}
	if p.Compile() == nil || len(p.Validate([]byte(`{}`))) != 1 {
		t.Error("a broken schema let a record through")
	}
}

func TestRecordsAreValidatedByManyAtOnce(t *testing.T) {
	p := load(t, sensorFile).Payload("suhu-terbaca")
	fresh := &contract.Payload{Name: p.Name, Schema: p.Schema, Rules: p.Rules}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 50 {
				record := fmt.Appendf(nil, `{"event_id":"a3f8e1d2-7b4c-4e2a-9c1d-5e6f7a8b9c0d","event_type":"sensor.suhu.terbaca","occurred_at":"2026-11-07T08:30:00Z","data":{"id_perangkat":"sensor-07","lantai":%d,"suhu_c":1}}`, (i+j)%20)
				valid := (i+j)%20 >= 1 && (i+j)%20 <= 10
				if problems := fresh.Validate(record); (len(problems) == 0) != valid {
					t.Errorf("floor %d: %v", (i+j)%20, problems)
				}
			}
		})
	}
	all.Wait()
}

func FuzzValidateNeverPanicsAndAgreesWithEncodingJSON(f *testing.F) {
	p := load(f, sensorFile).Payload("suhu-terbaca")
	f.Add([]byte(p.Examples[0]))
	f.Add([]byte(`{"a":[1,2.5e3,null,true,"\u00e9"],"a":{}}`))
	f.Add([]byte(`[NaN,-Infinity,1e9999]`))
	anything := &contract.Payload{Name: "any", Schema: json.RawMessage(`true`)}
	f.Fuzz(func(t *testing.T, record []byte) {
		p.Validate(record)
		if problems := anything.Validate(record); len(problems) == 0 && !json.Valid(record) {
			t.Errorf("%q is no JSON and was let through", record)
		}
	})
}

func BenchmarkValidateAValidRecord(b *testing.B) {
	p := load(b, sensorFile).Payload("suhu-terbaca")
	b.ReportAllocs()
	for b.Loop() {
		if problems := p.Validate(p.Examples[0]); problems != nil {
			b.Fatal(problems)
		}
	}
}
