package wire

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// AcksAll: every Produce of a flow that asks for acks=all asks the broker for it (acks -1).
var AcksAll = check.One("producer.acks-all", "Flows that demand it produce with acks=all.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		wrong := misuse{}
		eachProduced(in, func(p *contract.Producer) bool { return p.Acks == "all" }, func(role string, x *history.Exchange, item *history.Item) {
			t.Look(1)
			if x.Acks != -1 {
				k := produced{role, item.Topic, fmt.Sprintf("with acks=%d instead of all", x.Acks)}
				wrong[k] = append(wrong[k], x.Seq)
			}
		})
		wrong.report(t)
		return t.Verdict(fmt.Sprintf("each of %s asks for acks=all", fmt.Sprint(t.Examined(), " requests for a partition")), nothingProduced)
	})
