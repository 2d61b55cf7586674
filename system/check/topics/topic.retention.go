package topics

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Retention: retention.ms and retention.bytes of the live topic are the document's, where it gives them.
var Retention = check.One("topic.retention", "The live topic keeps records as long as the topic map says.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		eachListed(in, func(topic *contract.Topic, e *history.Event, d described) {
			for _, name := range []string{"retention.ms", "retention.bytes"} {
				want, asked := topic.Config[name]
				if !asked {
					continue
				}
				t.Look(1)
				if got, has := d.config(name); !has || got != want {
					t.Find(func() check.Finding { return configured(topic, e, name, want, got) })
				}
			}
		})
		return t.Verdict("every described topic keeps its records as the document says", notDescribed)
	})

func configured(topic *contract.Topic, e *history.Event, name, want, got string) check.Finding {
	if got == "" {
		got = "not set"
	}
	return check.Finding{
		Text:    fmt.Sprintf("%s of topic %s is %s and the document gives it %s", name, topic.Name, got, want),
		Witness: []history.Seq{e.Seq},
	}
}
