//go:build unix

package explore

import (
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"tahanuji/system/contract"
)

// A process that does nothing but search trades memory for time: a run leaves 3 MB behind, and nothing of it lives on.
func quietCollector(b *testing.B) {
	old := debug.SetGCPercent(400)
	b.Cleanup(func() { debug.SetGCPercent(old) })
}

// cores measures the processor's time, all threads together: on a busy machine the clock on the wall says little.
func cores(b *testing.B) (report func()) {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	begun := used()
	return func() {
		each := (used() - begun) / time.Duration(b.N)
		b.ReportMetric(float64(each.Microseconds())/1000, "cpu-ms/op")
		b.ReportMetric(float64(time.Second)/float64(each), "runs/cpu-s")
	}
}

// events is the number of valid events that makes the source send about 200 in all: a quarter are broken ones and duplicates.
const events = 150

// drawn is plans with up to three faults and a crash point.
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
	e := open(b, sensorDoc).explorer(b, "", Config{Seed: 1, Events: events})
	plans := drawn(b, e)
	b.ReportAllocs()
	b.ResetTimer()
	defer cores(b)()
	for n := range b.N {
		if _, err := e.Run(b.Context(), plans[n%len(plans)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkARunOf200EventsAndThreeFaultsJudged(b *testing.B) {
	quietCollector(b)
	e := open(b, sensorDoc).explorer(b, "", Config{Seed: 1, Events: events})
	plans := drawn(b, e)
	b.ReportAllocs()
	b.ResetTimer()
	defer cores(b)()
	for n := range b.N {
		if _, err := e.Try(b.Context(), plans[n%len(plans)]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCommitBeforeStore searches anew each time, with another seed, for a kill that shows the flaw, and makes it minimal.
func BenchmarkCommitBeforeStoreIsFoundAndMinimal(b *testing.B) {
	quietCollector(b)
	bench := open(b, sensorDoc)
	runs := 0
	b.ResetTimer()
	defer cores(b)()
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
