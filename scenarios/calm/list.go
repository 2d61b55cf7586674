// Package calm lists the scenarios with runs without a fault, one a file. It runs none.
package calm

import "tahanuji/scenarios/scenario"

// All lists them in the order in which they are run.
func All() []scenario.Scenario {
	return []scenario.Scenario{
		calm(),
		calmThreeMembers(),
		replayed(),
	}
}
