package reports

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// Verify says whether a report is whole and unaltered; path is report.json or the folder that holds it. It holds the file
// against its schema and its digests, counts the squares anew, hashes each cell's verdicts and evidence, and builds the
// verdict again from the cells: a verdict edited by hand is found, in the report or in a cell. It finds accidents and edits;
// somebody who runs the suite's own code over forged evidence is found by recheck, not here. All that is wrong comes in
// one error, joined; nil means that nothing is.
func Verify(path string) error {
	path = reportPath(path)
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reports: verify: %w", err)
	}
	if err := checkSchema(text); err != nil {
		return fmt.Errorf("reports: verify %s: %w", path, err)
	}
	r, err := Read(path)
	if err != nil {
		return fmt.Errorf("reports: verify: %w", err)
	}
	v := verifier{report: r, out: filepath.Dir(path)}
	v.digests()
	v.squares()
	v.cells()
	if len(v.wrong) == 0 {
		v.again()
	}
	return v.err(path)
}

// VerifyAgainst is Verify, and holds the report against a document and its clauses as well: the digest, and each clause
// under each fault that it names once.
func VerifyAgainst(path string, doc *contract.Document, clauses []contract.Clause) error {
	r, err := Read(path)
	if err != nil {
		return err
	}
	v := verifier{report: r}
	if r.Verdict.Document.Digest != doc.Digest {
		v.say("the report judges by the document %.12s, the document at hand is %.12s", r.Verdict.Document.Digest, doc.Digest)
	}
	has := map[contract.ID]ClauseLine{}
	for _, c := range r.Verdict.Clauses {
		has[c.ID] = c
	}
	for _, c := range clauses {
		line, ok := has[c.ID]
		delete(has, c.ID)
		switch {
		case !ok:
			v.say("clause %s of the document is not in the report", c.ID)
		case line.Level != c.Level || line.Text != c.Text || !slices.Equal(line.Faults, c.Faults):
			v.say("clause %s is not as the document has it", c.ID)
		}
	}
	for id := range has {
		v.say("clause %s of the report is not in the document", id)
	}
	return errors.Join(Verify(path), v.err(path))
}

type verifier struct {
	report *Report
	out    string
	runs   []Run
	wrong  []error
}

func (v *verifier) say(format string, args ...any) {
	v.wrong = append(v.wrong, fmt.Errorf(format, args...))
}

func (v *verifier) err(path string) error {
	if len(v.wrong) == 0 {
		return nil
	}
	return fmt.Errorf("reports: verify %s: %w", path, errors.Join(v.wrong...))
}

func (v *verifier) digests() {
	again := *v.report
	if err := again.Seal(); err != nil {
		v.say("digest: %w", err)
		return
	}
	for _, d := range []struct{ part, was, is string }{
		{"verdict", v.report.Digest.Verdict, again.Digest.Verdict},
		{"evidence", v.report.Digest.Evidence, again.Digest.Evidence},
		{"measured", v.report.Digest.Measured, again.Digest.Measured},
	} {
		if d.was != d.is {
			v.say("the part %q was altered: its digest is %.12s, the report says %.12s", d.part, d.is, d.was)
		}
	}
}

// squares holds the matrix against the clauses: each clause under each fault that it names, once; and the sums.
func (v *verifier) squares() {
	j := &v.report.Verdict
	type square struct {
		clause contract.ID
		fault  string
	}
	seen := map[square]int{}
	outcomes := map[check.Outcome]int{}
	for _, s := range j.Matrix {
		seen[square{s.Clause, s.Fault}]++
		outcomes[s.Outcome]++
	}
	want := 0
	for _, c := range j.Clauses {
		for _, f := range slices.Compact(slices.Sorted(slices.Values(c.Faults))) {
			want++
			if n := seen[square{c.ID, f}]; n != 1 {
				v.say("the square %s under %s is there %d times, not once", c.ID, f, n)
			}
		}
	}
	if len(j.Matrix) != want || j.Counts.Squares != want {
		v.say("the matrix has %d squares and the sum says %d; the clauses make %d", len(j.Matrix), j.Counts.Squares, want)
	}
	sum := 0
	for o, n := range j.Counts.Outcomes {
		sum += n
		if outcomes[o] != n {
			v.say("the sum of %s is %d, the matrix has %d", o, n, outcomes[o])
		}
	}
	if sum != len(j.Matrix) {
		v.say("the sums of the outcomes make %d, the matrix has %d squares", sum, len(j.Matrix))
	}
}

// cells reads each cell's folder: it is there, unaltered, and its evidence is what was judged.
func (v *verifier) cells() {
	listed := map[string]bool{}
	for _, c := range v.report.Verdict.Cells {
		listed[c.ID] = true
		e, ok := v.report.Evidence[c.ID]
		if !ok {
			v.say("cell %s has no evidence in the report", c.ID)
			continue
		}
		v.cell(c.ID, e)
	}
	for id := range v.report.Evidence {
		if !listed[id] {
			v.say("cell %s has evidence and is missing in the verdict", id)
		}
	}
	onDisk, err := ReadRuns(v.out)
	if err != nil {
		v.say("%w", err)
	}
	for _, run := range onDisk {
		if !listed[run.Cell] {
			v.say("cell %s was judged and is missing in the report", run.Cell)
		}
	}
}

func (v *verifier) cell(id string, e Evidence) {
	if e.Folder != CellsFolder+"/"+FolderName(id) {
		v.say("cell %s: its evidence is said to lie in %s", id, e.Folder)
		return
	}
	folder := CellFolder(v.out, id)
	for _, name := range append([]string{VerdictsFile}, evidenceFiles...) {
		is, err := hashFile(filepath.Join(folder, name))
		was, hashed := e.Files[name]
		switch {
		case err != nil && hashed:
			v.say("cell %s: %s is missing: %w", id, name, err)
		case err == nil && !hashed:
			v.say("cell %s: %s is there, and the report does not know it", id, name)
		case err == nil && is != was:
			v.say("cell %s: %s was altered", id, name)
		}
	}
	run, err := ReadRun(folder)
	if err != nil {
		v.say("%w", err)
		return
	}
	v.runs = append(v.runs, run)
}

// again builds the verdict from the cells as they are on disk and compares.
func (v *verifier) again() {
	j := &v.report.Verdict
	b := basisOf(v.report)
	sortRuns(v.runs)
	if err := b.accept(v.runs); err != nil {
		v.say("%w", err)
		return
	}
	built := b.judge(v.runs)
	built.Proposal = j.Proposal
	is, err := digestOf(built)
	if err != nil {
		v.say("%w", err)
		return
	}
	if is != v.report.Digest.Verdict {
		v.say("the verdict does not follow from the cells: %s", firstDifference(&built, j))
	}
}

// firstDifference names what a reader should look at first.
func firstDifference(built, said *Judgement) string {
	if built.Outcome != said.Outcome {
		return fmt.Sprintf("they make %s, the report says %s", built.Outcome, said.Outcome)
	}
	for i, s := range built.Matrix {
		if i < len(said.Matrix) && s.Outcome != said.Matrix[i].Outcome {
			return fmt.Sprintf("%s under %s is %s, the report says %s", s.Clause, s.Fault, s.Outcome, said.Matrix[i].Outcome)
		}
	}
	for i, c := range built.Cells {
		if i < len(said.Cells) && c.Outcome != said.Cells[i].Outcome {
			return fmt.Sprintf("cell %s is %s, the report says %s", c.ID, c.Outcome, said.Cells[i].Outcome)
		}
	}
	return fmt.Sprintf("they make %q, the report says %q", built.Sentence, said.Sentence)
}
