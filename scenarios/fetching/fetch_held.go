package fetching

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func fetchHeld() scenario.Scenario {
	return scenario.Scenario{
		Name: "fetch-held",
		Doc:  "The answer with an event is held back.",
		Aims: []contract.ID{"lag.bound", "group.progress"},
		Plan: []scenario.Use{
			{Fault: "fetch-held", On: contract.Summarizer},
		},
	}
}
