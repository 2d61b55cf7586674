package nodes

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func nodeRestart() scenario.Scenario {
	return scenario.Scenario{
		Name: "node-restart",
		Doc:  "The node that leads an event's partition goes down and comes back with its data.",
		Aims: []contract.ID{"delivery.no-loss", "group.progress", "lag.bound"},
		Plan: []scenario.Use{
			{Fault: "node-down", On: contract.Recorder},
		},
	}
}
