package faults_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tahanuji/faults"
	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/target"
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

// atMost is the sensor's document with a bound on the members of the summarizer's group; 0 takes the bound away.
func atMost(t *testing.T, members int) (*contract.Document, *workload.Load) {
	doc, l := document(t, documents[0])
	for i := range doc.Groups {
		if doc.Groups[i].Name == doc.GroupsOf(doc.RolesOf(contract.Summarizer)[0].Name)[0] {
			doc.Groups[i].Members = members
		}
	}
	return doc, l
}

func TestNobodyJoinsAGroupThatHasAllItsMembersAndNobodyLeavesItEmpty(t *testing.T) {
	for _, c := range []struct{ bound, want, joins, leaves int }{ // steps; -1: there is nothing to aim at
		{1, 1, -1, -1}, {1, 3, -1, -1}, {2, 1, 1, 2}, {2, 3, -1, 1}, {3, 2, 1, 1}, {0, 1, 1, 2}, {0, 2, 1, 1},
	} {
		doc, l := atMost(t, c.bound)
		for name, want := range map[string]int{"member-joins": c.joins, "member-leaves": c.leaves} {
			fault, _ := faults.Named(name)
			for n := range 8 {
				steps, err := fault.Aim(seed.Rand(uint64(n), name), faults.Aim{Doc: doc, Load: l, Kind: contract.Summarizer, Members: c.want})
				if err != nil && want != -1 || err == nil && len(steps) != want {
					t.Fatalf("%s of %d where %d are allowed: %d steps, %v", name, c.want, c.bound, len(steps), err)
				}
				for _, s := range steps {
					if most := c.bound; most > 0 && s.Do.Member > most {
						t.Errorf("%s hits member %d of %d", name, s.Do.Member, most)
					}
				}
			}
		}
	}
}

func TestAStoreThatNobodyTouchesStaysHurtUntilSomebodyDoes(t *testing.T) {
	for _, c := range []struct {
		idle int
		heal bool
		want string
	}{{2, false, "3s 3/1"}, {2, true, "1s 0/1"}, {99, false, "20s 0/1"}} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig()
			r.idle = c.idle
			running := r.inject(t, after("event:7", target.Action{Do: target.StoreFail, Role: "worker", For: time.Second}))
			r.moments.reach("event:7")
			synctest.Wait()
			begun := time.Now()
			if !c.heal {
				if err := running.Wait(t.Context()); err != nil {
					t.Error(err)
				}
			}
			acted := counts(heal(t, running))
			if got := fmt.Sprintf("%s %s", time.Since(begun), strings.TrimPrefix(acted, "store-fail ")); got != c.want {
				t.Errorf("%d times idle: %s, want %s", c.idle, got, c.want)
			}
		})
	}
}
