package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity of a fault. An error refuses the document, a warning does not.
type Severity string

// Severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Fault is something wrong with a document: where, by which rule, what, and what to do.
type Fault struct {
	Pos      Pos      `json:"pos"`
	Rule     string   `json:"rule"` // Rule.ID
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
	Hint     string   `json:"hint"`
}

// String is "file:line:column: text; hint". An unknown line or column is left out.
func (f Fault) String() string { return f.Pos.String() + ": " + f.Text + "; " + f.Hint }

// String is "file:line:column", without what is unknown.
func (p Pos) String() string {
	switch {
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Faults are all faults of a document found in one go, in the order of files and lines. As an error it has one line each.
type Faults []Fault

// Error has one line for each fault.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// Errors are the faults that refuse the document.
func (f Faults) Errors() Faults {
	return slices.DeleteFunc(slices.Clone(f), func(one Fault) bool { return one.Severity != Error })
}

func (f Faults) sorted() Faults {
	slices.SortStableFunc(f, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(f)
}

// Stage says which step holds a rule.
type Stage string

// Stages. What breaks a rule of form or reference makes no document; what breaks a lint rule makes one that is not sound.
const (
	Form      Stage = "form"      // Load: the file can be read as a document
	Reference Stage = "reference" // Load: names and pointers lead somewhere
	Linted    Stage = "lint"      // Lint: the document agrees with itself
)

// Rule is one rule that documents are held against.
type Rule struct {
	ID       string   `json:"id"`
	Stage    Stage    `json:"stage"`
	Severity Severity `json:"severity"`
	Text     string   `json:"text"` // what must be true
	Do       string   `json:"do"`   // what to do when it is not
}

// AllRules are all rules, in the order form, reference, lint. The slice is the caller's own.
func AllRules() []Rule { return slices.Clone(rules[:]) }

var rules = [...]Rule{
	{"syntax", Form, Error, "A document is one YAML file, a decision Markdown with YAML front matter.", "Check indentation, colons and quotes."},
	{"limit", Form, Error, "A file has at most 4 MiB, 200000 values and 100 levels.", "Split it, or write less."},
	{"unknown-key", Form, Error, "Only names of the form are known.", "Take the nearest known name, or leave it out."},
	{"duplicate-key", Form, Error, "A name stands once in a mapping.", "Keep one."},
	{"missing-key", Form, Error, "What the form requires is there.", "Add it."},
	{"type", Form, Error, "A value is of the kind that the form wants.", "Write a value of that kind."},
	{"value", Form, Error, "A value is one that the form knows, and in range.", "Take one of the known values."},
	{"pointer", Form, Error, "Places are JSON Pointers (RFC 6901).", "Begin with / and a name; the whole is \"\"."},
	{"duration", Form, Error, "Lengths of time are ISO 8601 with weeks, days, hours, minutes and seconds.", "Write such as P7D or PT1H."},
	{"pattern", Form, Error, "Regular expressions are RE2.", "Write it without lookaround and backreferences."},
	{"schema", Form, Error, "A payload's schema is a JSON Schema 2020-12 that needs no other file.", "Correct the schema."},
	{"patch", Form, Error, "A change is an RFC 6902 patch that tests each value before it replaces or removes it.", "Put a test operation with the old value in front."},
	{"reference", Reference, Error, "Names of topics, payloads, groups and decisions lead to one that exists.", "Take an existing name, or add what is missing."},
	{"role-kind", Reference, Error, "A role is a recorder, a summarizer or a display, and all its flows say the same.", "Give the flow a kind."},
	{"fold-flow", Reference, Error, "A flow that folds reads events, and its role has a flow that writes the summaries under the fold's fields.", "Complete the role's flows."},
	{"decided-number", Linted, Error, "Every number in topics is decided by an accepted decision.", "Record the decision, or let an accepted one decide it."},
	{"decided-twice", Linted, Error, "A number is decided by one accepted decision, unless one amends the other.", "Supersede or amend."},
	{"adr-reasons", Linted, Error, "A decision has reasons.", "Write down why."},
	{"adr-alternatives", Linted, Error, "A decision has at least one rejected alternative.", "Write down what was rejected, and why."},
	{"adr-supersedes", Linted, Error, "Supersedes is two-sided: the old one names the new one and is superseded.", "Complete the other file."},
	{"adr-self", Linted, Error, "No decision supersedes or amends itself.", "Remove its own id."},
	{"adr-change", Linted, Error, "A proposal that changes a decided part amends or supersedes the decision.", "Name the decision under amends or supersedes."},
	{"adr-expects", Linted, Error, "Expectations name clauses that the document has, before or after the change.", "Take a clause of the list."},
	{"adr-stale", Linted, Warning, "A proposal's change still applies to the document.", "Write the change anew for the document as it is, or reject the proposal."},
	{"replay-retention", Linted, Error, "What can be replayed is kept: the replay window is at most the topic's retention.", "Lengthen the retention or shorten the window."},
	{"dedupe-replay", Linted, Error, "What is replayed is recognised: the dedupe window is at least the replay window.", "Lengthen the dedupe window."},
	{"group-members", Linted, Error, "A group has at most as many members as its topics have partitions.", "Fewer members, or more partitions."},
	{"group-reads", Linted, Error, "A group reads exactly what its flows read.", "Make both lists agree."},
	{"example", Linted, Error, "Examples validate against their payload's schema and rules.", "Correct the example or the schema."},
	{"example-key", Linted, Error, "The key of an example has the topic's key pattern.", "Correct the example or the pattern."},
	{"example-missing", Linted, Warning, "A payload that a topic carries has an example.", "Add one whole record."},
	{"pointer-example", Linted, Error, "Places in records exist in an example of their payload.", "Correct the pointer or the example."},
	{"example-time", Linted, Error, "The time that a fold cuts into windows is an RFC 3339 text with a zone, in every example.", "Write the time such as 2026-11-07T08:30:00Z."},
	{"capacity-rate", Linted, Error, "The claimed rate is sources over interval, rounded as it is written.", "Write the computed rate."},
	{"capacity-volume", Linted, Error, "The claimed volume is rate times retention times event-bytes, rounded as it is written.", "Write the computed volume."},
	{"capacity-claim", Linted, Error, "A claim can be computed: its name, unit and the parts that it needs are known.", "Take rate or volume, and a known unit."},
	{"event-bytes", Linted, Error, "An event takes at most event-bytes, measured on the examples as compact JSON.", "Raise event-bytes to the measured size."},
	{"event-bytes-loose", Linted, Warning, "event-bytes is at most twice the measured size.", "Lower it, or say why it is so large."},
	{"waiver-expired", Linted, Error, "A waiver has not expired.", "Renew it with a reason, or remove it."},
	{"waiver-unmatched", Linted, Error, "A waiver names a clause that the document has.", "Take a clause of the list, or remove it."},
	{"unused", Linted, Warning, "What is defined is used.", "Remove it, or use it."},
}

func severityOf(rule string) Severity {
	for _, r := range rules {
		if r.ID == rule {
			return r.Severity
		}
	}
	panic("contract: a fault of the rule " + rule + ", which is not in the list")
}

// Nearest is the known name with the smallest edit distance to name, "" if none is near: for messages that refuse a name.
func Nearest(name string, known []string) string {
	best, least := "", max(2, len(name)/2+1)+1
	for _, k := range known {
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance of two names: insertions, deletions, replacements of bytes (Levenshtein), with a limit on the lengths compared.
func distance(a, b string) int {
	if len(a) > 100 || len(b) > 100 {
		return max(len(a), len(b))
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal, row[j+1] = row[j+1], min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// known names the possible values, with the nearest one in front where there is one.
func known(name string, all []string) string {
	list := strings.Join(all, ", ")
	near := Nearest(name, all)
	switch {
	case len(all) == 0:
		return "there is none"
	case near != "" && len(all) > 15:
		return fmt.Sprintf("did you mean %s?", near)
	case near != "":
		return fmt.Sprintf("did you mean %s? known: %s", near, list)
	}
	return "known: " + list
}
