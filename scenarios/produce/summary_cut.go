package produce

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func summaryCut() scenario.Scenario {
	return scenario.Scenario{
		Name: "summary-cut",
		Doc:  "The connection ends before the broker sees a summary.",
		Aims: []contract.ID{"summary.published", "summary.value"},
		Plan: []scenario.Use{
			{Fault: "produce-cut", On: contract.Summarizer, Times: 2},
		},
	}
}
