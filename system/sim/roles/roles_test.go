package roles

import (
	"testing"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sim/model"
	"tahanuji/system/workload"
)

func setUp(t testing.TB, file string, events int, seed uint64) (*Cast, model.Config) {
	t.Helper()
	doc, err := contract.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	load, err := workload.Make(doc, workload.Options{Seed: seed, Base: time.Date(2026, 11, 7, 0, 0, 0, 0, time.UTC), Events: events})
	if err != nil {
		t.Fatal(err)
	}
	cast, err := New(doc)
	if err != nil {
		t.Fatal(err)
	}
	return cast, model.Config{Doc: doc, Load: load, Seed: seed}
}

func TestTheReferencePublishesAndShowsSummaries(t *testing.T) {
	for _, file := range []string{"../../sensor/architecture.yaml", "../../contract/testdata/toko/architecture.yaml"} {
		cast, c := setUp(t, file, 120, 1)
		var err error
		if c.Roles, err = cast.Roles(""); err != nil {
			t.Fatal(err)
		}
		r, err := model.Run(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if r.Unsettled != "" {
			t.Errorf("%s: %s", file, r.Unsettled)
		}
		summaries, rows := 0, 0
		for _, e := range r.History.Events {
			if e.Op == history.OpRecord && e.Where.Topic != c.Load.Topic {
				summaries++
			}
			if e.Op == history.OpRow && e.Phase == history.OK {
				rows++
			}
			if e.Op == history.OpRole && e.Key == "exited" {
				t.Errorf("%s: %s exited: %s", file, e.Proc, e.Err)
			}
		}
		if summaries == 0 || rows == 0 {
			t.Errorf("%s: %d summaries, %d rows", file, summaries, rows)
		}
		t.Logf("%s: %d events, %d exchanges, %d summaries, %d rows, %v, %d steps", file, len(r.History.Events), len(r.History.Ledger), summaries, rows, r.Virtual, r.Took)
	}
}

func BenchmarkARunOf200Events(b *testing.B) {
	cast, c := setUp(b, "../../sensor/architecture.yaml", 200, 1)
	var err error
	if c.Roles, err = cast.Roles(""); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for n := range b.N {
		c.Seed = uint64(n)
		if _, err := model.Run(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}
