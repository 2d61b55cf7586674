// Package nodes lists the scenarios with faults on broker nodes, one a file. It runs none.
package nodes

import "tahanuji/scenarios/scenario"

// All lists them in the order in which they are run.
func All() []scenario.Scenario {
	return []scenario.Scenario{
		nodeRestart(),
		leaderMoved(),
		coordinatorMoved(),
	}
}
