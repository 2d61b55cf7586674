package input

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func burstInput() scenario.Scenario {
	return scenario.Scenario{
		Name: "burst-input",
		Doc:  "Events come as fast as the recorder takes them.",
		Aims: []contract.ID{"order.device", "lag.bound"},
		Plan: []scenario.Use{
			{Fault: "burst-input", On: contract.Recorder},
		},
		Events: 400,
	}
}
