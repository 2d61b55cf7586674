package produce

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func eventLateCopy() scenario.Scenario {
	return scenario.Scenario{
		Name: "event-late-copy",
		Doc:  "A copy of a Produce reaches the broker long after the original.",
		Aims: []contract.ID{"producer.no-log-duplicate", "order.device"},
		Plan: []scenario.Use{
			{Fault: "produce-late-copy", On: contract.Recorder, Times: 2},
		},
	}
}
