// Package grouping lists the scenarios with changes of group membership, one a file. It runs none.
package grouping

import "tahanuji/scenarios/scenario"

// All lists them in the order in which they are run.
func All() []scenario.Scenario {
	return []scenario.Scenario{
		heartbeatRefused(),
		zombieMember(),
		joinRefused(),
		joinCut(),
		syncRefused(),
		syncCut(),
		memberJoins(),
		memberLeaves(),
	}
}
