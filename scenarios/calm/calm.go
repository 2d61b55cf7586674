package calm

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func calm() scenario.Scenario {
	return scenario.Scenario{
		Name: "calm",
		Doc:  "Nothing is hurt: made events with duplicates, late and invalid ones among them; every clause that can be seen without a fault holds.",
		Aims: []contract.ID{
			"delivery.no-loss", "count.once", "summary.value", "topic.key", "schema.valid-only",
			"topic.partitions", "topic.retention", "topic.cleanup", "topic.only-listed", "replay.window", "capacity.arithmetic",
			"producer.acks-all", "producer.idempotent", "group.full-stream", "role.stays-up",
		},
	}
}
