package produce

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func eventCut() scenario.Scenario {
	return scenario.Scenario{
		Name: "event-cut",
		Doc:  "The connection ends before the broker sees an event.",
		Aims: []contract.ID{"delivery.no-loss", "ack.truth"},
		Plan: []scenario.Use{
			{Fault: "produce-cut", On: contract.Recorder, Times: 2},
		},
	}
}
