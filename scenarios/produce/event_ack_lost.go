package produce

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func eventAckLost() scenario.Scenario {
	return scenario.Scenario{
		Name: "event-ack-lost",
		Doc:  "The broker appends an event and the acknowledgement never arrives: the recorder is in doubt, the source is not cheated.",
		Aims: []contract.ID{"delivery.in-doubt", "producer.no-log-duplicate", "count.once"},
		Plan: []scenario.Use{
			{Fault: "produce-ack-lost", On: contract.Recorder, Times: 2},
		},
	}
}
