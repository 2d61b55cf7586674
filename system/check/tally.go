package check

import (
	"fmt"
	"slices"
	"strings"

	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Limits of what a verdict carries, so that a report stays readable however much broke.
const (
	maxNamed   = 3  // findings named in Why
	maxWitness = 12 // events and exchanges of a trace
)

// Finding is one thing that broke a clause. One cause is one finding.
type Finding struct {
	// Text says what is wrong in words that a stranger understands, with the business ids, without a full stop.
	Text string
	// Witness is the trace that shows it, Exchanges the ledger entries of the trace.
	Witness   []history.Seq
	Exchanges []int64
	// Labels are the records concerned, as the ledger labels them: they lead to the fault that touched their requests.
	Labels []string
}

// Tally counts what a checker looks at and what it finds for one clause, and makes the verdict that follows.
type Tally struct {
	clause   contract.ID
	in       *Input
	examined int
	found    int
	first    []Finding
	notes    []string
}

// Look counts n more things as examined.
func (t *Tally) Look(n int) { t.examined += n }

// Examined is what was looked at so far.
func (t *Tally) Examined() int { return t.examined }

// Found is what was found so far.
func (t *Tally) Found() int { return t.found }

// Find adds a finding. tell is called only for those that the verdict will name.
func (t *Tally) Find(tell func() Finding) { t.FindMany(1, tell) }

// FindMany adds n findings that one text names, such as five events that one summary did not count.
func (t *Tally) FindMany(n int, tell func() Finding) {
	if n <= 0 {
		return
	}
	t.found += n
	if len(t.first) < maxNamed {
		t.first = append(t.first, tell())
	}
}

// Note adds what a reader should know of a clause that holds, such as duplicates that the document allows.
func (t *Tally) Note(format string, args ...any) {
	t.notes = append(t.notes, fmt.Sprintf(format, args...))
}

// Verdict is broken if anything was found, inconclusive if nothing was examined, and holds otherwise. seen says what holds, nothing
// says what was missing.
func (t *Tally) Verdict(seen, nothing string) Verdict {
	v := Verdict{Clause: t.clause, Examined: t.examined}
	switch {
	case t.found > 0:
		v.Outcome, v.Found = Broken, t.found
		v.Why = sentence(t.texts())
		v.Witness, v.Exchanges, v.Cause = t.trace()
	case t.examined == 0:
		v.Outcome, v.Idle, v.Why = Inconclusive, true, sentence("nothing was examined: "+nothing)
	default:
		v.Outcome, v.Why = Holds, sentence(strings.Join(append([]string{seen}, t.notes...), "; "))
	}
	return v
}

// NotApplicable is the verdict where the environment can't show the clause.
func (t *Tally) NotApplicable(why string) Verdict {
	return Verdict{Clause: t.clause, Outcome: NotApplicable, Why: sentence(why)}
}

func (t *Tally) texts() string {
	texts := make([]string, 0, maxNamed+1)
	for _, f := range t.first {
		texts = append(texts, f.Text)
	}
	text := strings.Join(texts, "; ")
	if t.found > len(t.first) {
		text += fmt.Sprintf(" (%d findings in all)", t.found)
	}
	return text
}

// trace is the first finding's: the shortest way to see what is wrong. The cause is the first that any named finding has.
func (t *Tally) trace() (witness []history.Seq, exchanges []int64, cause string) {
	if len(t.first) == 0 {
		return nil, nil, ""
	}
	ix := t.in.Index()
	for i, f := range t.first {
		by, touched := ix.cause(f)
		if i == 0 {
			witness = shortened(f.Witness)
			exchanges = shortened(append(slices.Clone(f.Exchanges), touched...))
		}
		if cause == "" {
			cause = by
		}
	}
	return witness, exchanges, cause
}

// shortened sorts, drops zeroes and repetitions, and keeps the first and last when there are too many.
func shortened[T ~int64](all []T) []T {
	out := slices.DeleteFunc(slices.Clone(all), func(s T) bool { return s == 0 })
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) > maxWitness {
		out = append(out[:maxWitness/2:maxWitness/2], out[len(out)-maxWitness/2:]...)
	}
	return slices.Clip(out)
}

func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// Plural is "1 event" or "3 events".
func Plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
