// Package input lists the scenarios with hard input, one a file. It runs none.
package input

import "tahanuji/scenarios/scenario"

// All lists them in the order in which they are run.
func All() []scenario.Scenario {
	return []scenario.Scenario{
		duplicateSends(),
		reorderedInput(),
		lateInput(),
		invalidInput(),
		burstInput(),
		poisonRecord(),
	}
}
