package workload_test

import (
	"strings"
	"testing"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/workload"
)

// two is a document with two recorders of different payloads.
const two = `
contract: v1
id: clinic
topics:
  visits: {partitions: 2, key: {from: /ward}, payload: visit}
  bills: {partitions: 1, key: {from: /ward}, payload: bill}
envelope: {id: /id, time: /time, data: ""}
payloads:
  visit:
    schema: {type: object, required: [id, time, ward, visit], additionalProperties: false, properties: {id: {type: string, format: uuid}, time: {type: string, format: date-time}, ward: {enum: [w1, w2]}, visit: {type: integer, minimum: 1, maximum: 999}}}
    examples: [{id: 0d9c3f9e-6a51-4a8e-9f0e-2f1f6f0c7b11, time: '2026-03-02T08:15:30Z', ward: w1, visit: 3}]
  bill:
    schema: {type: object, required: [id, time, ward, cents], additionalProperties: false, properties: {id: {type: string, format: uuid}, time: {type: string, format: date-time}, ward: {enum: [w3]}, cents: {type: integer, minimum: 1}}}
    examples: [{id: 0d9c3f9e-6a51-4a8e-9f0e-2f1f6f0c7b12, time: '2026-03-02T08:15:30Z', ward: w3, cents: 1200}]
flows:
  see: {role: desk, kind: recorder, writes: visits}
  bill: {role: office, kind: recorder, writes: bills}
workload: {WORKLOAD}
`

func TestEachRecorderTakesOfTheWorkloadWhatIsOfItsOwnPayload(t *testing.T) {
	doc := parsed(t, two, "WORKLOAD", "unique: [/visit], templates: [{id: 0d9c3f9e-6a51-4a8e-9f0e-2f1f6f0c7b11, time: '2026-03-02T08:15:30Z', ward: w2, visit: 7}]")
	if faults := contract.Lint(doc, time.Date(2026, 11, 7, 0, 0, 0, 0, time.UTC)); len(faults.Errors()) != 0 {
		for _, f := range faults.Errors() {
			if f.Rule == "pointer-example" {
				t.Error(f)
			}
		}
	}
	o := workload.Options{Seed: 3, Base: time.Date(2026, 11, 7, 0, 0, 0, 0, time.UTC), Events: 30}
	for flow, ward := range map[string]string{"see": "w2", "bill": "w3"} {
		o.Flow = flow
		l, err := workload.Make(doc, o)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, e := range l.Valid() {
			if e.Key != ward {
				t.Errorf("%s: key %s", flow, e.Key)
			}
			if visit, ok := contract.Pointer("/visit").Text(e.Record); ok != (flow == "see") || ok && seen[visit] {
				t.Errorf("%s: visit %q: %s", flow, visit, e.Record)
			} else if ok {
				seen[visit] = true
			}
		}
		if len(l.Valid()) == 0 {
			t.Errorf("%s has no events", flow)
		}
	}
}

func parsed(t *testing.T, text string, changes ...string) *contract.Document {
	t.Helper()
	doc, err := contract.Parse("architecture.yaml", []byte(strings.NewReplacer(changes...).Replace(text)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}
