package grouping

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func memberLeaves() scenario.Scenario {
	return scenario.Scenario{
		Name: "member-leaves",
		Doc:  "A summarizer leaves in good order under load.",
		Aims: []contract.ID{"count.once", "group.progress"},
		Plan: []scenario.Use{
			{Fault: "member-leaves", On: contract.Summarizer},
		},
		Members: 2,
	}
}
