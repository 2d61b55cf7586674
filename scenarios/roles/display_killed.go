package roles

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func displayKilled() scenario.Scenario {
	return scenario.Scenario{
		Name: "display-killed",
		Doc:  "The display is killed; after its restart it shows the last values again.",
		Aims: []contract.ID{"display.last-value"},
		Plan: []scenario.Use{
			{Fault: "role-killed", On: contract.Display},
		},
	}
}
