package input

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func invalidInput() scenario.Scenario {
	return scenario.Scenario{
		Name: "invalid-input",
		Doc:  "Broken events come between the good ones: each is refused with its fields named and none reaches the topic.",
		Aims: []contract.ID{"schema.valid-only", "delivery.no-invention"},
		Plan: []scenario.Use{
			{Fault: "invalid-input", On: contract.Recorder, Times: 4},
		},
	}
}
