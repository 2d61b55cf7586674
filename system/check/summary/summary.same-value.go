package summary

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// SameValue: two records of one summary that count the same are the same, byte for byte. A store only grows, so the same count is
// the same set of events; only in a replay with the state emptied may the way there be another, and there only records that count
// all events are compared with earlier ones. Where the fold does not count, records with equal fields are compared.
var SameValue = check.One("summary.same-value", "Two publications over the same set of events are byte for byte equal.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		asked := false
		for _, f := range ix.Folds {
			if f.Write == nil || !f.Write.SameValue {
				continue
			}
			asked = true
			for _, c := range f.Cells {
				compare(t, c)
			}
		}
		if !asked {
			return t.NotApplicable("no flow of the document promises the same value")
		}
		return t.Verdict(fmt.Sprintf("each of %s equals the one before it over the same events", check.Plural(t.Examined(), "repeated publication")),
			"no summary was published twice over the same events")
	})

func compare(t *check.Tally, c *check.Cell) {
	first := map[string]check.Summary{}
	told := false
	look := func(scan string, s check.Summary) {
		set := setOf(c, scan, s)
		before, known := first[set]
		if !known {
			first[set] = s
			return
		}
		t.Look(1)
		if before.Record.Event.Value != s.Record.Event.Value && !told {
			told = true
			t.Find(func() check.Finding {
				return about(c, fmt.Sprintf("%s was published at %s and at %s over the same %s with different bytes", c.Name(), before.Record.Place(), s.Record.Place(), size(c, s)), before, s)
			})
		}
	}
	for _, s := range c.Published {
		look(history.ScanRest, s)
	}
	for _, scan := range []string{history.ScanReplayKept, history.ScanReplayEmptied} {
		for _, s := range c.Later[scan] {
			look(scan, s)
		}
	}
}

// setOf names the set of events behind a record as far as it can be told.
func setOf(c *check.Cell, scan string, s check.Summary) string {
	count, ok := c.Fold.CountOf(s)
	if !ok {
		return "values " + values(c, s)
	}
	if scan == history.ScanReplayEmptied && count != int64(len(c.Events)) {
		return fmt.Sprint(scan, count)
	}
	return fmt.Sprint(count)
}

func size(c *check.Cell, s check.Summary) string {
	count, ok := c.Fold.CountOf(s)
	if !ok {
		return "events"
	}
	return events(int(count))
}
