package reports

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// Change is what became of a clause in a cell from one report to another.
type Change string

// Changes. A clause that was judged and no longer is counts as newly inconclusive, whatever the reason.
const (
	Kept              Change = "kept"
	Broke             Change = "broken"
	Repaired          Change = "repaired" // from anything else to holds
	NewlyInconclusive Change = "newly inconclusive"
	Added             Change = "added"
	Removed           Change = "removed"
)

// changes in the order in which they are printed.
var changes = []Change{Broke, NewlyInconclusive, Removed, Repaired, Added, Kept}

// DiffRow is one clause in one cell. A cell that is new has no Before, one that is gone no After.
type DiffRow struct {
	Cell   string        `json:"cell"`
	Clause contract.ID   `json:"clause"`
	Before check.Outcome `json:"before"`
	After  check.Outcome `json:"after"`
	Change Change        `json:"change"`
	Why    string        `json:"why,omitempty"` // of the finding that broke it
}

// DiffResult compares two reports cell by cell. Rows are sorted by cell and clause and hold all changes, also what is kept.
type DiffResult struct {
	Before, After DiffSide
	Rows          []DiffRow

	flawed map[string]bool // cells that are there to be caught
}

// DiffSide is one of the two reports.
type DiffSide struct {
	Document DocumentRef
	Outcome  Conformance
	Sentence string
}

// Diff says what changed from a to b.
func Diff(a, b *Report) DiffResult {
	d := DiffResult{Before: sideOf(a), After: sideOf(b), flawed: map[string]bool{}}
	for _, c := range b.Verdict.Cells {
		if c.Flaw != "" && c.Flaw != b.Verdict.Setting.Flaw {
			d.flawed[c.ID] = true
		}
	}
	before, after := verdictsOf(a), verdictsOf(b)
	why := map[verdictKey]string{}
	for _, f := range b.Verdict.Findings {
		for _, cell := range f.Cells {
			why[verdictKey{b.unflawed(cell), f.Clause}] = f.Why
		}
	}
	both := maps.Clone(before)
	maps.Copy(both, after)
	for k := range both {
		row := DiffRow{Cell: k.cell, Clause: k.clause, Before: before[k], After: after[k]}
		_, had := before[k]
		_, has := after[k]
		row.Change = changeOf(row.Before, row.After, had, has)
		if row.After == check.Broken && row.Change != Kept {
			row.Why = why[k]
		}
		d.Rows = append(d.Rows, row)
	}
	slices.SortFunc(d.Rows, func(x, y DiffRow) int {
		return cmp.Or(cmp.Compare(x.Cell, y.Cell), cmp.Compare(x.Clause, y.Clause))
	})
	return d
}

type verdictKey struct {
	cell   string
	clause contract.ID
}

func verdictsOf(r *Report) map[verdictKey]check.Outcome {
	out := map[verdictKey]check.Outcome{}
	for _, c := range r.Verdict.Cells {
		for id, o := range c.Outcomes {
			out[verdictKey{r.unflawed(c.ID), id}] = o
		}
	}
	return out
}

// unflawed is a cell's id without the flaw of the whole sitting, so that a sitting with a flaw is compared with one without.
func (r *Report) unflawed(cell string) string {
	if flaw := r.Verdict.Setting.Flaw; flaw != "" {
		return strings.TrimSuffix(cell, "/flaw-"+flaw)
	}
	return cell
}

func sideOf(r *Report) DiffSide {
	return DiffSide{Document: r.Verdict.Document, Outcome: r.Verdict.Outcome, Sentence: r.Verdict.Sentence}
}

func changeOf(before, after check.Outcome, had, has bool) Change {
	switch {
	case !had:
		return Added
	case !has:
		return Removed
	case before == after:
		return Kept
	case after == check.Broken:
		return Broke
	case after == check.Holds:
		return Repaired
	}
	return NewlyInconclusive
}

// Of counts the rows of a change.
func (d DiffResult) Of(c Change) int {
	n := 0
	for _, r := range d.Rows {
		if r.Change == c {
			n++
		}
	}
	return n
}

// Worse says whether a clause is broken now that was not before. Cells with planted flaws don't count: they are there to break.
func (d DiffResult) Worse() bool {
	return slices.ContainsFunc(d.Changed(), func(r DiffRow) bool { return r.After == check.Broken && !d.flawed[r.Cell] })
}

// Changed has the rows that are not kept, the worst changes first.
func (d DiffResult) Changed() []DiffRow {
	var out []DiffRow
	for _, c := range changes {
		for _, r := range d.Rows {
			if r.Change == c && c != Kept {
				out = append(out, r)
			}
		}
	}
	return out
}

// Print writes the comparison as text: both verdicts, the counts, and each change in a line.
func (d DiffResult) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "before  %s\nafter   %s\n", d.Before.Sentence, d.After.Sentence)
	if d.Before.Document != d.After.Document {
		fmt.Fprintf(&b, "the documents differ: %s %.12s, %s %.12s\n",
			d.Before.Document.ID, d.Before.Document.Digest, d.After.Document.ID, d.After.Document.Digest)
	}
	for i, c := range changes {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d %s", d.Of(c), c)
	}
	b.WriteString("\n")
	whole := map[string]bool{}
	for _, r := range d.Changed() {
		if (r.Change == Added || r.Change == Removed) && r.After != check.Broken {
			if !whole[r.Cell] {
				fmt.Fprintf(&b, "  %-18s  %s  %s\n", r.Change, r.Cell, d.tally(r.Cell, r.Change))
			}
			whole[r.Cell] = true
			continue
		}
		fmt.Fprintf(&b, "  %-18s  %s  %s: %s -> %s", r.Change, r.Cell, r.Clause, orDash(r.Before), orDash(r.After))
		if r.Why != "" {
			fmt.Fprintf(&b, "  (%s)", oneLine(r.Why, 160))
		}
		b.WriteString("\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("reports: print diff: %w", err)
	}
	return nil
}

// tally counts the outcomes of a cell that came or went: "24 holds, 5 inconclusive".
func (d DiffResult) tally(cell string, change Change) string {
	counts := map[check.Outcome]int{}
	for _, r := range d.Rows {
		if r.Cell == cell && r.Change == change {
			counts[cmp.Or(r.After, r.Before)]++
		}
	}
	var parts []string
	for _, o := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[o], orDash(o)))
	}
	return strings.Join(parts, ", ")
}

func orDash(o check.Outcome) string { return cmpOr(string(o), "-") }
