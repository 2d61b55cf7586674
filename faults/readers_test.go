package faults_test

import (
	"strings"
	"testing"
	"time"

	"tahanuji/faults"
	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/workload"
)

// unfolded is a document in which nothing is folded: a display shows the events themselves.
const unfolded = `
contract: v1
id: ships
topics: {positions: {partitions: 2, key: {from: /ship}, payload: position}}
envelope: {id: /id, time: /time, data: ""}
payloads:
  position:
    schema:
      type: object
      required: [id, time, ship]
      properties: {id: {type: string, format: uuid}, time: {type: string, format: date-time}, ship: {type: string, pattern: '^[A-Z]{4}$'}}
groups: {maps: {reads: [positions]}}
flows:
  report: {role: recorder, writes: positions, semantics: at-least-once}
  map: {role: display, reads: positions, group: maps, view: last-by-key}
`

func TestWhereNothingIsFoldedADisplayIsTheReaderThatFaultsTakeHoldOf(t *testing.T) {
	doc, err := contract.Parse("ships.yaml", []byte(unfolded), nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := workload.Make(doc, workload.Options{Seed: 5, Base: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	aimed := map[string]bool{}
	for _, f := range faults.All() {
		steps, err := f.Aim(seed.Rand(9, f.Name), faults.Aim{Doc: doc, Load: l, Kind: contract.Summarizer})
		aimed[f.Name] = err == nil
		if err != nil {
			continue
		}
		if err := (faults.Plan{Seed: 9, Steps: steps}).Validate(doc, l); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		for _, s := range steps {
			for _, label := range []string{s.At.Carries, s.At.Passes, s.At.After} {
				if strings.HasPrefix(label, "summary:") {
					t.Errorf("%s waits for %s, which nobody makes", f.Name, label)
				}
			}
		}
	}
	for name, want := range map[string]bool{
		"commit-cut": true, "fetch-held": true, "heartbeat-held": true, "join-cut": true, "role-killed": true, "member-joins": true,
		"poison-record": true, "coordinator-moved": true, "produce-cut": false, "store-fails": false, "store-slow": false,
	} {
		if aimed[name] != want {
			t.Errorf("%s is aimed: %v", name, aimed[name])
		}
	}
}
