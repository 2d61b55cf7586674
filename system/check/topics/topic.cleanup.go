package topics

import (
	"slices"
	"strings"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Cleanup: the live topic's cleanup.policy is the document's. Where the document gives none it is Kafka's default, delete: a topic
// that is compacted unasked loses records.
var Cleanup = check.One("topic.cleanup", "The live topic is cleaned up as the topic map says, by deletion if it says nothing.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		eachListed(in, func(topic *contract.Topic, e *history.Event, d described) {
			got, has := d.config("cleanup.policy")
			want, asked := topic.Config["cleanup.policy"]
			if !has && !asked {
				return // a describe without this name says nothing of a topic that does not ask for it
			}
			if !asked {
				want = "delete"
			}
			t.Look(1)
			if policies(got) != policies(want) {
				t.Find(func() check.Finding { return configured(topic, e, "cleanup.policy", want, got) })
			}
		})
		return t.Verdict("every described topic is cleaned up as the document says", notDescribed)
	})

// policies writes a list such as "compact, delete" in one way.
func policies(list string) string {
	all := strings.Split(strings.ReplaceAll(list, " ", ""), ",")
	slices.Sort(all)
	return strings.Join(all, ",")
}
