package faults_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"tahanuji/system/contract"
	"tahanuji/system/target"
)

// moves arms a move of the coordinator at a request of the worker, and lets the request come.
func moves(t *testing.T, doc *contract.Document) (acted target.Acted, seen string) {
	t.Helper()
	r := newRig()
	r.set.Doc = doc
	running := r.inject(t, target.Step{
		Name: "move", Fault: "coordinator-moved", At: target.Moment{API: "JoinGroup", Role: "worker", After: "event:7"},
		Do: target.Action{Do: target.CoordinatorMove, Before: true, Role: "worker"},
	})
	r.door.meet(0, target.Door{Role: "worker", Instance: 1})
	return heal(t, running)[0], strings.Join(r.all(), "; ")
}

func TestACoordinatorMovesWhileARequestIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		doc := &contract.Document{Flows: []contract.Flow{{Role: "worker", Group: "workers"}}}
		acted, seen := moves(t, doc)
		if acted.Count != 1 || acted.Fault != "coordinator-moved" || !strings.Contains(seen, "workers") {
			t.Errorf("%+v; seen: %s", acted, seen)
		}
	})
}

func TestAMoveThatDidNotWorkHasNotActedAlthoughItsMomentCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acted, _ := moves(t, nil) // nobody says which group is the worker's
		if acted.Matched != 1 || acted.Count != 0 || len(acted.What) != 1 {
			t.Errorf("%+v", acted)
		}
	})
}
