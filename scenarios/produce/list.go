// Package produce lists the scenarios with faults on Produce, one a file. It runs none.
package produce

import "tahanuji/scenarios/scenario"

// All lists them in the order in which they are run.
func All() []scenario.Scenario {
	return []scenario.Scenario{
		eventRefused(),
		eventAppliedError(),
		eventAckLost(),
		eventCut(),
		eventCopied(),
		eventLateCopy(),
		eventHeld(),
		summaryRefused(),
		summaryAckLost(),
		summaryCut(),
		summaryHeld(),
	}
}
