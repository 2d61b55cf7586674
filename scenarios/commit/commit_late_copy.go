package commit

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func commitLateCopy() scenario.Scenario {
	return scenario.Scenario{
		Name: "commit-late-copy",
		Doc:  "A copy of a commit reaches the broker after newer ones: the committed offset must not go back for good.",
		Aims: []contract.ID{"commit.matches", "group.progress"},
		Plan: []scenario.Use{
			{Fault: "commit-late-copy", On: contract.Summarizer},
		},
	}
}
