package summary

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// Replay: after a replay, with the summarizer's state kept and with it emptied, the last record of each summary says what it said
// before. A summary that only the replay published must equal the fold. With the state kept nothing needs to be published again.
var Replay = check.One("summary.replay", "After a replay the final summaries equal the first.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		again := map[string]int{}
		for _, f := range ix.Folds {
			if f.Out == nil {
				continue
			}
			for _, scan := range []string{history.ScanReplayKept, history.ScanReplayEmptied} {
				if !f.Out.Scanned[scan] {
					continue
				}
				again[scan] += 0
				for _, c := range f.Cells {
					again[scan] += len(c.Later[scan])
					replayed(t, c, scan)
				}
			}
		}
		for _, scan := range []string{history.ScanReplayKept, history.ScanReplayEmptied} {
			if n, seen := again[scan]; seen {
				t.Note("%s published %d summaries", scan, n)
			}
		}
		return t.Verdict(fmt.Sprintf("each of %s says the same after a replay as before", check.Plural(t.Examined(), "final value")), "no replay was run")
	})

func replayed(t *check.Tally, c *check.Cell, scan string) {
	if c.Forgotten {
		return // its ids are older than the dedupe window
	}
	first, published := c.Last()
	last, now := upTo(c, scan)
	switch {
	case !now:
		return
	case !published:
		t.Look(1)
		if text := differsFromFold(c, last); text != "" {
			t.Find(func() check.Finding {
				return about(c, fmt.Sprintf("%s was published only by %s, and %s", c.Name(), scan, text), last)
			})
		}
		return
	}
	t.Look(1)
	for i, a := range c.Fold.Spec.Into {
		if first.Has[i] != last.Has[i] || !first.Values[i].Equal(last.Values[i]) {
			t.Find(func() check.Finding {
				return about(c, fmt.Sprintf("%s had %s %s at %s, and %s after %s at %s", c.Name(), a.Into, shown(first, i), first.Record.Place(), shown(last, i), scan, last.Record.Place()), first, last)
			})
			return
		}
	}
}

func differsFromFold(c *check.Cell, s check.Summary) string {
	if c.Doubtful > 0 {
		return ""
	}
	for i, a := range c.Fold.Spec.Into {
		if c.Truth(i).OK && !c.Right(s, i) {
			return fmt.Sprintf("its %s is %s where its events give %s", a.Into, shown(s, i), expected(c, i))
		}
	}
	return ""
}
