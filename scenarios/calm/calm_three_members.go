package calm

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func calmThreeMembers() scenario.Scenario {
	return scenario.Scenario{
		Name:    "calm-three-members",
		Doc:     "Nothing is hurt, and as many summarizers as the group allows share the work.",
		Aims:    []contract.ID{"group.full-stream", "count.once", "commit.matches"},
		Members: 3,
	}
}
