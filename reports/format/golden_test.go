package format_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"tahanuji/reports"
	"tahanuji/reports/example"
	"tahanuji/reports/format"
)

var update = flag.Bool("update", false, "write the golden files anew")

func build(t *testing.T, runs []reports.Run) (*reports.Report, string) {
	t.Helper()
	out := t.TempDir()
	saved, err := example.Save(out, runs)
	if err != nil {
		t.Fatal(err)
	}
	r, err := reports.Build(saved, example.Document(), example.Clauses(), example.Wanted(), example.Environment())
	if err != nil {
		t.Fatal(err)
	}
	return r, out
}

// sessions are those whose reports are kept as golden files.
func sessions() map[string][]reports.Run {
	return map[string][]reports.Run{"conforms": example.Runs(), "violated": example.Violated(), "incomplete": example.Undecided()}
}

func TestEachFormatIsRenderedAsKept(t *testing.T) {
	for name, runs := range sessions() {
		r, _ := build(t, runs)
		if string(r.Verdict.Outcome) != name {
			t.Errorf("the session %s is %s: %s", name, r.Verdict.Outcome, r.Verdict.Sentence)
		}
		for _, f := range format.All() {
			t.Run(name+" "+f.Name, func(t *testing.T) {
				var b bytes.Buffer
				if err := f.Render(r, &b); err != nil {
					t.Fatal(err)
				}
				golden(t, filepath.Join("testdata", name, f.File), b.Bytes())
			})
		}
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (make it with go test -update)", err)
	}
	if !bytes.Equal(want, got) {
		at := 0
		for at < min(len(want), len(got)) && want[at] == got[at] {
			at++
		}
		from := max(0, at-60)
		t.Errorf("%s differs at byte %d (go test -update after a look at it):\nwant …%s\ngot  …%s", path, at, want[from:min(len(want), at+80)], got[from:min(len(got), at+80)])
	}
}
