package topics

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Partitions: each listed topic that is described has exactly the document's number of partitions.
var Partitions = check.One("topic.partitions", "The live topic has as many partitions as the topic map says.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		eachListed(in, func(topic *contract.Topic, e *history.Event, d described) {
			if topic.Partitions <= 0 {
				return
			}
			t.Look(1)
			if d.Partitions != topic.Partitions {
				t.Find(func() check.Finding {
					return check.Finding{
						Text:    fmt.Sprintf("topic %s has %d partitions and the document gives it %d", topic.Name, d.Partitions, topic.Partitions),
						Witness: []history.Seq{e.Seq},
					}
				})
			}
		})
		return t.Verdict("every described topic has the partitions that the document gives it", notDescribed)
	})
