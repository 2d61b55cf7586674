package grouping

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func joinRefused() scenario.Scenario {
	return scenario.Scenario{
		Name: "join-refused",
		Doc:  "JoinGroup is refused while a member joins.",
		Aims: []contract.ID{"group.progress", "group.full-stream"},
		Plan: []scenario.Use{
			{Fault: "join-refused", On: contract.Summarizer},
		},
		Members: 2,
	}
}
