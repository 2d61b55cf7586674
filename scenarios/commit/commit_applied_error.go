package commit

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func commitAppliedError() scenario.Scenario {
	return scenario.Scenario{
		Name: "commit-applied-error",
		Doc:  "The commit is applied and the summarizer is told that it failed.",
		Aims: []contract.ID{"commit.matches", "count.once"},
		Plan: []scenario.Use{
			{Fault: "commit-applied-error", On: contract.Summarizer, Times: 2},
		},
	}
}
