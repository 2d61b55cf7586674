package explore

import (
	"slices"
	"testing"

	"tahanuji/reference/sensor"
	"tahanuji/system/contract"
)

// plansForAFlaw bounds how many plans are played until a flaw must have been caught.
const plansForAFlaw = 300

// needs names the faults without which a flaw can't show; the others show in any draw.
var needs = map[string][]string{
	sensor.OutboxInMemory:     {"produce-held", "produce-cut", "role-killed"},
	sensor.OutboxUnordered:    {"produce-held", "node-down", "role-killed"},
	sensor.SkipPoisonSilently: {"poison-record"},
	sensor.PoisonStalls:       {"poison-record"},
	sensor.PoisonEndsRole:     {"poison-record"},
	sensor.DisplayForgets:     {"role-killed"},
	sensor.StorePerMember:     {"member-joins", "member-leaves", "role-killed"},
	sensor.PublishNotRetried:  {"role-killed"},
}

func TestEachFlawIsCaughtOnTheModel(t *testing.T) {
	b := open(t, sensorDoc)
	for _, flaw := range sensor.AllFlaws() {
		t.Run(flaw.Name, func(t *testing.T) {
			var clauses []contract.ID
			for _, c := range flaw.Breaks {
				clauses = append(clauses, contract.ID(c))
			}
			e := b.explorer(t, flaw.Name, Config{Seed: 1, Replay: 3, Clauses: clauses, Only: needs[flaw.Name]})
			n, id := caught(t, e)
			if id == "" {
				t.Fatalf("not caught in %d plans; it breaks %v", n, flaw.Breaks)
			}
			if !slices.Contains(clauses, id) {
				t.Fatalf("caught by %s", id)
			}
			t.Logf("caught by %s in plan %d", id, n)
		})
	}
}

// caught plays plans until one breaks a clause.
func caught(t *testing.T, e *Explorer) (int, contract.ID) {
	t.Helper()
	for n := range plansForAFlaw {
		p, err := e.Draw(n)
		if err != nil {
			t.Fatal(err)
		}
		broken, err := e.Try(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if len(broken) > 0 {
			return n, broken[0].Clause
		}
	}
	return plansForAFlaw, ""
}
