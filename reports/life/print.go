package life

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// widest is the most letters of a column: what is longer is cut.
const widest = 96

// Print writes a life as a table for people: time, who, what, what was true, what was told, which fault touched it.
func (l *Life) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", l.Label)
	if l.ID != "" {
		fmt.Fprintf(&b, " (id %s)", l.ID)
	}
	if len(l.Summaries) > 0 {
		fmt.Fprintf(&b, ", counted in %s", strings.Join(l.Summaries, ", "))
	}
	b.WriteString("\n\n")
	rows := [][]string{{"TIME", "WHO", "WHAT", "TRUE", "TOLD", "FAULT", "NOTE"}}
	for _, x := range l.Lines {
		rows = append(rows, []string{clock(x.At), x.Who, x.What, x.True, x.Told, x.Fault, x.Note})
	}
	if err := table(&b, rows); err != nil {
		return err
	}
	b.WriteByte('\n')
	for _, r := range l.Rulings {
		by := "no fault"
		if r.Fault != "" {
			by = "fault " + r.Fault
		}
		word := "allowed by"
		if r.Verdict == CausedForbidden || r.Verdict == NoFaultForbid {
			word = "forbidden by"
		}
		fmt.Fprintf(&b, "%s: %s (%s, %s %s): %s\n", r.Kind, r.Verdict, by, word, r.Clause, r.Why)
	}
	if len(l.Rulings) == 0 {
		b.WriteString("Nothing to rule on: no loss, no duplicate, nothing left in doubt.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// PrintDoubts writes what clients were left in doubt about, and how the ledger resolves it.
func PrintDoubts(w io.Writer, doubts []Doubt) error {
	if len(doubts) == 0 {
		_, err := fmt.Fprintln(w, "Every client was told the truth about each of its operations.")
		return err
	}
	rows := [][]string{{"TIME", "WHO", "WHAT", "TOLD", "FAULT", "RESOLVED"}}
	for _, d := range doubts {
		rows = append(rows, []string{clock(d.At), d.Who, d.What, d.Told, d.Fault, d.Resolved})
	}
	return table(w, rows)
}

func table(w io.Writer, rows [][]string) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = cut(cell)
		}
		if _, err := fmt.Fprintln(t, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

func cut(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > widest {
		return string(r[:widest-1]) + "…"
	}
	return s
}

func clock(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
