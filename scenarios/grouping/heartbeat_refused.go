package grouping

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func heartbeatRefused() scenario.Scenario {
	return scenario.Scenario{
		Name: "heartbeat-refused",
		Doc:  "A summarizer's heartbeat is refused: it must rejoin and count nothing twice.",
		Aims: []contract.ID{"commit.matches", "group.progress"},
		Plan: []scenario.Use{
			{Fault: "heartbeat-refused", On: contract.Summarizer},
		},
		Members: 2,
	}
}
