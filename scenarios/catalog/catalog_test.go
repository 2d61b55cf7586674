package catalog_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tahanuji/faults"
	"tahanuji/reference/sensor"
	"tahanuji/reports"
	"tahanuji/scenarios/catalog"
	"tahanuji/system/contract"
)

// rooms are the folders that hold scenarios, one a file, in the order of the list.
func rooms() []string {
	return []string{"calm", "produce", "commit", "fetching", "grouping", "nodes", "roles", "input", "stores"}
}

func TestEachScenarioIsAFileWithItsName(t *testing.T) {
	var files, names []string
	for _, room := range rooms() {
		entries, err := os.ReadDir(filepath.Join("..", room))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := strings.TrimSuffix(e.Name(), ".go")
			if e.Name() != "list.go" && !strings.HasSuffix(name, "_test") && strings.HasSuffix(e.Name(), ".go") {
				files = append(files, strings.ReplaceAll(name, "_", "-"))
			}
		}
	}
	for _, s := range catalog.All() {
		names = append(names, s.Name)
	}
	slices.Sort(files)
	slices.Sort(names)
	for _, name := range names {
		if !slices.Contains(files, name) {
			t.Errorf("the scenario %s has no file of its name", name)
		}
	}
	for _, name := range files {
		if !slices.Contains(names, name) {
			t.Errorf("the file of %s is in no list", name)
		}
	}
	if len(slices.Compact(names)) != len(catalog.All()) {
		t.Error("a name stands twice")
	}
}

func TestEachScenarioSaysWhatItDoesAndAimsAtClausesThatThereAre(t *testing.T) {
	for _, s := range catalog.All() {
		if err := reports.CheckCell(s.Name); err != nil {
			t.Error(err)
		}
		if !strings.HasSuffix(s.Doc, ".") {
			t.Errorf("%s: what it does is no sentence: %q", s.Name, s.Doc)
		}
		if len(s.Aims) == 0 {
			t.Errorf("%s aims at no clause", s.Name)
		}
		for _, id := range s.Aims {
			if !slices.Contains(contract.ClauseIDs(), id) {
				t.Errorf("%s aims at %s, which is no clause", s.Name, id)
			}
		}
		if got, ok := catalog.Named(s.Name); !ok || got.Doc != s.Doc {
			t.Errorf("%s is not found by its name", s.Name)
		}
	}
	if _, ok := catalog.Named("no-such-scenario"); ok {
		t.Error("a scenario that does not exist is found")
	}
}

func TestEachClauseIsAimedAtByAScenario(t *testing.T) {
	aimed := map[contract.ID]bool{}
	for _, s := range catalog.All() {
		for _, id := range s.Aims {
			aimed[id] = true
		}
	}
	for _, id := range contract.ClauseIDs() {
		if !aimed[id] {
			t.Errorf("no scenario aims at %s: -clause %s leaves nothing to run", id, id)
		}
	}
}

func TestEachFaultIsUsedByAScenarioSoThatItsColumnIsRun(t *testing.T) {
	used := map[string]bool{}
	for _, s := range catalog.All() {
		for _, name := range s.Faults() {
			used[name] = true
		}
	}
	for _, f := range faults.All() {
		if !used[f.Name] {
			t.Errorf("no scenario uses the fault %s", f.Name)
		}
		delete(used, f.Name)
	}
	delete(used, faults.Replayed)
	for name := range used {
		t.Errorf("%s is used and is no fault", name)
	}
}

func TestEachFlawHasAScenarioThatShowsIt(t *testing.T) {
	for _, f := range sensor.AllFlaws() {
		s, ok := catalog.Named(catalog.Shows(f.Name))
		if !ok {
			t.Errorf("the flaw %s is shown by %q, which is no scenario", f.Name, catalog.Shows(f.Name))
		}
		if len(f.Breaks) == 0 {
			t.Errorf("the flaw %s breaks nothing (shown by %s)", f.Name, s.Name)
		}
		for _, id := range f.Breaks {
			if !slices.Contains(contract.ClauseIDs(), contract.ID(id)) {
				t.Errorf("the flaw %s breaks %s, which is no clause", f.Name, id)
			}
		}
	}
	if catalog.Shows("no-such-flaw") != "" {
		t.Error("a flaw that does not exist is shown")
	}
}

func TestEachClauseIsBrokenByAFlaw(t *testing.T) {
	broken := map[string]bool{}
	for _, f := range sensor.AllFlaws() {
		for _, id := range f.Breaks {
			broken[id] = true
		}
	}
	for _, id := range contract.ClauseIDs() {
		if id == "capacity.arithmetic" {
			continue // the document alone can break it, and is refused then before anything runs
		}
		if !broken[string(id)] {
			t.Errorf("no flaw of the reference breaks %s: nothing proves that its check bites", id)
		}
	}
}
