package input

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func reorderedInput() scenario.Scenario {
	return scenario.Scenario{
		Name: "reordered-input",
		Doc:  "Events of different keys change places.",
		Aims: []contract.ID{"count.once", "summary.value"},
		Plan: []scenario.Use{
			{Fault: "reordered-input", On: contract.Recorder, Times: 4},
		},
	}
}
