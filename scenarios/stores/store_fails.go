package stores

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func storeFails() scenario.Scenario {
	return scenario.Scenario{
		Name: "store-fails",
		Doc:  "The summarizer's transactions fail for a while.",
		Aims: []contract.ID{"commit.after-store", "count.once"},
		Plan: []scenario.Use{
			{Fault: "store-fails", On: contract.Summarizer},
		},
	}
}
