package grouping

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func syncCut() scenario.Scenario {
	return scenario.Scenario{
		Name: "sync-cut",
		Doc:  "The connection ends under a SyncGroup.",
		Aims: []contract.ID{"group.progress", "group.full-stream"},
		Plan: []scenario.Use{
			{Fault: "sync-cut", On: contract.Summarizer},
		},
		Members: 2,
	}
}
