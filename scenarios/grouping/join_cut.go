package grouping

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func joinCut() scenario.Scenario {
	return scenario.Scenario{
		Name: "join-cut",
		Doc:  "The connection ends under a JoinGroup.",
		Aims: []contract.ID{"group.progress", "group.full-stream"},
		Plan: []scenario.Use{
			{Fault: "join-cut", On: contract.Summarizer},
		},
		Members: 2,
	}
}
