package produce

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func summaryHeld() scenario.Scenario {
	return scenario.Scenario{
		Name: "summary-held",
		Doc:  "A summary is held on its way while later ones of its key are made.",
		Aims: []contract.ID{"summary.value", "display.last-value"},
		Plan: []scenario.Use{
			{Fault: "produce-held", On: contract.Summarizer},
		},
	}
}
