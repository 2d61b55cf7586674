// Package summary judges what summaries say and what displays show, against the fold that the document describes over the events
// that the topic holds. It does not judge how events came into the topic.
package summary

import (
	"fmt"
	"strings"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// about makes a finding of a summary, with one event of it and the summaries concerned as its trace.
func about(c *check.Cell, text string, shown ...check.Summary) check.Finding {
	f := check.Finding{Text: text, Labels: []string{c.Label()}}
	if n := len(c.Events); n > 0 {
		f.Witness = c.Trace(c.Events[n-1])
	}
	for _, s := range shown {
		f.Witness = append(f.Witness, s.Record.Event.Seq)
	}
	for _, r := range c.Events {
		if label := r.Label(); label != "" {
			f.Labels = append(f.Labels, label)
		}
	}
	return f
}

// upTo is the last summary of a cell that a scan saw, the scans before it included.
func upTo(c *check.Cell, scan string) (check.Summary, bool) {
	last, ok := c.Last()
	for _, s := range []string{history.ScanReplayKept, history.ScanReplayEmptied} {
		if scan == history.ScanRest {
			break
		}
		if later := c.Later[s]; len(later) > 0 {
			last, ok = later[len(later)-1], true
		}
		if s == scan {
			break
		}
	}
	return last, ok
}

// values writes the fields of a summary for a sentence.
func values(c *check.Cell, s check.Summary) string {
	var parts []string
	for i, a := range c.Fold.Spec.Into {
		if s.Has[i] {
			parts = append(parts, fmt.Sprintf("%s %s", a.Into, s.Values[i]))
		} else {
			parts = append(parts, fmt.Sprintf("no %s", a.Into))
		}
	}
	return strings.Join(parts, ", ")
}

const nothingPublished = "no summary of the fold was published"
