// Package delivery judges the way of events from the source into their topic: none lost, none invented, none out of order, none
// invalid, and the roles on that way alive. It does not judge what a summary says beyond that it counts.
package delivery

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// good are the events that do not break their schema on purpose and have a topic to go to.
func good(ix *check.Index) []*check.Sent {
	out := make([]*check.Sent, 0, len(ix.Sent))
	for _, s := range ix.Sent {
		if !s.Invalid && s.Topic != nil {
			out = append(out, s)
		}
	}
	return out
}

func about(s *check.Sent, format string, args ...any) check.Finding {
	return check.Finding{Text: fmt.Sprintf(format, args...), Witness: s.Trace(), Labels: []string{s.Label}}
}

func fieldList(fields []contract.Pointer) string {
	text := ""
	for i, f := range fields {
		if i > 0 {
			text += ", "
		}
		if f == "" {
			text += "the whole record"
			continue
		}
		text += string(f)
	}
	return text
}
