package produce

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func eventCopied() scenario.Scenario {
	return scenario.Scenario{
		Name: "event-copied",
		Doc:  "The network delivers a Produce twice at once.",
		Aims: []contract.ID{"producer.no-log-duplicate", "producer.idempotent"},
		Plan: []scenario.Use{
			{Fault: "produce-copied", On: contract.Recorder, Times: 2},
		},
	}
}
