package reports_test

import (
	"flag"
	"testing"

	"tahanuji/reports"
	"tahanuji/reports/example"
)

var update = flag.Bool("update", false, "write the golden files anew")

// build makes a report of made-up runs that lie in a folder of the test's own.
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
