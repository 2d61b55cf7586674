package fetching

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func displayFetchCut() scenario.Scenario {
	return scenario.Scenario{
		Name: "display-fetch-cut",
		Doc:  "The display loses the connection under the Fetch of a summary.",
		Aims: []contract.ID{"display.last-value", "group.full-stream"},
		Plan: []scenario.Use{
			{Fault: "fetch-cut", On: contract.Display},
		},
	}
}
