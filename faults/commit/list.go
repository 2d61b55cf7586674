// Package commit hurts the OffsetCommit requests that first pass certain records. It touches no other request.
package commit

import "tahanuji/faults/aim"

// All lists the package's faults, one a file.
func All() []aim.Fault {
	return []aim.Fault{
		commitRefused(),
		commitAppliedError(),
		commitAckLost(),
		commitCut(),
		commitLateCopy(),
		commitHeld(),
	}
}
