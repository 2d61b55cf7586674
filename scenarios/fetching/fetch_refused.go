package fetching

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func fetchRefused() scenario.Scenario {
	return scenario.Scenario{
		Name: "fetch-refused",
		Doc:  "A Fetch for an event is refused.",
		Aims: []contract.ID{"group.progress", "group.full-stream"},
		Plan: []scenario.Use{
			{Fault: "fetch-refused", On: contract.Summarizer, Times: 2},
		},
	}
}
