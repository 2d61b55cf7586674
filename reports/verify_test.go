package reports_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tahanuji/reports"
	"tahanuji/reports/example"
	"tahanuji/reports/format"
	"tahanuji/system/check"
)

// written is a session on disk as the suite leaves it.
func written(t *testing.T, runs []reports.Run) string {
	t.Helper()
	r, out := build(t, runs)
	if err := format.Write(out, r, []format.Format{format.JSON()}); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAnUntouchedReportIsVerified(t *testing.T) {
	for name, runs := range map[string][]reports.Run{"conforms": example.Runs(), "violated": example.Violated(), "incomplete": example.Undecided(), "empty": nil} {
		t.Run(name, func(t *testing.T) {
			out := written(t, runs)
			if err := reports.Verify(out); err != nil {
				t.Fatal(err)
			}
			if err := reports.VerifyAgainst(out, example.Document(), example.Clauses()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestAReportWithAProposalIsVerifiedOnceItIsSealed(t *testing.T) {
	r, out := build(t, example.Violated())
	r.Verdict.Proposal = &reports.ProposalPart{ADR: "ADR-0007", Title: "Six partitions", Decision: "reject", Why: "order.device breaks",
		Rows:    []reports.DiffRow{{Cell: "sensor/none/embedded", Clause: "order.device", After: check.Broken, Change: reports.Added}},
		Expects: []reports.Expected{{Clause: "order.device", Phase: "migration", Want: check.Holds, Got: check.Broken}}}
	if err := format.Write(out, r, []format.Format{format.JSON()}); err != nil {
		t.Fatal(err)
	}
	if err := reports.Verify(out); err == nil {
		t.Fatal("what was added without a seal went unnoticed")
	}
	reseal(t, out, r)
	if err := reports.Verify(out); err != nil {
		t.Fatal(err)
	}
}

func TestAnAlteredReportIsRefused(t *testing.T) {
	cell := filepath.Join("cells", "sensor--role-killed--embedded")
	replace := func(file, old, new string) func(*testing.T, string) {
		return func(t *testing.T, out string) {
			path := filepath.Join(out, file)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), old) {
				t.Fatalf("%s does not contain %q", file, old)
			}
			if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, new, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		alter func(*testing.T, string)
		says  string
	}{
		"one verdict in report.json": {replace("report.json", `"outcome": "broken"`, `"outcome": "holds"`), "was altered"},
		"the verdict's word":         {replace("report.json", `"outcome": "violated"`, `"outcome": "conforms"`), "was altered"},
		"a time":                     {replace("report.json", `"cpus": 2`, `"cpus": 64`), `"measured"`},
		"one verdict in a cell":      {replace(filepath.Join(cell, "verdicts.json"), `"outcome": "broken"`, `"outcome": "holds"`), "verdicts.json was altered"},
		"the history":                {replace(filepath.Join(cell, "history.jsonl"), "hitung/3", "hitung/2"), "history.jsonl was altered"},
		"the ledger":                 {replace(filepath.Join(cell, "ledger.jsonl"), "OffsetCommit", "OffsetFetch"), "ledger.jsonl was altered"},
		"the plan":                   {replace(filepath.Join(cell, "plan.json"), "role-killed", "role-paused"), "plan.json was altered"},
		"a seed that is a number":    {replace("report.json", `"seed": "42"`, `"seed": 42`), "schema"},
		"a field nobody knows":       {replace("report.json", `"format":`, `"colour": "green", "format":`), "schema"},
		"a cell that is gone": {func(t *testing.T, out string) {
			if err := os.RemoveAll(filepath.Join(out, cell)); err != nil {
				t.Fatal(err)
			}
		}, "is missing"},
		"a history that is gone": {func(t *testing.T, out string) {
			if err := os.Remove(filepath.Join(out, cell, "history.jsonl")); err != nil {
				t.Fatal(err)
			}
		}, "history.jsonl is missing"},
		"a cell that nobody reported": {func(t *testing.T, out string) {
			run := example.Run("role-killed", "")
			run.Cell = "sensor/role-killed-again/embedded"
			if _, err := example.Save(out, []reports.Run{run}); err != nil {
				t.Fatal(err)
			}
		}, "sensor/role-killed-again/embedded was judged and is missing in the report"},
	} {
		t.Run(name, func(t *testing.T) {
			out := written(t, example.Violated())
			c.alter(t, out)
			err := reports.Verify(out)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("want an error that says %q, got %v", c.says, err)
			}
		})
	}
}

// A report whose author knows about digests is still held against its cells.
func TestAResealedEditDoesNotFollowFromTheCells(t *testing.T) {
	for name, edit := range map[string]func(*reports.Report){
		"a square":  func(r *reports.Report) { turn(r, check.Broken, check.Holds) },
		"a finding": func(r *reports.Report) { r.Verdict.Findings = r.Verdict.Findings[1:] },
		"the word":  func(r *reports.Report) { r.Verdict.Outcome = reports.Conforms },
		"the seed":  func(r *reports.Report) { r.Verdict.Cells[0].Seed = "1" },
	} {
		t.Run(name, func(t *testing.T) {
			out := written(t, example.Violated())
			r, err := reports.Read(out)
			if err != nil {
				t.Fatal(err)
			}
			edit(r)
			reseal(t, out, r)
			if err := reports.Verify(out); err == nil || !strings.Contains(err.Error(), "does not follow from the cells") {
				t.Fatalf("the edit went unnoticed: %v", err)
			}
		})
	}
}

func TestAMissingOrDoubledSquareIsFound(t *testing.T) {
	for name, edit := range map[string]func(*reports.Report){
		"missing": func(r *reports.Report) { r.Verdict.Matrix = r.Verdict.Matrix[1:] },
		"twice":   func(r *reports.Report) { r.Verdict.Matrix[1] = r.Verdict.Matrix[0] },
		"a sum":   func(r *reports.Report) { r.Verdict.Counts.Outcomes[check.Holds]-- },
		"dropped from the denominator too": func(r *reports.Report) {
			r.Verdict.Clauses[4].Faults = r.Verdict.Clauses[4].Faults[1:]
		},
	} {
		t.Run(name, func(t *testing.T) {
			out := written(t, example.Runs())
			r, err := reports.Read(out)
			if err != nil {
				t.Fatal(err)
			}
			edit(r)
			reseal(t, out, r)
			if err := reports.Verify(out); err == nil {
				t.Fatal("the edit went unnoticed")
			}
		})
	}
}

func TestAnotherDocumentIsFound(t *testing.T) {
	out := written(t, example.Runs())
	doc := example.Document()
	doc.Digest = strings.Repeat("0", 64)
	if err := reports.VerifyAgainst(out, doc, example.Clauses()); err == nil || !strings.Contains(err.Error(), "document at hand") {
		t.Errorf("another digest: %v", err)
	}
	if err := reports.VerifyAgainst(out, example.Document(), example.Clauses()[1:]); err == nil || !strings.Contains(err.Error(), "not in the document") {
		t.Errorf("a clause less: %v", err)
	}
	clauses := example.Clauses()
	clauses[3].Faults = append(clauses[3].Faults, "burst-input")
	if err := reports.VerifyAgainst(out, example.Document(), clauses); err == nil || !strings.Contains(err.Error(), "schema.valid-only is not as the document has it") {
		t.Errorf("a fault more: %v", err)
	}
}

func TestTheSchemaIsASchema(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(reports.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	if schema["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
		t.Fatalf("the schema's dialect is %v", schema["$schema"])
	}
}

func turn(r *reports.Report, from, to check.Outcome) {
	for i := range r.Verdict.Matrix {
		if r.Verdict.Matrix[i].Outcome == from {
			r.Verdict.Matrix[i].Outcome = to
			r.Verdict.Counts.Outcomes[from]--
			r.Verdict.Counts.Outcomes[to]++
			return
		}
	}
}

func reseal(t *testing.T, out string, r *reports.Report) {
	t.Helper()
	if err := r.Seal(); err != nil {
		t.Fatal(err)
	}
	if err := format.Write(out, r, []format.Format{format.JSON()}); err != nil {
		t.Fatal(err)
	}
}
