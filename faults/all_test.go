package faults_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/faults"
	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

var documents = []string{"../system/sensor/architecture.yaml", "../system/contract/testdata/toko/architecture.yaml"}

func document(t *testing.T, path string) (*contract.Document, *workload.Load) {
	t.Helper()
	doc, err := contract.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := workload.Make(doc, workload.Options{Seed: 5, Base: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	return doc, l
}

// A file beside the list that is no entry, but shared by the entries of its package.
var shared = []string{"list.go", "rejoin.go", "moment.go", "each.go"}

func TestEveryFaultHasItsFileAndEveryFileItsFault(t *testing.T) {
	var files []string
	for _, pattern := range []string{"produce", "commit", "session", "node", "role", "input", "store"} {
		found, err := filepath.Glob(pattern + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			name := filepath.Base(path)
			if !slices.Contains(shared, name) && !strings.HasSuffix(name, "_test.go") {
				files = append(files, strings.ReplaceAll(strings.TrimSuffix(name, ".go"), "_", "-"))
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if want := `const name = "` + files[len(files)-1] + `"`; !strings.Contains(string(text), want) {
					t.Errorf("%s does not hold %s", path, want)
				}
			}
		}
	}
	names := faults.Names()
	slices.Sort(files)
	slices.Sort(names)
	if !slices.Equal(files, names) {
		t.Errorf("files %v\nlist  %v", files, names)
	}
	for _, f := range faults.All() {
		if f.Doc == "" || len(f.Needs) == 0 || f.Aim == nil {
			t.Errorf("%s lacks a sentence, a need or an aim", f.Name)
		}
	}
}

func TestAimedStepsAreValidAndTheSameForEqualSeeds(t *testing.T) {
	for _, path := range documents {
		doc, l := document(t, path)
		for _, f := range faults.All() {
			aimed := 0
			for _, kind := range []contract.Kind{contract.Recorder, contract.Summarizer, contract.Display} {
				for _, members := range []int{1, 3} {
					on := faults.Aim{Doc: doc, Load: l, Kind: kind, Members: members}
					steps, err := f.Aim(seed.Rand(9, f.Name), on)
					if err != nil {
						continue // this kind of role has nothing for the fault
					}
					aimed++
					again, err := f.Aim(seed.Rand(9, f.Name), on)
					if err != nil || !reflect.DeepEqual(steps, again) {
						t.Errorf("%s on %s: the same seed gives %v and %v (%v)", f.Name, kind, steps, again, err)
					}
					plan := faults.Plan{Seed: 9, Steps: steps}
					if err := plan.Validate(doc, l); err != nil {
						t.Errorf("%s on %s of %s: %v", f.Name, kind, doc.ID, err)
					}
					for _, s := range steps {
						if s.Fault != f.Name {
							t.Errorf("%s: step %s says it is of %q", f.Name, s.Name, s.Fault)
						}
					}
				}
			}
			if aimed == 0 {
				t.Errorf("%s finds nothing to aim at in %s, on no kind of role", f.Name, doc.ID)
			}
		}
	}
}

func TestStepsNameEventsOfTheSecondThird(t *testing.T) {
	for _, path := range documents {
		doc, l := document(t, path)
		valid := l.Valid()
		first, last := valid[len(valid)/3].Index, valid[2*len(valid)/3].Index
		for _, f := range faults.All() {
			for _, kind := range []contract.Kind{contract.Recorder, contract.Summarizer, contract.Display} {
				steps, err := f.Aim(seed.Rand(4, f.Name), faults.Aim{Doc: doc, Load: l, Kind: kind})
				if err != nil {
					continue
				}
				for _, s := range steps {
					for _, label := range []string{s.At.Carries, s.At.Passes, s.At.After} {
						if e, ok := l.Find(label); ok && (e.Index < first || e.Index >= last) {
							t.Errorf("%s: %s is not in the second third (%d to %d)", f.Name, label, first, last)
						}
					}
				}
			}
		}
	}
}

func TestAnotherSeedAimsElsewhere(t *testing.T) {
	doc, l := document(t, documents[0])
	f, _ := faults.Named("produce-ack-lost")
	seen := map[string]bool{}
	for n := range uint64(40) {
		steps, err := f.Aim(seed.Rand(n), faults.Aim{Doc: doc, Load: l, Kind: contract.Recorder})
		if err != nil {
			t.Fatal(err)
		}
		seen[steps[0].At.Carries] = true
	}
	if len(seen) < 15 {
		t.Errorf("40 seeds aim at %d different events", len(seen))
	}
}

func TestARoleIsKilledOnceMoreAtRest(t *testing.T) {
	doc, l := document(t, documents[0])
	f, _ := faults.Named("role-killed")
	for _, kind := range []contract.Kind{contract.Recorder, contract.Summarizer, contract.Display} {
		steps, err := f.Aim(seed.Rand(1), faults.Aim{Doc: doc, Load: l, Kind: kind})
		if err != nil {
			t.Fatal(err)
		}
		last := steps[len(steps)-1]
		if last.At.After != "rest" || last.Do.Do != target.Kill {
			t.Errorf("%s: the last step is %v", kind, last)
		}
		died := map[string]bool{}
		for _, s := range steps[:len(steps)-1] {
			died[fmt.Sprintf("%s before=%t", s.At.API, s.Do.Before)] = true
		}
		for _, api := range map[contract.Kind][]string{
			contract.Recorder: {"Produce"}, contract.Summarizer: {"OffsetCommit", "Produce"}, contract.Display: {"Fetch"},
		}[kind] {
			if !died[api+" before=true"] || !died[api+" before=false"] {
				t.Errorf("%s is not killed before and after its %s is applied: %v", kind, api, died)
			}
		}
	}
}

func TestSmallLoadsCanBeAimedAt(t *testing.T) {
	for _, path := range documents {
		doc, err := contract.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, events := range []int{8, 12, 30} {
			for n := range uint64(20) {
				l, err := workload.Make(doc, workload.Options{Seed: n, Base: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), Events: events})
				if err != nil {
					t.Fatal(err)
				}
				for name, kind := range map[string]contract.Kind{"role-killed": contract.Summarizer, "produce-held": contract.Summarizer, "fetch-cut": contract.Display, "late-input": contract.Recorder} {
					f, _ := faults.Named(name)
					steps, err := f.Aim(seed.Rand(n, name), faults.Aim{Doc: doc, Load: l, Kind: kind})
					if err != nil {
						t.Errorf("%s, %d events, seed %d: %v", doc.ID, events, n, err)
						continue
					}
					if err := (faults.Plan{Steps: steps}).Validate(doc, l); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}
