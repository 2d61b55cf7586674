package commit

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func commitAckLost() scenario.Scenario {
	return scenario.Scenario{
		Name: "commit-ack-lost",
		Doc:  "The commit is applied and its answer is lost.",
		Aims: []contract.ID{"commit.matches", "count.once"},
		Plan: []scenario.Use{
			{Fault: "commit-ack-lost", On: contract.Summarizer, Times: 2},
		},
	}
}
