package commit

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func commitCut() scenario.Scenario {
	return scenario.Scenario{
		Name: "commit-cut",
		Doc:  "The connection ends before the broker sees the commit.",
		Aims: []contract.ID{"commit.matches", "count.once"},
		Plan: []scenario.Use{
			{Fault: "commit-cut", On: contract.Summarizer, Times: 2},
		},
	}
}
