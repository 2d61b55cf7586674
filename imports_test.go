package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// rule forbids imports from one room to another. Files are parsed: `go list` would come from a cache that hides a change.
type rule struct {
	from string   // room: a folder and all below it
	not  []string // rooms that it must not import; "..." is every room of the module
	but  []string // exceptions
	why  string
}

var rules = []rule{
	{"system/contract", []string{"..."}, []string{"system/contract"}, "the document is a leaf: everything else is held against it"},
	{"system/history", []string{"..."}, nil, "what was seen knows nothing of what was wanted"},
	{"system/target", []string{"..."}, []string{"system/history"}, "the language of plans is a leaf"},
	{"system/seed", []string{"..."}, nil, "draws are a leaf"},
	{"reference", []string{"..."}, []string{"reference"}, "the reference is a system like any other: it must not know its judge"},
	{"system/check", []string{"faults", "reference", "reports", "scenarios", "system/broker", "system/sim", "system/sut"}, nil, "checkers are pure: a document and a history in, verdicts out"},
	{"system/workload", []string{"faults", "reference", "reports", "scenarios", "system/broker", "system/sim", "system/sut", "system/check"}, nil, "input is made before anything runs"},
	{"system/broker", []string{"faults", "reference", "reports", "scenarios", "system/sim", "system/sut", "system/check"}, nil, "a broker knows no test"},
	{"system/sut", []string{"faults", "reports", "scenarios", "system/check", "system/sim"}, nil, "adapters hurt nothing and judge nothing"},
	{"faults", []string{"reference", "reports", "scenarios", "system/check", "system/sim", "system/broker"}, []string{"system/broker/records"}, "a fault does not know who suffers it"},
	{"faults/proxy", []string{"system/workload", "system/contract"}, nil, "the proxy gets its labels handed in"},
	{"system/sim", []string{"reports", "scenarios", "system/broker", "faults/proxy"}, []string{"faults/proxy/wire"}, "the model needs no broker and no report"},
	{"reports", []string{"faults", "reference", "scenarios", "system/broker", "system/sim", "system/sut"}, nil, "a report is made from run folders alone"},
}

const module = "tahanuji"

func TestImportsGoOneWay(t *testing.T) {
	used := map[string]bool{}
	for file, imports := range parsed(t) {
		room := path.Dir(file)
		for _, r := range rules {
			if !below(room, r.from) || strings.HasSuffix(file, "_test.go") {
				continue
			}
			used[r.from] = true
			for _, imported := range imports {
				if r.forbids(imported) {
					t.Errorf("%s imports %s: %s", file, imported, r.why)
				}
			}
		}
	}
	for _, r := range rules {
		if !used[r.from] {
			t.Errorf("the rule for %s matches no file: the room was moved or renamed", r.from)
		}
	}
}

func TestGinkgoIsKnownToTestsAlone(t *testing.T) {
	for file, imports := range parsed(t) {
		for _, imported := range imports {
			if !strings.HasSuffix(file, "_test.go") && (strings.HasPrefix(imported, "github.com/onsi/") || imported == "testing") && !below(file, "system/broker/brokertest") && !below(file, "reference/port/storetest") {
				t.Errorf("%s imports %s: test frameworks belong to *_test.go, so that the engine runs without them", file, imported)
			}
		}
	}
}

func (r rule) forbids(imported string) bool {
	room, ours := strings.CutPrefix(imported, module+"/")
	if !ours {
		return false
	}
	for _, ok := range r.but {
		if below(room, ok) {
			return false
		}
	}
	for _, no := range r.not {
		if no == "..." || below(room, no) {
			return true
		}
	}
	return false
}

func below(name, room string) bool { return name == room || strings.HasPrefix(name, room+"/") }

// parsed gives the imports of every Go file of the module.
func parsed(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "out") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			out[filepath.ToSlash(name)] = append(out[filepath.ToSlash(name)], imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 100 {
		t.Fatalf("only %d files were found", len(out))
	}
	return out
}
