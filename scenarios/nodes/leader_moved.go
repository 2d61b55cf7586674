package nodes

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func leaderMoved() scenario.Scenario {
	return scenario.Scenario{
		Name: "leader-moved",
		Doc:  "The leader of an event's partition moves.",
		Aims: []contract.ID{"delivery.no-loss", "order.device"},
		Plan: []scenario.Use{
			{Fault: "leader-moved", On: contract.Recorder},
		},
	}
}
