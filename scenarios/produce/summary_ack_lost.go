package produce

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func summaryAckLost() scenario.Scenario {
	return scenario.Scenario{
		Name: "summary-ack-lost",
		Doc:  "A summary is appended and its acknowledgement is lost: it may be written again, with the same value.",
		Aims: []contract.ID{"summary.same-value", "summary.published"},
		Plan: []scenario.Use{
			{Fault: "produce-ack-lost", On: contract.Summarizer, Times: 2},
		},
	}
}
