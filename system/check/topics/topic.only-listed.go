package topics

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// OnlyListed: no describe shows a topic outside the document, no role created one on the wire, no scan found records in one. Topics
// whose names begin with "__" are Kafka's own.
var OnlyListed = check.One("topic.only-listed", "No topic exists outside the topic map; a role that creates one is caught.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		strangers := map[string]*check.Finding{}
		for _, e := range ix.Described {
			if strings.HasPrefix(e.Key, "__") {
				continue
			}
			t.Look(1)
			if ix.Topic(e.Key) == nil {
				f := stranger(strangers, e.Key)
				f.Witness = append(f.Witness, e.Seq)
			}
		}
		for i := range in.History.Ledger {
			x := &in.History.Ledger[i]
			if x.API != "CreateTopics" || x.Applied != history.OK {
				continue
			}
			for _, item := range x.Items {
				t.Look(1)
				if item.Topic == "" || item.Code != 0 || ix.Topic(item.Topic) != nil {
					continue
				}
				f := stranger(strangers, item.Topic)
				f.Exchanges = append(f.Exchanges, x.Seq)
				f.Text = fmt.Sprintf("topic %s, created by %s, is not in the document", item.Topic, x.Door)
			}
		}
		for _, name := range ix.Stray() {
			t.Look(1)
			stranger(strangers, name)
		}
		for _, name := range slices.Sorted(maps.Keys(strangers)) {
			t.Find(func() check.Finding { return *strangers[name] })
		}
		return t.Verdict("every topic of the cluster is in the document", "no describe of the cluster's topics was seen")
	})

func stranger(all map[string]*check.Finding, name string) *check.Finding {
	if all[name] == nil {
		all[name] = &check.Finding{Text: fmt.Sprintf("topic %s exists and is not in the document", name)}
	}
	return all[name]
}
