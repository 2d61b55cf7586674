// Package fetching lists the scenarios with faults on Fetch, one a file. It runs none.
package fetching

import "tahanuji/scenarios/scenario"

// All lists them in the order in which they are run.
func All() []scenario.Scenario {
	return []scenario.Scenario{
		fetchRefused(),
		fetchCut(),
		fetchHeld(),
		displayFetchCut(),
	}
}
