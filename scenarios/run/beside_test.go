package run

import (
	"strings"
	"testing"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/workload"
)

const clinic = `
contract: v1
id: clinic
topics: {visits: {partitions: 1, payload: event}, bills: {partitions: 1, payload: event}}
envelope: {id: /id, time: /time, data: ""}
payloads:
  event:
    schema: {type: object, required: [id, time], properties: {id: {type: string, format: uuid}, time: {type: string, format: date-time}}}
flows:
  see: {role: desk, kind: recorder, writes: visits}
  bill: {role: office, kind: recorder, writes: bills}
  again: {role: archive, kind: recorder, writes: bills}
`

func TestEveryTopicOfARecorderIsSentEventsUnderLabelsOfTheirOwn(t *testing.T) {
	doc, err := contract.Parse("clinic.yaml", []byte(clinic), nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := workload.Make(doc, workload.Options{Seed: 1, Base: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), Events: 20})
	if err != nil {
		t.Fatal(err)
	}
	added := first.Events[0]
	added.Index, added.Label = len(first.Events)+3, workload.Label(len(first.Events)+3) // as a plan's invalid events are
	sends := append(first.Sends, workload.Send{Event: added})
	c := Cell{Doc: doc, Seed: 1}
	loads, notes, err := c.beside(first, sends)
	if err != nil || len(loads) != 1 || loads[0].Role != "office" || loads[0].Topic != "bills" || len(loads[0].Valid()) == 0 {
		t.Fatalf("%d loads, %v", len(loads), err)
	}
	seen := map[string]bool{}
	for _, s := range sends {
		seen[s.Event.Label] = true
	}
	for _, e := range loads[0].Events {
		if seen[e.Label] {
			t.Errorf("%s is of two flows", e.Label)
		}
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "flow again was sent no events") {
		t.Errorf("%q", notes)
	}
}
