// Package stores lists the scenarios with faults on stores, one a file. It runs none.
package stores

import "tahanuji/scenarios/scenario"

// All lists them in the order in which they are run.
func All() []scenario.Scenario {
	return []scenario.Scenario{
		storeFails(),
		storeFull(),
		storeSlow(),
	}
}
