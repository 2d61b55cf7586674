package summary

import (
	"fmt"

	"tahanuji/system/check"
)

// Published: each summary that is due has a record in its topic that can be read, whatever crashed in between.
var Published = check.One("summary.published", "Every window that closed is published, whatever crashed in between.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		for _, f := range in.Index().Folds {
			if f.Out == nil {
				continue
			}
			for _, c := range f.Cells {
				if !c.Due {
					continue
				}
				t.Look(1)
				if len(c.Published) == 0 {
					t.Find(func() check.Finding {
						return about(c, fmt.Sprintf("%s is due, of %s, and was never published", c.Name(), events(len(c.Events))))
					})
				}
			}
		}
		return t.Verdict(fmt.Sprintf("each of the %d summaries that are due is published", t.Examined()), "no summary is due")
	})
