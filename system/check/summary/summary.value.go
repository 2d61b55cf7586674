package summary

import (
	"fmt"
	"strings"

	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// Value: every field of a due summary's last record equals the fold over the distinct events, compared as exact decimal numbers; a
// mean to within half a unit of its last decimal. Earlier records are steps: the count never falls from one record of a
// writer to its next. A summary that is not due
// must equal the fold if it counts all events, and else may not lie outside of it.
var Value = check.One("summary.value", "At rest every field of a summary equals the fold over the distinct events of its key and window.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		for _, f := range in.Index().Folds {
			for _, c := range f.Cells {
				if len(c.Published) == 0 {
					continue
				}
				t.Look(1)
				if text, shown := wrong(c); text != "" {
					t.Find(func() check.Finding { return about(c, text, shown...) })
				}
			}
		}
		return t.Verdict(fmt.Sprintf("every field of %s equals the fold over its events", summaries(t.Examined())), nothingPublished)
	})

func summaries(n int) string {
	if n == 1 {
		return "1 published summary"
	}
	return fmt.Sprintf("%d published summaries", n)
}

func wrong(c *check.Cell) (string, []check.Summary) {
	last, _ := c.Last()
	if len(c.Events) == 0 {
		if c.Doubtful > 0 {
			return "", nil
		}
		return fmt.Sprintf("%s at %s is of no event in the topic", c.Name(), last.Record.Place()), []check.Summary{last}
	}
	count, counted := c.Fold.CountOf(last)
	whole := c.Due || counted && count == int64(len(c.Events))
	if (c.Doubtful > 0 || c.Forgotten && count > int64(len(c.Events))) && count != int64(len(c.Events)) {
		return "", nil // it may count records that break their schema, or events whose ids are forgotten again
	}
	var parts []string
	for i, a := range c.Fold.Spec.Into {
		truth := c.Truth(i)
		if !truth.OK {
			continue
		}
		switch {
		case whole && !c.Right(last, i):
			parts = append(parts, fmt.Sprintf("%s is %s, and its %s give %s", a.Into, shown(last, i), events(len(c.Events)), expected(c, i)))
		case !whole && outside(a, truth, last, i):
			parts = append(parts, fmt.Sprintf("%s is %s before the window is due, and all of its %s so far give %s", a.Into, shown(last, i), events(len(c.Events)), expected(c, i)))
		}
	}
	if len(parts) > 0 {
		return fmt.Sprintf("%s is wrong at %s: %s", c.Name(), last.Record.Place(), strings.Join(parts, ", ")), []check.Summary{last}
	}
	return fallen(c)
}

// fallen finds two steps of one writer of which the second counts less. Steps of two writers may cross: a member that lost its
// partition can't be kept from having an older record under way, and what it leaves last is judged as the last record.
func fallen(c *check.Cell) (string, []check.Summary) {
	steps := map[int64]check.Summary{}
	for _, after := range c.Published {
		writer := writerOf(after)
		before, had := steps[writer]
		steps[writer] = after
		if !had {
			continue
		}
		was, ok := c.Fold.CountOf(before)
		is, ok2 := c.Fold.CountOf(after)
		if ok && ok2 && is < was {
			return fmt.Sprintf("the count of %s fell from %d at %s to %d at %s", c.Name(), was, before.Record.Place(), is, after.Record.Place()),
				[]check.Summary{before, after}
		}
	}
	return "", nil
}

// writerOf is the producer id that a record was written under, -1 where it had none.
func writerOf(s check.Summary) int64 {
	if p := s.Record.Event.Producer; p != nil {
		return p.ID
	}
	return -1
}

// outside says that a field of a partial summary can't come from any part of the events.
func outside(a contract.Aggregate, truth check.Truth, s check.Summary, i int) bool {
	if !s.Has[i] {
		return true
	}
	switch a.Op {
	case "count", "max":
		return s.Values[i].Cmp(truth.Num) > 0
	case "min":
		return s.Values[i].Cmp(truth.Num) < 0
	}
	return false // a part's sum or mean may be anything
}

func shown(s check.Summary, i int) string {
	if !s.Has[i] {
		return "no number"
	}
	return s.Values[i].String()
}

func expected(c *check.Cell, i int) string {
	if c.Fold.Spec.Into[i].Op == "mean" {
		return fmt.Sprintf("%s/%d", c.Truth(i).Num, len(c.Events))
	}
	return c.Truth(i).Num.String()
}

func events(n int) string { return check.Plural(n, "event") }
