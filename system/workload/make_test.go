package workload_test

import (
	"bytes"
	"testing"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/workload"
)

const (
	sensor = "../sensor/architecture.yaml"
	toko   = "../contract/testdata/toko/architecture.yaml"
)

var base = time.Date(2026, 3, 2, 6, 20, 0, 0, time.UTC)

func load(t *testing.T, path string) *contract.Document {
	t.Helper()
	doc, err := contract.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func made(t *testing.T, path string, seed uint64) *workload.Load {
	t.Helper()
	l, err := workload.Make(load(t, path), workload.Options{Seed: seed, Base: base})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestEqualSeedsMakeEqualLoads(t *testing.T) {
	for _, path := range []string{sensor, toko} {
		a, b, c := made(t, path, 7), made(t, path, 7), made(t, path, 8)
		if len(a.Sends) != len(b.Sends) {
			t.Fatalf("%s: %d and %d sends", path, len(a.Sends), len(b.Sends))
		}
		for i := range a.Sends {
			if x, y := a.Sends[i], b.Sends[i]; x.Event.Label != y.Event.Label || !bytes.Equal(x.Event.Record, y.Event.Record) {
				t.Fatalf("%s: send %d is %s %s and %s %s", path, i, x.Event.Label, x.Event.Record, y.Event.Label, y.Event.Record)
			}
		}
		if bytes.Equal(a.Events[0].Record, c.Events[0].Record) {
			t.Errorf("%s: another seed makes the same first event %s", path, a.Events[0].Record)
		}
	}
}

func TestCoverageHasWhatTheDocumentWants(t *testing.T) {
	for _, path := range []string{sensor, toko} {
		for seed := range uint64(12) {
			l := made(t, path, seed)
			for name, least := range map[string]int{
				workload.TagStart: 3, workload.TagEnd: 3, workload.TagLate: 2, workload.TagDuplicateNow: 2, workload.TagDuplicateLater: 2,
				workload.TagInvalid: 20, workload.CoverWindows: 4, workload.CoverClosed: 3 * l.Covered[workload.CoverKeys],
				workload.CoverPartitions: l.Covered[workload.CoverOf], workload.CoverKeys: 4,
			} {
				if l.Covered[name] < least {
					t.Errorf("%s, seed %d: %s is covered %d times, want at least %d (all: %v)", path, seed, name, l.Covered[name], least, l.Covered)
				}
			}
			if n := l.Covered[workload.CoverValid]; n < 110 || n > 130 {
				t.Errorf("%s, seed %d: %d valid events, want about %d", path, seed, n, workload.DefaultEvents)
			}
		}
	}
}
