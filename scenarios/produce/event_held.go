package produce

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func eventHeld() scenario.Scenario {
	return scenario.Scenario{
		Name: "event-held",
		Doc:  "A Produce is held on its way; what was sent after it must not overtake it.",
		Aims: []contract.ID{"order.device", "delivery.no-loss"},
		Plan: []scenario.Use{
			{Fault: "produce-held", On: contract.Recorder, Times: 2},
		},
	}
}
