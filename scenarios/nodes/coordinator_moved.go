package nodes

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func coordinatorMoved() scenario.Scenario {
	return scenario.Scenario{
		Name: "coordinator-moved",
		Doc:  "The coordinator of the summarizer's group moves.",
		Aims: []contract.ID{"commit.matches", "count.once"},
		Plan: []scenario.Use{
			{Fault: "coordinator-moved", On: contract.Summarizer},
		},
	}
}
