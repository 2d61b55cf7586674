package checkers

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tahanuji/system/contract"
)

var packages = []string{"delivery", "groups", "summary", "topics", "wire"}

func TestTheListIsSortedAndEachCheckerJudgesTheClauseOfItsName(t *testing.T) {
	var names []string
	for _, c := range All() {
		names = append(names, c.Name)
		if len(c.Clauses) != 1 || string(c.Clauses[0]) != c.Name {
			t.Errorf("%s judges %v", c.Name, c.Clauses)
		}
		if !strings.HasSuffix(c.Doc, ".") || c.Check == nil {
			t.Errorf("%s: doc %q", c.Name, c.Doc)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("not sorted, or a name twice: %v", names)
	}
}

func TestEveryClauseOfADocumentHasOneChecker(t *testing.T) {
	var names []contract.ID
	for _, c := range All() {
		names = append(names, contract.ID(c.Name))
	}
	ids := contract.ClauseIDs()
	slices.Sort(ids)
	if !slices.Equal(ids, names) {
		t.Errorf("clauses  %v\ncheckers %v", ids, names)
	}
}

func TestTheListAndTheFilesAreTheSame(t *testing.T) {
	var files []string
	for _, dir := range packages {
		all, err := filepath.Glob(filepath.Join("..", dir, "*.*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range all {
			files = append(files, strings.TrimSuffix(filepath.Base(file), ".go"))
		}
	}
	slices.Sort(files)
	var names []string
	for _, c := range All() {
		names = append(names, c.Name)
	}
	if !slices.Equal(files, names) {
		t.Errorf("files %v\nlist  %v", files, names)
	}
}

func TestEveryCheckerHasAcceptedAndRejectedHistories(t *testing.T) {
	for _, c := range All() {
		for _, kind := range []string{"accepted", "rejected"} {
			files, err := filepath.Glob(filepath.Join(histories, c.Name, kind+"-*.hist"))
			if err != nil || len(files) == 0 {
				t.Errorf("%s has no %s history (%v)", c.Name, kind, err)
			}
		}
	}
}

func TestEveryFolderOfHistoriesBelongsToAChecker(t *testing.T) {
	entries, err := os.ReadDir(histories)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "documents" {
			continue
		}
		known := false
		for _, c := range All() {
			known = known || c.Name == e.Name()
		}
		if !known {
			t.Errorf("testdata/%s belongs to no checker", e.Name())
		}
		files, err := os.ReadDir(filepath.Join(histories, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if filepath.Ext(f.Name()) != ".hist" {
				t.Errorf("testdata/%s/%s is no golden history", e.Name(), f.Name())
			}
		}
	}
}
