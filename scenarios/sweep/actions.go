package sweep

import (
	"fmt"
	"math/rand"
	"slices"
	"time"

	"tahanuji/faults"
	"tahanuji/faults/aim"
	"tahanuji/system/target"
)

// Action is what a sweep does at a moment: a column of its matrix.
type Action string

// Actions, in the order of the columns. The first ones happen before the broker applies the request, the last ones after it.
const (
	Refused          Action = "refused"           // the broker never sees it, the client is told a code to retry
	Cut              Action = "cut"               // the broker never sees it, the connection ends
	Held             Action = "held"              // the broker sees it late
	SessionExpired   Action = "session-expired"   // the broker sees it after the member's session is over
	CoordinatorMoved Action = "coordinator-moved" // the group's coordinator moves while it is under way
	KilledBefore     Action = "killed-before"     // its sender dies, and the broker never sees it
	AppliedError     Action = "applied-error"     // the broker applies it, the client is told a code all the same
	AckLost          Action = "ack-lost"          // the broker applies it, the connection ends
	Silenced         Action = "silenced"          // the broker applies it, and the client hears nothing
	LateCopy         Action = "late-copy"         // the broker sees it again, on another connection
	KilledAfter      Action = "killed-after"      // the broker applies it, and its sender dies before the answer
)

// Actions in the order of a matrix's columns.
func Actions() []Action {
	return []Action{
		Refused, Cut, Held, SessionExpired, CoordinatorMoved, KilledBefore, AppliedError, AckLost, Silenced, LateCopy, KilledAfter,
	}
}

// Lengths of time, against a session of 6 s.
const (
	holdFor       = 2 * time.Second // others go on meanwhile, and no session ends
	beyondSession = 9 * time.Second
	copyAfter     = 3 * time.Second
	awayFor       = 2 * time.Second // of a role that was killed or stopped
)

// impossible says why the protocol does not allow an action at a moment, "" where it does.
func (m Moment) impossible(a Action) string {
	p := apiNamed(m.API)
	switch a {
	case Refused:
		if len(p.refused) == 0 {
			return p.none
		}
	case AppliedError:
		switch {
		case !p.changes:
			return fmt.Sprintf("%s only reads: an error in the place of its answer is a refusal", p.name)
		case len(p.applied) == 0 && p.none != "":
			return p.none
		case len(p.applied) == 0:
			return fmt.Sprintf("no broker answers %s with an error that clients retry after it applied it", p.name)
		}
	case LateCopy:
		if !p.changes {
			return fmt.Sprintf("%s only reads: when it comes again nothing changes", p.name)
		}
	case SessionExpired, CoordinatorMoved:
		if !p.group {
			return fmt.Sprintf("no group's coordinator answers %s", p.name)
		}
	case KilledBefore, KilledAfter:
		if m.When == First {
			return "a role can be killed once it has been ready, and its first requests come before that"
		}
	case Cut, Held, AckLost, Silenced:
	}
	return ""
}

// do is the action as plans say it; draws are the cell's own.
func (m Moment) do(a Action, rng *rand.Rand) target.Action {
	p := apiNamed(m.API)
	switch a {
	case Refused:
		return target.Action{Do: target.NotApplied, Code: aim.Pick(rng, p.refused...)}
	case Cut:
		return target.Action{Do: target.CutBefore, How: m.ending(rng)}
	case Held:
		return target.Action{Do: target.Hold, For: holdFor}
	case SessionExpired:
		return target.Action{Do: target.Hold, For: beyondSession}
	case CoordinatorMoved:
		return target.Action{Do: target.CoordinatorMove, Before: true, Role: m.Role}
	case KilledBefore, KilledAfter:
		return target.Action{Do: target.Kill, Before: a == KilledBefore, For: awayFor}
	case AppliedError:
		return target.Action{Do: target.Applied, Code: aim.Pick(rng, p.applied...)}
	case AckLost:
		return target.Action{Do: target.AckLost, How: m.ending(rng)}
	case Silenced:
		return target.Action{Do: target.AckLost, How: "silence"}
	case LateCopy:
		return target.Action{Do: target.LateCopy, For: copyAfter}
	}
	return target.Action{}
}

// ending draws how a connection ends. A FIN before a connection's first answer is taken for a wrong configuration by some
// clients, which then rightly give up.
func (m Moment) ending(rng *rand.Rand) string {
	if m.API == "ApiVersions" {
		return "rst"
	}
	return aim.Ending(rng)
}

// prefixes of the entries of faults.All that act on a request.
var prefixes = map[string]string{
	"Produce": "produce", "OffsetCommit": "commit", "Fetch": "fetch", "Heartbeat": "heartbeat", "JoinGroup": "join", "SyncGroup": "sync",
}

// entry is the entry of faults.All that is nearest to the action at the moment, faults.Swept where there is none.
func (m Moment) entry(a Action) string {
	name := ""
	switch a {
	case KilledBefore, KilledAfter:
		name = "role-killed"
	case CoordinatorMoved:
		name = "coordinator-moved"
	case SessionExpired:
		name = prefixes[m.API] + "-" + string(Held)
	case Silenced:
		name = prefixes[m.API] + "-" + string(AckLost)
	case Refused, Cut, Held, AppliedError, AckLost, LateCopy:
		name = prefixes[m.API] + "-" + string(a)
	}
	if slices.Contains(faults.Names(), name) {
		return name
	}
	return faults.Swept
}
