package roles

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func summarizerPaused() scenario.Scenario {
	return scenario.Scenario{
		Name: "summarizer-paused",
		Doc:  "A summarizer stands still longer than its session and then goes on as a zombie.",
		Aims: []contract.ID{"count.once", "commit.matches", "summary.value"},
		Plan: []scenario.Use{
			{Fault: "role-paused", On: contract.Summarizer},
		},
		Members: 2,
	}
}
