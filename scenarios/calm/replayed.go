package calm

import (
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
)

func replayed() scenario.Scenario {
	return scenario.Scenario{
		Name:   "replayed",
		Doc:    "The whole topic is read again, first with the summarizer's state kept, then with its state emptied: the final summaries are the same.",
		Aims:   []contract.ID{"summary.replay", "summary.same-value", "replay.window"},
		Replay: true,
	}
}
