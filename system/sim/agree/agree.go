// Package agree holds two runs of one plan against each other, such as one on the model and one on a broker: where they end must
// be the same, however they got there. It runs nothing, and says of no run that it is right.
package agree

import (
	"cmp"
	"fmt"
	"slices"

	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/workload"
)

// Kind of a difference.
type Kind string

// Kinds. Copies is no contradiction where a promise allows duplicates: how often a record is resent is up to the moment.
const (
	Missing   Kind = "missing"   // a record is in the topic of one run alone
	Partition Kind = "partition" // a record is in different partitions
	Copies    Kind = "copies"    // a record is in its topic a different number of times
	Order     Kind = "order"     // records of one key came first in a different order
	Summary   Kind = "summary"   // the last record of an overwrite-key differs
	Row       Kind = "row"       // a display shows different values
	Lag       Kind = "lag"       // a group has a different number of records left to commit
)

// Difference is one thing in which two ends differ. A and B are what the first and the second run show, "" for nothing.
type Difference struct {
	Kind Kind   `json:"kind"`
	Scan string `json:"scan"` // history.ScanRest or one of the replays
	// At names it: a label, a key, a group and partition, a role and key.
	At string `json:"at"`
	A  string `json:"a"`
	B  string `json:"b"`
}

func (d Difference) String() string {
	return fmt.Sprintf("%s (%s) of %s: %s, %s", d.Kind, d.Scan, d.At, said(d.A), said(d.B))
}

func said(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// Ends compares where two runs of the same load ended, scan by scan; a scan that only one of them has is not compared. The
// differences are sorted; none means that the runs agree.
func Ends(doc *contract.Document, load *workload.Load, a, b *history.History) []Difference {
	label := workload.Identify(doc, load)
	var out []Difference
	for _, scan := range []string{history.ScanRest, history.ScanReplayKept, history.ScanReplayEmptied} {
		left, right := read(doc, label, a, scan), read(doc, label, b, scan)
		if left.empty || right.empty {
			continue
		}
		c := &comparison{scan: scan}
		c.records(left, right)
		c.each(Order, left.order, right.order)
		c.each(Summary, left.last, right.last)
		c.each(Row, left.rows, right.rows)
		c.each(Lag, left.lag, right.lag)
		out = append(out, c.found...)
	}
	slices.SortFunc(out, func(x, y Difference) int {
		return cmp.Or(cmp.Compare(x.Scan, y.Scan), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.At, y.At))
	})
	return out
}

// Contradictions are the differences that no promise of at-least-once explains.
func Contradictions(all []Difference) []Difference {
	return slices.DeleteFunc(slices.Clone(all), func(d Difference) bool { return d.Kind == Copies })
}

type comparison struct {
	scan  string
	found []Difference
}

func (c *comparison) add(kind Kind, at, a, b string) {
	c.found = append(c.found, Difference{kind, c.scan, at, a, b})
}

// each compares two maps of texts.
func (c *comparison) each(kind Kind, a, b map[string]string) {
	for at, x := range a {
		if y := b[at]; x != y {
			c.add(kind, at, x, y)
		}
	}
	for at, y := range b {
		if _, both := a[at]; !both {
			c.add(kind, at, "", y)
		}
	}
}

// records compares which records there are, where, and how often.
func (c *comparison) records(a, b end) {
	for at, x := range a.records {
		y := b.records[at]
		switch {
		case y == nil:
			c.add(Missing, at, x.String(), "")
		case x.partition != y.partition:
			c.add(Partition, at, x.String(), y.String())
		case x.copies != y.copies:
			c.add(Copies, at, x.String(), y.String())
		}
	}
	for at, y := range b.records {
		if a.records[at] == nil {
			c.add(Missing, at, "", y.String())
		}
	}
}
