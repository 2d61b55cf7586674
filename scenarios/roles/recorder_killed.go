package roles

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func recorderKilled() scenario.Scenario {
	return scenario.Scenario{
		Name: "recorder-killed",
		Doc:  "The recorder is killed at the Produce that carries an event, and once more when all is calm.",
		Aims: []contract.ID{"delivery.no-loss", "delivery.in-doubt", "role.stays-up"},
		Plan: []scenario.Use{
			{Fault: "role-killed", On: contract.Recorder},
		},
	}
}
