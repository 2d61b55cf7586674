package explore

import (
	"runtime/debug"
	"testing"

	"tahanuji/system/contract"
)

// A process that does nothing but search trades memory for time: a run leaves 3 MB behind, and nothing of it lives on.
func quietCollector(b *testing.B) {
	old := debug.SetGCPercent(400)
	b.Cleanup(func() { debug.SetGCPercent(old) })
}

// perSecond reports runs a second of wall time; on a busy machine it says little.
func perSecond(b *testing.B) {
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}

// drawn is plans of 200 events with up to three faults and a crash point.
func drawn(b *testing.B, e *Explorer) []Plan {
	plans := make([]Plan, 64)
	for n := range plans {
		p, err := e.Draw(n)
		if err != nil {
			b.Fatal(err)
		}
		plans[n] = p
	}
	return plans
}

func BenchmarkARunOf200EventsAndThreeFaults(b *testing.B) {
	quietCollector(b)
	e := open(b, sensorDoc).explorer(b, "", Config{Seed: 1, Events: 200})
	plans := drawn(b, e)
	b.ReportAllocs()
	b.ResetTimer()
	for n := range b.N {
		if _, err := e.Run(b.Context(), plans[n%len(plans)]); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b)
}

func BenchmarkARunOf200EventsAndThreeFaultsJudged(b *testing.B) {
	quietCollector(b)
	e := open(b, sensorDoc).explorer(b, "", Config{Seed: 1, Events: 200})
	plans := drawn(b, e)
	b.ReportAllocs()
	b.ResetTimer()
	for n := range b.N {
		if _, err := e.Try(b.Context(), plans[n%len(plans)]); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b)
}

// BenchmarkCommitBeforeStore searches anew each time, with another seed, for a kill that shows the flaw, and makes it minimal.
func BenchmarkCommitBeforeStoreIsFoundAndMinimal(b *testing.B) {
	quietCollector(b)
	bench := open(b, sensorDoc)
	runs := 0
	b.ResetTimer()
	for n := range b.N {
		e := bench.explorer(b, "commit-before-store", Config{Seed: uint64(n), Clauses: []contract.ID{"delivery.no-loss", "count.once"}})
		f, err := e.Search(b.Context(), 1000)
		if err != nil {
			b.Fatal(err)
		}
		if f == nil {
			b.Fatalf("seed %d: not found", n)
		}
		runs += e.Runs()
	}
	b.ReportMetric(float64(runs)/float64(b.N), "runs/op")
}
