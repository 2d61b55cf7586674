package stores

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func storeSlow() scenario.Scenario {
	return scenario.Scenario{
		Name: "store-slow",
		Doc:  "The summarizer's transactions are slow.",
		Aims: []contract.ID{"lag.bound", "commit.matches"},
		Plan: []scenario.Use{
			{Fault: "store-slow", On: contract.Summarizer},
		},
	}
}
