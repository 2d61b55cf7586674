// Package input changes what the source sends before it is sent. It touches nothing of the running system.
package input

import "tahanuji/faults/aim"

// All lists the package's faults, one a file.
func All() []aim.Fault {
	return []aim.Fault{
		duplicateSends(),
		reorderedInput(),
		lateInput(),
		invalidInput(),
		burstInput(),
	}
}
