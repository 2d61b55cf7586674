package wire

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Idempotent: every batch of a flow that asks for an idempotent producer carries a producer id and a sequence number (KIP-98).
var Idempotent = check.One("producer.idempotent", "Flows that demand it produce with a producer id and sequence numbers.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		wrong := misuse{}
		eachProduced(in, func(p *contract.Producer) bool { return p.Idempotent }, func(role string, x *history.Exchange, item *history.Item) {
			t.Look(1)
			if item.ProducerID < 0 || item.FirstSeq < 0 {
				k := produced{role, item.Topic, "without a producer id and sequence numbers"}
				wrong[k] = append(wrong[k], x.Seq)
			}
		})
		wrong.report(t)
		return t.Verdict(fmt.Sprintf("each of %d batches carries a producer id and a sequence number", t.Examined()), nothingProduced)
	})
