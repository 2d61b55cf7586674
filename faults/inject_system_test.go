package faults_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tahanuji/system/history"
	"tahanuji/system/target"
)

func TestPausedRolesGoOnAndJoinedOnesStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		running := r.inject(t,
			after("event:7", target.Action{Do: target.Pause, Role: "worker", Member: 2, For: 2 * time.Second}),
			after("rest", target.Action{Do: target.Join, Role: "worker"}),
			after("start", target.Action{Do: target.Leave, Role: "worker", Member: 1}))
		r.moments.reach("event:7")
		synctest.Wait()
		time.Sleep(time.Second)
		r.moments.reach("rest")
		synctest.Wait()
		time.Sleep(3 * time.Second)
		r.moments.reach("start")
		synctest.Wait()
		if got := counts(heal(t, running)); got != "pause 1/1, join 1/1, leave 1/1" {
			t.Errorf("acted: %s", got)
		}
		r.want(t, "0s pause worker/2", "1s start worker/3", "2s resume worker/2", "4s stop worker/1")
	})
}

func TestNodesGoDownWhereTheRecordIsAndComeUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		running := r.inject(t,
			after("event:7", target.Action{Do: target.NodeDown, Of: "leader", Role: "worker", For: time.Second}),
			after("event:7", target.Action{Do: target.LeaderMove}),
			after("event:8", target.Action{Do: target.LeaderMove}))
		r.moments.reach("event:7")
		synctest.Wait()
		time.Sleep(5 * time.Second)
		r.moments.reach("event:8") // whose position nobody knows
		synctest.Wait()
		acted := heal(t, running)
		if counts(acted) != "node-down 1/1, leader-move 1/1, leader-move 0/1" || len(acted[2].What) != 1 || !strings.Contains(acted[2].What[0], "event:8") {
			t.Errorf("acted %v", acted)
		}
		got := strings.Join(r.all(), "; ")
		for _, want := range []string{"0s down 4", "0s move leader of t/1", "1s up 4"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q did not happen, only %s", want, got)
			}
		}
	})
}

func TestStoresAreWellAgainAndSayWhatTheyTouched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		slow := after("event:7", target.Action{Do: target.StoreSlow, Role: "worker", For: 100 * time.Millisecond})
		slow.Budget = 20
		running := r.inject(t, after("event:7", target.Action{Do: target.StoreFail, Role: "worker", For: time.Second}), slow)
		r.moments.reach("event:7")
		synctest.Wait()
		if got := counts(heal(t, running)); got != "store-fail 3/1, store-slow 3/1" {
			t.Errorf("acted: %s", got)
		}
		if lines := r.all(); len(lines) != 4 || lines[2] != "1s well" || lines[3] != "2s well" {
			t.Errorf("stores: %v", lines)
		}
	})
}

func TestPoisonGoesToThePartitionOfTheRecordThatItFollows(t *testing.T) {
	doc, l := document(t, documents[0])
	e := l.Valid()[50]
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		r.set.Doc, r.set.Load = doc, l
		r.moments.at[e.Label] = history.Position{Topic: l.Topic, Partition: 2, Offset: 4}
		running := r.inject(t, after(e.Label, target.Action{Do: target.Poison, Role: "worker", Of: l.Topic}))
		r.moments.reach(e.Label)
		synctest.Wait()
		if got := counts(heal(t, running)); got != "poison 1/1" {
			t.Errorf("acted: %s", got)
		}
		r.want(t, fmt.Sprintf("0s poison %s/2 %s", l.Topic, e.Key))
	})
}

func TestAnInstanceThatDoesNotRunIsReplacedByOneThatDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		running := r.inject(t, after("rest", target.Action{Do: target.Kill, Role: "worker", Member: 4}))
		r.moments.reach("rest")
		synctest.Wait()
		heal(t, running)
		r.want(t, "0s kill worker/2", "0s start worker/2")
	})
}
