package topics

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// Arithmetic: the document's own figures agree (package contract's lint computes the claims anew), and the events that the source's
// topics hold take no more than event-bytes, key and value, on average. A finding of the document itself has no trace in a run.
var Arithmetic = check.One("capacity.arithmetic", "The document's own figures agree with each other and with the measured size of an event.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		capacity := in.Doc.Capacity
		if capacity == nil {
			return t.NotApplicable("the document gives no capacity")
		}
		t.Look(len(capacity.Claims))
		for _, f := range lint(in) {
			t.Find(func() check.Finding { return check.Finding{Text: f} })
		}
		measured := "no event was measured"
		if capacity.EventBytes > 0 {
			measured = measure(in, t, capacity.EventBytes)
		}
		return t.Verdict(fmt.Sprintf("the document's claims follow from its figures, and %s", measured), "the document claims nothing and no event was measured")
	})

// enoughToMeasure is how many events make an average: of fewer, one long one may be most of it.
const enoughToMeasure = 10

func measure(in *check.Input, t *check.Tally, limit int) string {
	total, n := 0, 0
	var largest *check.Record
	for _, topic := range in.Index().Topics {
		if !topic.FromSource {
			continue
		}
		for i := range topic.Records {
			r := &topic.Records[i]
			if r.State != check.Valid || r.Poison {
				continue
			}
			total, n = total+size(r), n+1
			if largest == nil || size(r) > size(largest) {
				largest = r
			}
		}
	}
	if n < enoughToMeasure {
		return fmt.Sprintf("%d events are too few to measure", n)
	}
	t.Look(1)
	if total > limit*n {
		t.Find(func() check.Finding {
			return check.Finding{
				Text:    fmt.Sprintf("an event takes %d bytes on average (%d records, the largest at %s has %d), and the document counts with %d", (total+n-1)/n, n, largest.Place(), size(largest), limit),
				Witness: []history.Seq{largest.Event.Seq},
			}
		})
	}
	return fmt.Sprintf("an event takes %d bytes on average of the %d that it counts with", (total+n-1)/n, limit)
}

func size(r *check.Record) int { return len(r.Event.Key) + len(r.Event.Value) }
