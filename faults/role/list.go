// Package role hurts the processes of roles: kills, pauses, joins and leaves. It touches nothing that the role keeps.
package role

import "tahanuji/faults/aim"

// All lists the package's faults, one a file.
func All() []aim.Fault {
	return []aim.Fault{
		roleKilled(),
		rolePaused(),
		memberJoins(),
		memberLeaves(),
	}
}
