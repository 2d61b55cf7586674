package check

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tahanuji/system/check/jsonscan"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

var documents = []string{"testdata/documents/golden.yaml", "../sensor/architecture.yaml", "../contract/testdata/toko/architecture.yaml"}

func proved(t *Topic, record string) bool {
	out := make([]jsonscan.Value, t.plan.Len())
	return t.plan.Scan(record, out) == nil && t.proves(record, out[placeTime])
}

// A record that is proved valid is one that the validator takes; and proofs are no idle promise: the examples are proved.
func TestWhatIsProvedValidIsValid(t *testing.T) {
	for _, file := range documents {
		doc, err := contract.Load(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, topic := range (&Input{Doc: doc, History: &history.History{}}).Index().Topics {
			t.Run(doc.ID+"/"+topic.Doc.Name, func(t *testing.T) {
				example := string(topic.Payload.Examples[0])
				if !proved(topic, example) {
					t.Fatalf("the example is not proved: %s", example)
				}
				kept, taken := 0, 0
				rapid.Check(t, func(t *rapid.T) {
					record := damaged(t, example)
					valid := len(topic.Payload.Validate([]byte(record))) == 0
					if proved(topic, record) {
						kept++
						if !valid {
							t.Fatalf("proved valid, and the validator refuses it: %s", record)
						}
					} else if valid {
						taken++
					}
				})
				t.Logf("%d proved, %d left to the validator and taken", kept, taken)
			})
		}
	}
}

// damaged changes values, names and bytes of a record.
func damaged(t *rapid.T, example string) string {
	if rapid.Bool().Draw(t, "bytes") {
		text := []byte(example)
		at := rapid.IntRange(0, len(text)-1).Draw(t, "at")
		text[at] = rapid.SampledFrom([]byte(`"{}[],:0123456789-+.eEZTtaz \/`)).Draw(t, "byte")
		return string(text)
	}
	var record map[string]any
	if err := json.Unmarshal([]byte(example), &record); err != nil {
		t.Fatal(err)
	}
	objects := []map[string]any{record}
	for _, v := range record {
		if inner, ok := v.(map[string]any); ok {
			objects = append(objects, inner)
		}
	}
	object := objects[rapid.IntRange(0, len(objects)-1).Draw(t, "object")]
	names := []string{"another"}
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	name := rapid.SampledFrom(names).Draw(t, "name")
	value := rapid.SampledFrom([]string{
		`"x"`, `""`, `null`, `true`, `{}`, `[]`, `0`, `-40`, `-40.0001`, `60`, `60.0`, `61`, `3.5`, `1.0`, `1e1`, `0.01`, `0.015`, `10`, `11`, `123456789012345678901`,
		`"2026-11-07T08:30:00Z"`, `"2026-11-07T08:30:00+07:00"`, `"2026-11-07T08:30:00.5Z"`, `"2026-11-07T23:59:60Z"`, `"2026-02-29T00:00:00Z"`, `"2024-02-29T00:00:00Z"`,
		`"2026-11-07t08:30:00z"`, `"2026-11-07T08:30:00"`, `"2026-11-07"`, `"2026-00-07T08:30:00Z"`, `"2026-11-00T08:30:00Z"`, `"2026-11-07T24:00:00Z"`, `"2026-11-07T08:30:00+24:00"`,
		`"sensor-07"`, `"sensor-7"`, `"sensor-\u0030\u0037"`, `"toko-melati"`, `"toko-lain"`, `"P-0000000017"`, `"a3f8e1d2-7b4c-4e2a-9c1d-5e6f7a8b9c0d"`,
	}).Draw(t, "value")
	object[name] = json.RawMessage(value)
	if rapid.IntRange(0, 9).Draw(t, "remove") == 0 {
		delete(object, name)
	}
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
