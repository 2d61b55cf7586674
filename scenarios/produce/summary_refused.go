package produce

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func summaryRefused() scenario.Scenario {
	return scenario.Scenario{
		Name: "summary-refused",
		Doc:  "The broker refuses the Produce that carries a summary.",
		Aims: []contract.ID{"summary.published", "commit.after-store"},
		Plan: []scenario.Use{
			{Fault: "produce-refused", On: contract.Summarizer, Times: 2},
		},
	}
}
