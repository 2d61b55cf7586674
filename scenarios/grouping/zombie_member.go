package grouping

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func zombieMember() scenario.Scenario {
	return scenario.Scenario{
		Name: "zombie-member",
		Doc:  "A member's heartbeats are held until it is a zombie: the others take over, and what it still does changes nothing.",
		Aims: []contract.ID{"count.once", "commit.matches", "summary.value"},
		Plan: []scenario.Use{
			{Fault: "heartbeat-held", On: contract.Summarizer},
		},
		Members: 2,
	}
}
