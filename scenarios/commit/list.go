// Package commit lists the scenarios with faults on OffsetCommit, one a file. It runs none.
package commit

import "tahanuji/scenarios/scenario"

// All lists them in the order in which they are run.
func All() []scenario.Scenario {
	return []scenario.Scenario{
		commitRefused(),
		commitAppliedError(),
		commitAckLost(),
		commitCut(),
		commitLateCopy(),
		commitHeld(),
	}
}
