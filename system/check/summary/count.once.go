package summary

import (
	"fmt"

	"tahanuji/system/check"
)

// CountOnce: the count of a summary's last record is the number of distinct events that the topic holds for its key and window.
// While the window is not due it may be less; no record of it, also an earlier one, may ever count more, unless its ids are
// older than the dedupe window. Events that break their schema and can be read may be counted or not.
var CountOnce = check.One("count.once", "A summary's count is the number of distinct events of its key and window.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		counts := false
		for _, f := range in.Index().Folds {
			counts = counts || f.Count >= 0
			for _, c := range f.Cells {
				last, published := c.Last()
				if !published || f.Count < 0 {
					continue
				}
				t.Look(1)
				if text, shown := miscounted(c, last); text != "" {
					t.Find(func() check.Finding { return about(c, text, shown) })
				}
			}
		}
		if !counts {
			return t.NotApplicable("no fold of the document counts")
		}
		return t.Verdict(fmt.Sprintf("each of %s counts every event of its key and window once", summaries(t.Examined())), nothingPublished)
	})

func miscounted(c *check.Cell, last check.Summary) (string, check.Summary) {
	most := int64(len(c.Events) + c.Doubtful)
	for _, s := range c.Published {
		count, ok := c.Fold.CountOf(s)
		if !ok {
			return fmt.Sprintf("%s has no whole number as its count at %s", c.Name(), s.Record.Place()), s
		}
		if count > most && (!c.Forgotten || len(c.Events) == 0) {
			return fmt.Sprintf("%s counts %d at %s, and the topic holds %s of it", c.Name(), count, s.Record.Place(), distinct(c)), s
		}
	}
	if count, _ := c.Fold.CountOf(last); c.Due && count < int64(len(c.Events)) {
		return fmt.Sprintf("%s counts %d at the end, and the topic holds %s of it", c.Name(), count, distinct(c)), last
	}
	return "", last
}

func distinct(c *check.Cell) string {
	switch n := len(c.Events); n {
	case 0:
		return "no event"
	case 1:
		return "1 distinct event"
	default:
		return fmt.Sprintf("%d distinct events", n)
	}
}
