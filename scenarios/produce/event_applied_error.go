package produce

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func eventAppliedError() scenario.Scenario {
	return scenario.Scenario{
		Name: "event-applied-error",
		Doc:  "The broker appends an event and the recorder is told that it failed: the resend must add nothing to the log.",
		Aims: []contract.ID{"producer.no-log-duplicate", "delivery.no-loss"},
		Plan: []scenario.Use{
			{Fault: "produce-applied-error", On: contract.Recorder, Times: 2},
		},
	}
}
