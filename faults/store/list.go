// Package store hurts what roles keep and read: their stores, and the topics by records of the harness itself. It touches no request of a role.
package store

import "tahanuji/faults/aim"

// All lists the package's faults, one a file.
func All() []aim.Fault {
	return []aim.Fault{
		storeFails(),
		storeFull(),
		storeSlow(),
		poisonRecord(),
	}
}
