package reports_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"tahanuji/reports"
	"tahanuji/reports/example"
	"tahanuji/system/check"
	"tahanuji/system/history"
)

func saveOne(t *testing.T) (string, reports.Run) {
	t.Helper()
	out := t.TempDir()
	h, v := example.Loss()
	run := example.Run("role-killed", "")
	example.Set(&run, v)
	run.Again = &reports.Again{K: 3, N: 5}
	folder := reports.CellFolder(out, run.Cell)
	if err := reports.SaveEvidence(folder, []string{"a plan"}, h); err != nil {
		t.Fatal(err)
	}
	if err := reports.Write(folder, run); err != nil {
		t.Fatal(err)
	}
	return folder, run
}

func TestARunIsReadBackAsItWasWritten(t *testing.T) {
	folder, want := saveOne(t)
	got, err := reports.ReadRun(folder)
	if err != nil {
		t.Fatal(err)
	}
	if got.Folder != folder || len(got.Evidence) != 3 {
		t.Errorf("folder %q, evidence %v", got.Folder, got.Evidence)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(reports.Run{}, "Folder", "Evidence")); diff != "" {
		t.Error(diff)
	}
	h, err := reports.ReadHistory(folder)
	if err != nil {
		t.Fatal(err)
	}
	original, _ := example.Loss()
	if diff := cmp.Diff(original, h); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(filepath.Join(folder, "logs")); err != nil || !info.IsDir() {
		t.Errorf("no folder for logs: %v", err)
	}
}

func TestABrokenRunFolderIsRefusedByName(t *testing.T) {
	for name, c := range map[string]struct{ old, new, says string }{
		"unknown field":     {`"cell":`, `"colour": "green", "cell":`, `unknown field "colour"`},
		"no JSON":           {`{`, ``, "verdicts.json"},
		"more behind":       {`"events": 240`, `"events": 240}{`, "more behind"},
		"unknown outcome":   {`"outcome": "holds"`, `"outcome": "green"`, `unknown outcome "green"`},
		"another cell":      {`"cell": "sensor/role-killed/embedded"`, `"cell": "sensor/other/embedded"`, "does not belong to cell sensor/other/embedded"},
		"a clause unsorted": {`"clause": "count.once"`, `"clause": "a.first"`, "verdicts are one a clause, sorted"},
	} {
		t.Run(name, func(t *testing.T) {
			folder, _ := saveOne(t)
			path := filepath.Join(folder, reports.VerdictsFile)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			edited := strings.Replace(string(text), c.old, c.new, 1)
			if edited == string(text) {
				t.Fatalf("the file does not hold %s", c.old)
			}
			if err := os.WriteFile(path, []byte(edited), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err = reports.ReadRun(folder)
			if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "role-killed") {
				t.Fatalf("want an error that says %q and names the folder, got %v", c.says, err)
			}
		})
	}
}

func TestEvidenceThatChangedIsNotJudgedAnew(t *testing.T) {
	folder, _ := saveOne(t)
	run, err := reports.ReadRun(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := reports.Write(folder, run); err != nil {
		t.Fatalf("judged anew over the same evidence: %v", err)
	}
	if err := reports.SaveEvidence(folder, []string{"another plan"}, &history.History{}); err != nil {
		t.Fatal(err)
	}
	if err := reports.Write(folder, run); err == nil || !strings.Contains(err.Error(), "changed since it was saved") {
		t.Fatalf("want a refusal, got %v", err)
	}
}

func TestOnlyNamesAreCells(t *testing.T) {
	for cell, good := range map[string]bool{
		"sensor/commit-refused/embedded": true, "sensor/a/b/flaw-no-dedupe": true, "workqueue.v2/x": true,
		"": false, "/etc": false, "a//b": false, "../a": false, "a/..": false, "a--b/c": false, "a/b c": false, "a/-b": false, "a/b-": false,
		"a/" + strings.Repeat("x", 200): false,
	} {
		if err := reports.CheckCell(cell); (err == nil) != good {
			t.Errorf("cell %q: %v", cell, err)
		}
	}
}

func TestARunThatWasCutShortBeforeItWasJudgedIsLeftOut(t *testing.T) {
	folder, _ := saveOne(t)
	out := filepath.Dir(filepath.Dir(folder))
	if err := reports.SaveEvidence(reports.CellFolder(out, "sensor/cut/embedded"), nil, &history.History{}); err != nil {
		t.Fatal(err)
	}
	runs, err := reports.ReadRuns(out)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	if runs, err := reports.ReadRuns(t.TempDir()); err != nil || len(runs) != 0 {
		t.Fatalf("an empty out folder: %d runs, %v", len(runs), err)
	}
}

func TestWritingRefusesWhatReadingWould(t *testing.T) {
	run := example.Run("none", "")
	run.Verdicts = append(run.Verdicts, check.Verdict{Clause: run.Verdicts[0].Clause, Outcome: check.Holds})
	if err := reports.Write(reports.CellFolder(t.TempDir(), run.Cell), run); err == nil {
		t.Fatal("two verdicts on one clause were written")
	}
}
