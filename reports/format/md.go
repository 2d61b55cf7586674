package format

import (
	"fmt"
	"io"
	"strings"

	"tahanuji/reports"
	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// Markdown is summary.md, for a comment on a change: at most 60 lines, violations first.
func Markdown() Format {
	return Format{
		Name: "md", File: "summary.md",
		Doc:    "a summary of at most 60 lines, violations first, each with the command that repeats it",
		Render: renderMarkdown,
	}
}

// Limits of summary.md, in entries: together with the frame they stay under maxSummary lines.
const (
	maxSummary    = 60
	maxViolations = 8
	maxOpen       = 6
	maxMoments    = 5
)

func renderMarkdown(r *reports.Report, w io.Writer) error {
	j := &r.Verdict
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n\n%s\n", mark(j.Outcome), strings.ToUpper(string(j.Outcome)), inline(j.Sentence))
	for i, f := range j.Findings {
		if i == 0 {
			b.WriteString("\n## Broken\n\n")
		}
		if i == maxViolations {
			fmt.Fprintf(&b, "- and %d more in report.html\n", len(j.Findings)-i)
			break
		}
		fmt.Fprintf(&b, "- **%s**%s%s: %s\n  Repeat: `%s`%s\n", inline(string(f.Clause)), under(f), inCells(f), inline(f.Why), code(f.Repeat), again(r, f.ID))
	}
	for i, o := range j.Open {
		if i == 0 {
			b.WriteString("\n## Open\n\n")
		}
		if i == maxOpen {
			fmt.Fprintf(&b, "- and %d more in report.html\n", len(j.Open)-i)
			break
		}
		fmt.Fprintf(&b, "- %s\n", inline(reports.OpenLine(o)))
	}
	if p := j.Proposal; p != nil {
		fmt.Fprintf(&b, "\n## Proposal %s\n\n%s: %s\n", inline(p.ADR), inline(p.Decision), inline(p.Why))
	}
	b.WriteString("\n## What was judged\n\n| outcome | clauses under a fault |\n|---|---|\n")
	for _, o := range outcomes {
		if n := j.Counts.Outcomes[o]; n > 0 {
			fmt.Fprintf(&b, "| %s | %d |\n", o, n)
		}
	}
	fmt.Fprintf(&b, "| **all** | **%d**, %d of them asked for |\n\n", j.Counts.Squares, j.Counts.Required)
	if j.Sweep != nil {
		fmt.Fprintf(&b, "Sweep: %s.\n\n", inline(j.Sweep.Line()))
		broken := j.Sweep.BrokenMoments(maxMoments)
		for _, moment := range broken {
			fmt.Fprintf(&b, "- %s\n", inline(moment))
		}
		if len(broken) > 0 {
			b.WriteByte('\n')
		}
	}
	if j.Counts.Flaws > 0 {
		fmt.Fprintf(&b, "Planted flaws caught: %d of %d. ", j.Counts.FlawsCaught, j.Counts.Flaws)
	}
	fmt.Fprintf(&b, "Runs: %d. Document `%s` %.12s.\n\nEverything again: `%s`\n", j.Counts.Cells, code(j.Document.ID), j.Document.Digest, code(j.Setting.Repeat))
	_, err := io.WriteString(w, b.String())
	return err
}

// outcomes in the order in which reports list them: worst first.
var outcomes = []check.Outcome{check.Broken, check.Inconclusive, check.NotRun, check.Waived, check.Holds, check.NotApplicable}

func mark(c reports.Conformance) string {
	switch c {
	case reports.Conforms:
		return "✓"
	case reports.Violated:
		return "✗"
	case reports.Incomplete:
		return "?"
	}
	return "?"
}

func under(f reports.Finding) string {
	s := ""
	switch {
	case f.Calm:
		s = " without any fault"
	case f.Cause != "":
		s = " under " + inline(f.Cause)
	}
	if f.Level != contract.Required {
		s += " (advisory)"
	}
	return s
}

func inCells(f reports.Finding) string {
	if len(f.Cells) == 1 {
		return ""
	}
	return fmt.Sprintf(" (in %d cells)", len(f.Cells))
}

func again(r *reports.Report, id string) string {
	a, ok := r.Measured.Again[id]
	if !ok {
		return ""
	}
	return fmt.Sprintf(", reproduced %d of %d", a.K, a.N)
}

// inline makes text that a system under test may have chosen harmless in one line of Markdown.
func inline(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > 300 {
		s = string(r[:300]) + "…"
	}
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "|", `\|`, "<", "&lt;", "[", `\[`, "@", "&#64;").Replace(s)
}

func code(s string) string { return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "`", "'") }
