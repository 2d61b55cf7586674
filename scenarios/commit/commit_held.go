package commit

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func commitHeld() scenario.Scenario {
	return scenario.Scenario{
		Name: "commit-held",
		Doc:  "A commit is held on its way.",
		Aims: []contract.ID{"commit.matches", "lag.bound"},
		Plan: []scenario.Use{
			{Fault: "commit-held", On: contract.Summarizer, Times: 2},
		},
	}
}
