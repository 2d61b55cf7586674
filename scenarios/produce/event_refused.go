package produce

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func eventRefused() scenario.Scenario {
	return scenario.Scenario{
		Name: "event-refused",
		Doc:  "The broker refuses the Produce that carries an event, with a code that a client retries.",
		Aims: []contract.ID{"delivery.no-loss", "order.device"},
		Plan: []scenario.Use{
			{Fault: "produce-refused", On: contract.Recorder, Times: 2},
		},
	}
}
