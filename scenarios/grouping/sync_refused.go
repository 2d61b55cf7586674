package grouping

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func syncRefused() scenario.Scenario {
	return scenario.Scenario{
		Name: "sync-refused",
		Doc:  "SyncGroup is refused while a member joins.",
		Aims: []contract.ID{"group.progress", "group.full-stream"},
		Plan: []scenario.Use{
			{Fault: "sync-refused", On: contract.Summarizer},
		},
		Members: 2,
	}
}
