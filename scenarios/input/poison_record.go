package input

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func poisonRecord() scenario.Scenario {
	return scenario.Scenario{
		Name: "poison-record",
		Doc:  "A record that breaks its schema stands in the topic: no partition stalls and no neighbour is lost.",
		Aims: []contract.ID{"poison.isolated", "group.progress"},
		Plan: []scenario.Use{
			{Fault: "poison-record", On: contract.Summarizer},
		},
	}
}
