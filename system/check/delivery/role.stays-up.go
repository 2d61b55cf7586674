package delivery

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// RestartNever is the Tag of an exit of a role that is not to be started again.
const RestartNever = "never"

// StaysUp: a role ends only when it is told to. An exit of its own is counted and shown, and held against the role if it is not to be
// restarted (Tag "never") or did not come back.
var StaysUp = check.One("role.stays-up", "A role ends only when it is told to.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		last := map[string]*history.Event{} // by instance: the exit that nothing followed
		var order []string
		exits := 0
		for _, e := range ix.Roles {
			if _, known := last[e.Proc]; !known {
				t.Look(1)
				order = append(order, e.Proc)
			}
			last[e.Proc] = nil
			if e.Key != "exited" {
				continue
			}
			exits++
			if e.Tag != RestartNever {
				last[e.Proc] = e
				continue
			}
			t.Find(func() check.Finding { return ended(e, "is not to be restarted") })
		}
		for _, instance := range order {
			if e := last[instance]; e != nil {
				t.Find(func() check.Finding { return ended(e, "did not come back") })
			}
		}
		if exits > 0 {
			t.Note("%s of their own, each followed by a new start", check.Plural(exits, "exit"))
		}
		return t.Verdict(fmt.Sprintf("%s stayed up or came back", check.Plural(t.Examined(), "role instance")), "no role's process was seen")
	})

func ended(e *history.Event, and string) check.Finding {
	why := ""
	if e.Value != "" {
		why = fmt.Sprintf(" (%s)", e.Value)
	}
	return check.Finding{Text: fmt.Sprintf("%s ended by itself%s and %s", e.Proc, why, and), Witness: []history.Seq{e.Seq}}
}
