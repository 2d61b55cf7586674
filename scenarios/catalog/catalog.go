// Package catalog is the list of all scenarios. It runs none.
package catalog

import (
	"slices"

	"tahanuji/scenarios/calm"
	"tahanuji/scenarios/commit"
	"tahanuji/scenarios/fetching"
	"tahanuji/scenarios/grouping"
	"tahanuji/scenarios/input"
	"tahanuji/scenarios/nodes"
	"tahanuji/scenarios/produce"
	"tahanuji/scenarios/roles"
	"tahanuji/scenarios/scenario"
	"tahanuji/scenarios/stores"
)

// All lists every scenario, in the order in which they are run.
func All() []scenario.Scenario {
	return slices.Concat(
		calm.All(),
		produce.All(),
		commit.All(),
		fetching.All(),
		grouping.All(),
		nodes.All(),
		roles.All(),
		input.All(),
		stores.All(),
	)
}

// Named finds a scenario.
func Named(name string) (scenario.Scenario, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return scenario.Scenario{}, false
}
