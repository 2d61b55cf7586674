package stores

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func storeFull() scenario.Scenario {
	return scenario.Scenario{
		Name: "store-full",
		Doc:  "The summarizer's disk is full for a while.",
		Aims: []contract.ID{"commit.after-store", "summary.published"},
		Plan: []scenario.Use{
			{Fault: "store-full", On: contract.Summarizer},
		},
	}
}
