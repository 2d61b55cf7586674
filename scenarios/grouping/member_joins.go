package grouping

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func memberJoins() scenario.Scenario {
	return scenario.Scenario{
		Name: "member-joins",
		Doc:  "One more summarizer joins under load.",
		Aims: []contract.ID{"count.once", "commit.matches"},
		Plan: []scenario.Use{
			{Fault: "member-joins", On: contract.Summarizer},
		},
	}
}
