// Package node hurts the nodes of the broker. It touches no request.
package node

import "tahanuji/faults/aim"

// All lists the package's faults, one a file.
func All() []aim.Fault {
	return []aim.Fault{
		nodeDown(),
		leaderMoved(),
		coordinatorMoved(),
	}
}
