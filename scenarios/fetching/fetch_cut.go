package fetching

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func fetchCut() scenario.Scenario {
	return scenario.Scenario{
		Name: "fetch-cut",
		Doc:  "The connection ends under the Fetch that would bring an event.",
		Aims: []contract.ID{"group.progress", "count.once"},
		Plan: []scenario.Use{
			{Fault: "fetch-cut", On: contract.Summarizer, Times: 2},
		},
	}
}
