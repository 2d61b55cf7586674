// Package wire judges producers by what the fault proxy saw of their requests and by the origin that the log keeps of each record. It
// does not judge what the records say.
package wire

import (
	"cmp"
	"fmt"
	"slices"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// produced is what one role wrote to one topic in one way.
type produced struct {
	role, topic, way string
}

// misuse counts requests by role, topic and what is wrong with them: one producer that is set up wrong is one finding.
type misuse map[produced][]int64

func (m misuse) report(t *check.Tally) {
	keys := make([]produced, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b produced) int {
		return cmp.Or(cmp.Compare(a.role, b.role), cmp.Compare(a.topic, b.topic), cmp.Compare(a.way, b.way))
	})
	for _, k := range keys {
		t.Find(func() check.Finding {
			return check.Finding{
				Text:      fmt.Sprintf("%s writes to %s %s, in %s", k.role, k.topic, k.way, check.Plural(len(m[k]), "request")),
				Exchanges: m[k][:min(3, len(m[k]))],
			}
		})
	}
}

// eachProduced calls look for every Produce of a flow that asks something of its producer, by topic; copies that the proxy made are
// nobody's act.
func eachProduced(in *check.Input, asks func(p *contract.Producer) bool, look func(role string, x *history.Exchange, item *history.Item)) {
	type place struct{ role, topic string }
	flows := map[place]bool{}
	for _, f := range in.Doc.Flows {
		if f.Producer != nil && f.Writes != "" && asks(f.Producer) {
			flows[place{f.Role, f.Writes}] = true
		}
	}
	for i := range in.History.Ledger {
		x := &in.History.Ledger[i]
		if x.API != "Produce" || x.Copy {
			continue
		}
		role := check.RoleOf(x.Door)
		for n := range x.Items {
			if item := &x.Items[n]; flows[place{role, item.Topic}] {
				look(role, x, item)
			}
		}
	}
}

const nothingProduced = "no Produce of a flow that asks for it was seen on the wire"
