package roles

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func summarizerKilled() scenario.Scenario {
	return scenario.Scenario{
		Name: "summarizer-killed",
		Doc:  "The summarizer is killed at its commit, before and after it is applied, and once more when all is calm.",
		Aims: []contract.ID{"commit.after-store", "count.once", "summary.published"},
		Plan: []scenario.Use{
			{Fault: "role-killed", On: contract.Summarizer},
		},
	}
}
