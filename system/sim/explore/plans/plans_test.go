package plans_test

import (
	"context"
	"reflect"
	"testing"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sim/explore"
	"tahanuji/system/sim/explore/plans"
	"tahanuji/system/sim/model"
	"tahanuji/system/sim/roles"

	"pgregory.net/rapid"
)

func explorer(t *testing.T) *explore.Explorer {
	t.Helper()
	doc, err := contract.Load("../../../sensor/architecture.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cast, err := roles.New(doc)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explore.New(explore.Config{Doc: doc, Seed: 1, Events: 30, Roles: func() ([]model.Role, error) { return cast.Roles("") },
		Judge: func(context.Context, *history.History) []check.Verdict { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What holds for every run, whatever is done to it: an offset is answered for one record alone, records keep their places, and no
// commit is accepted for a generation that is over.
func TestWhateverThePlanTheModelIsABroker(t *testing.T) {
	e := explorer(t)
	any := plans.Any(e, 3, 4, 3)
	rapid.Check(t, func(rt *rapid.T) {
		p := any.Draw(rt, "plan")
		r, err := e.Run(t.Context(), p)
		if err != nil {
			rt.Fatal(err)
		}
		generations(rt, r.History)
		acknowledged(rt, r.History)
	})
}

func TestAPlanIsPlayedTheSameTwice(t *testing.T) {
	e := explorer(t)
	any := plans.Any(e, 3, 4, 3)
	rapid.Check(t, func(rt *rapid.T) {
		p := any.Draw(rt, "plan")
		one, err := e.Run(t.Context(), p)
		if err != nil {
			rt.Fatal(err)
		}
		two, err := e.Run(t.Context(), p)
		if err != nil {
			rt.Fatal(err)
		}
		if len(one.History.Events) != len(two.History.Events) || len(one.History.Ledger) != len(two.History.Ledger) {
			rt.Fatalf("%d events and %d exchanges, then %d and %d", len(one.History.Events), len(one.History.Ledger), len(two.History.Events), len(two.History.Ledger))
		}
		for i := range one.History.Events {
			if a, b := one.History.Events[i], two.History.Events[i]; !reflect.DeepEqual(a, b) {
				rt.Fatalf("event %d is %+v, then %+v", i, a, b)
			}
		}
		for i := range one.History.Ledger {
			if a, b := one.History.Ledger[i], two.History.Ledger[i]; !reflect.DeepEqual(a, b) {
				rt.Fatalf("exchange %d is %+v, then %+v", i, a, b)
			}
		}
	})
}

// acknowledged: where the broker said that it appended a batch, the last scan shows as many records of that producer.
func acknowledged(rt *rapid.T, h *history.History) {
	type place struct {
		topic string
		n     int32
		at    int64
	}
	log := map[place]history.Producer{}
	for _, e := range h.Events {
		if e.Op == history.OpRecord {
			log[place{e.Where.Topic, e.Where.Partition, e.Where.Offset}] = *e.Producer
		}
	}
	for _, x := range h.Ledger {
		if x.API != "Produce" || x.Applied != history.OK || x.Items[0].Code != 0 {
			continue
		}
		it := x.Items[0]
		for i := range it.Records {
			got, ok := log[place{it.Topic, it.Partition, it.Offset + int64(i)}]
			want := history.Producer{ID: it.ProducerID, Epoch: it.Epoch, Seq: it.FirstSeq + int32(i)}
			if !ok || got != want {
				rt.Fatalf("exchange %d says that %+v stands at %s/%d@%d, and there is %+v", x.Seq, want, it.Topic, it.Partition, it.Offset+int64(i), got)
			}
		}
	}
}

// generations: the generations in which a group's commits are accepted never go back.
func generations(rt *rapid.T, h *history.History) {
	last := map[string]int32{}
	for _, x := range h.Ledger {
		if x.API != "OffsetCommit" || x.Applied != history.OK || x.Items[0].Code != 0 || x.Do != "" {
			continue
		}
		if x.Generation < last[x.Group] {
			rt.Fatalf("exchange %d committed for %s in generation %d after %d", x.Seq, x.Group, x.Generation, last[x.Group])
		}
		last[x.Group] = x.Generation
	}
}
