package input

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func lateInput() scenario.Scenario {
	return scenario.Scenario{
		Name: "late-input",
		Doc:  "Events arrive after their window closed: its summary is published again.",
		Aims: []contract.ID{"summary.value", "summary.published", "count.once"},
		Plan: []scenario.Use{
			{Fault: "late-input", On: contract.Recorder, Times: 3},
		},
	}
}
