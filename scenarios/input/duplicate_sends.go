package input

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func duplicateSends() scenario.Scenario {
	return scenario.Scenario{
		Name: "duplicate-sends",
		Doc:  "The source sends events twice, at once and much later.",
		Aims: []contract.ID{"count.once", "summary.value"},
		Plan: []scenario.Use{
			{Fault: "duplicate-sends", On: contract.Recorder, Times: 4},
		},
	}
}
