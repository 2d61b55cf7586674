// Package produce hurts the Produce requests that carry certain records. It touches no other request.
package produce

import "tahanuji/faults/aim"

// All lists the package's faults, one a file.
func All() []aim.Fault {
	return []aim.Fault{
		produceRefused(),
		produceAppliedError(),
		produceAckLost(),
		produceCut(),
		produceCopied(),
		produceLateCopy(),
		produceHeld(),
	}
}
