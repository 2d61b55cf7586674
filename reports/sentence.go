package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// Exit codes that follow from a report. Refused input (3) and a failed harness (4) never come to a report.
const (
	ExitConforms   = 0
	ExitViolated   = 1
	ExitIncomplete = 2
)

// ExitCode is 0 for conforms, 1 for violated, 2 for incomplete.
func ExitCode(r *Report) int {
	switch r.Verdict.Outcome {
	case Conforms:
		return ExitConforms
	case Violated:
		return ExitViolated
	case Incomplete:
		return ExitIncomplete
	}
	return ExitIncomplete
}

func conformance(j *Judgement) Conformance {
	if slices.ContainsFunc(j.Findings, func(f Finding) bool { return f.Level == contract.Required }) {
		return Violated
	}
	if len(j.Open) > 0 {
		return Incomplete
	}
	return Conforms
}

// Sentence is the verdict in one sentence, the same in every format.
func Sentence(r *Report) string { return r.Verdict.Sentence }

func sentence(j *Judgement) string {
	who := fmt.Sprintf("%s (%s)", j.Setting.System, j.Setting.Sut)
	if j.Setting.Flaw != "" {
		who += " with the flaw " + j.Setting.Flaw
	}
	switch j.Outcome {
	case Violated:
		return fmt.Sprintf("Violated: %s breaks %s of its document: %s.%s", who, counted(len(brokenClauses(j)), "clause"), join(brokenClauses(j)), alsoOpen(j))
	case Incomplete:
		return fmt.Sprintf("Incomplete: nothing that binds %s was seen broken, but %s.", who, openSentence(j))
	case Conforms:
		s := fmt.Sprintf("Conforms: %s holds each of %s asked of it, in %s", who, counted(j.Counts.Required, "square"), counted(j.Counts.Cells, "run"))
		if j.Counts.Flaws > 0 {
			s += fmt.Sprintf("; the checks caught %d of %s", j.Counts.FlawsCaught, counted(j.Counts.Flaws, "planted flaw"))
		}
		if n := j.Counts.Outcomes[check.Waived]; n > 0 {
			s += fmt.Sprintf("; %s waived", isAre(n, "square"))
		}
		return s + "."
	}
	return "Unset: the report has no verdict."
}

func alsoOpen(j *Judgement) string {
	if len(j.Open) == 0 {
		return ""
	}
	return fmt.Sprintf(" Beside that, %s.", openSentence(j))
}

func openSentence(j *Judgement) string {
	count := map[string]int{}
	for _, o := range j.Open {
		if o.Kind == OpenInconclusive {
			count[o.Kind] += len(o.Faults) * len(o.Clauses) // squares
			continue
		}
		count[o.Kind]++
	}
	var parts []string
	for _, p := range []struct{ kind, one, many string }{
		{OpenInterrupted, "the session was interrupted", "the session was interrupted"},
		{OpenNothing, "nothing was examined", "nothing was examined"},
		{OpenNotRun, "1 wanted verdict is missing", "%d wanted verdicts are missing"},
		{OpenInconclusive, "1 required square is inconclusive", "%d required squares are inconclusive"},
		{OpenSweep, "too few moments of the protocol were reached", "too few moments of the protocol were reached"},
		{OpenFlawNotRun, "1 planted flaw was not tried", "%d planted flaws were not tried"},
		{OpenFlaw, "1 planted flaw went unnoticed", "%d planted flaws went unnoticed"},
	} {
		switch n := count[p.kind]; {
		case n == 1:
			parts = append(parts, p.one)
		case n > 1:
			parts = append(parts, fmt.Sprintf(p.many, n))
		}
	}
	return strings.Join(parts, ", ")
}

func brokenClauses(j *Judgement) []contract.ID {
	var ids []contract.ID
	for _, f := range j.Findings {
		if f.Level == contract.Required && !slices.Contains(ids, f.Clause) {
			ids = append(ids, f.Clause)
		}
	}
	return ids
}

// maxTerminal bounds the violations and open ends that Terminal lists one a line.
const maxTerminal = 12

// Terminal writes a session's last lines: each violation in one line with the command that repeats it, what is open, the
// flaws caught of all, the verdict in a sentence, and where the report is ("" leaves that out).
func Terminal(r *Report, w io.Writer, where string) error {
	var b strings.Builder
	for i, f := range r.Verdict.Findings {
		if i == maxTerminal {
			fmt.Fprintf(&b, "  ... and %s more, in the report\n", counted(len(r.Verdict.Findings)-i, "violation"))
			break
		}
		fmt.Fprintf(&b, "  %s  %s%s: %s%s; repeat: %s\n", levelWord(f.Level), f.Clause, underCause(f), strings.TrimSuffix(oneLine(f.Why, 200), "."), inCells(f), f.Repeat)
	}
	for i, o := range r.Verdict.Open {
		if i == maxTerminal {
			fmt.Fprintf(&b, "  ... and %d more open, in the report\n", len(r.Verdict.Open)-i)
			break
		}
		fmt.Fprintf(&b, "  open    %s\n", oneLine(OpenLine(o), 240))
	}
	if n := r.Verdict.Counts.Flaws; n > 0 {
		fmt.Fprintf(&b, "  flaws   %d of %d caught\n", r.Verdict.Counts.FlawsCaught, n)
	}
	if s := r.Verdict.Sweep; s != nil {
		fmt.Fprintf(&b, "  sweep   %s\n", s.Line())
		for _, moment := range s.BrokenMoments(maxTerminal) {
			fmt.Fprintf(&b, "  moment  %s\n", moment)
		}
	}
	fmt.Fprintln(&b, r.Verdict.Sentence)
	if where != "" {
		fmt.Fprintf(&b, "Report: %s\n", where)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("reports: terminal: %w", err)
	}
	return nil
}

// OpenLine is one open end in a sentence.
func OpenLine(o Open) string {
	var at []string
	if len(o.Clauses) > 0 {
		at = append(at, shortList(o.Clauses))
	}
	if len(o.Faults) > 1 || len(o.Faults) == 1 && o.Faults[0] != NoFault {
		at = append(at, "under "+shortList(o.Faults))
	}
	if o.Cell != "" && o.Kind != OpenFlaw && len(o.Faults) < 2 {
		at = append(at, "in "+o.Cell)
	}
	if len(at) == 0 {
		return o.Kind + ": " + o.Why
	}
	return fmt.Sprintf("%s: %s: %s", o.Kind, strings.Join(at, " "), o.Why)
}

// shortList names the first three.
func shortList[T ~string](all []T) string {
	var names []string
	for i, name := range all {
		if i == 3 && len(all) > 4 {
			return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), len(all)-3)
		}
		names = append(names, string(name))
	}
	return strings.Join(names, ", ")
}

// levelWord begins a violation's line: what is only advised does not make a report violated.
func levelWord(l contract.Level) string {
	if l == contract.Required {
		return "broken"
	}
	return "advice"
}

func underCause(f Finding) string {
	switch {
	case f.Calm:
		return " without any fault"
	case f.Cause == "":
		return ""
	}
	return " under " + f.Cause
}

func inCells(f Finding) string {
	if len(f.Cells) < 2 {
		return ""
	}
	return fmt.Sprintf(" (in %d cells)", len(f.Cells))
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func isAre(n int, noun string) string {
	if n == 1 {
		return counted(n, noun) + " is"
	}
	return counted(n, noun) + " are"
}

func oneLine(s string, limit int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return s
}
