package commit

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func commitRefused() scenario.Scenario {
	return scenario.Scenario{
		Name: "commit-refused",
		Doc:  "The commit that first passes an event is refused; its redelivery must count nothing twice.",
		Aims: []contract.ID{"commit.matches", "count.once"},
		Plan: []scenario.Use{
			{Fault: "commit-refused", On: contract.Summarizer, Times: 2},
		},
	}
}
