package delivery

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// NoLoss: each event that the source was told is recorded is in its topic, and the summary that it belongs to, once that is due,
// counts as many events as the topic holds for it. A summary tells how many it misses, not which.
var NoLoss = check.One("delivery.no-loss", "Every event that was acknowledged to the source is in its topic and counted once it is due.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		repeats := 0
		for _, s := range good(ix) {
			if s.Recorded == nil || !s.Topic.Scanned[history.ScanRest] {
				continue
			}
			t.Look(1)
			if len(s.Records) == 0 {
				t.Find(func() check.Finding {
					return about(s, "%s was recorded and is nowhere in %s", s.Name(), s.Topic.Doc.Name)
				})
			}
			repeats += max(0, len(s.Records)-1)
		}
		due := 0
		for _, f := range ix.Folds {
			for _, c := range f.Cells {
				if c.Due && t.Examined() > 0 {
					due++
					counted(t, c)
				}
			}
		}
		if repeats > 0 {
			t.Note("%d of the records repeat an event, which at-least-once allows", repeats)
		}
		return t.Verdict(fmt.Sprintf("each of %s is in its topic and counted in %s", check.Plural(t.Examined(), "recorded event"), dues(due)),
			"the source was told of no event that it is recorded, or the topic was not scanned")
	})

func dues(n int) string {
	if n == 1 {
		return "the one summary that is due"
	}
	return fmt.Sprintf("the %d summaries that are due", n)
}

// counted finds the recorded events of a due summary that it does not count.
func counted(t *check.Tally, c *check.Cell) {
	var recorded []*check.Record
	for _, r := range c.Events {
		if r.Sent != nil && r.Sent.Recorded != nil {
			recorded = append(recorded, r)
		}
	}
	last, published := c.Last()
	if c.Fold.Out == nil || len(recorded) == 0 {
		return
	}
	if !published {
		t.FindMany(len(recorded), func() check.Finding {
			return uncounted(c, recorded, fmt.Sprintf("%s was recorded and never counted: %s is due and was not published", named(recorded), c.Name()))
		})
		return
	}
	count, ok := c.Fold.CountOf(last)
	if missing := len(c.Events) - int(count); ok && missing > 0 {
		t.FindMany(min(missing, len(recorded)), func() check.Finding {
			return uncounted(c, recorded, fmt.Sprintf("%s counts %d of the %d events in its topic, so %d recorded events are lost, among them perhaps %s",
				c.Name(), count, len(c.Events), min(missing, len(recorded)), recorded[len(recorded)-1].Sent.Name()))
		})
	}
}

func named(recorded []*check.Record) string {
	if len(recorded) == 1 {
		return recorded[0].Sent.Name()
	}
	return fmt.Sprintf("%s, with %d more,", recorded[0].Sent.Name(), len(recorded)-1)
}

func uncounted(c *check.Cell, recorded []*check.Record, text string) check.Finding {
	f := check.Finding{Text: text, Witness: c.Trace(recorded[len(recorded)-1]), Labels: []string{c.Label()}}
	for _, r := range recorded {
		f.Labels = append(f.Labels, r.Sent.Label)
	}
	return f
}
