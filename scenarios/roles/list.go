// Package roles lists the scenarios with faults on role processes, one a file. It runs none.
package roles

import "tahanuji/scenarios/scenario"

// All lists them in the order in which they are run.
func All() []scenario.Scenario {
	return []scenario.Scenario{
		recorderKilled(),
		summarizerKilled(),
		displayKilled(),
		recorderKilledInDoubt(),
		summarizerPaused(),
	}
}
