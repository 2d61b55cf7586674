package roles

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func recorderKilledInDoubt() scenario.Scenario {
	return scenario.Scenario{
		Name: "recorder-killed-in-doubt",
		Doc:  "A Produce is held, the recorder has answered its source and is then killed: what it promised must arrive.",
		Aims: []contract.ID{"delivery.no-loss", "delivery.in-doubt"},
		Plan: []scenario.Use{
			{Fault: "produce-held", On: contract.Recorder},
			{Fault: "role-killed", On: contract.Recorder},
		},
	}
}
