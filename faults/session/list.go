// Package session hurts the requests by which readers hold their place: Fetch, Heartbeat, JoinGroup and SyncGroup. It touches no role process.
package session

import "tahanuji/faults/aim"

// All lists the package's faults, one a file.
func All() []aim.Fault {
	return []aim.Fault{
		fetchRefused(),
		fetchCut(),
		fetchHeld(),
		heartbeatRefused(),
		heartbeatHeld(),
		joinRefused(),
		joinCut(),
		syncRefused(),
		syncCut(),
	}
}
