package target

import "strings"

// String says the moment in words, such as "the OffsetCommit that first passes event:40".
func (m Moment) String() string {
	if m.API == "" {
		switch m.After {
		case "rest":
			return "the moment when all is calm"
		case "start":
			return "the moment when every role is ready"
		}
		return "the moment when " + m.After + " is in its topic"
	}
	parts := []string{"the " + m.API}
	if m.Carries != "" {
		parts = append(parts, "that carries "+m.Carries)
	}
	if m.Passes != "" {
		parts = append(parts, "that first passes "+m.Passes)
	}
	if m.After != "" {
		parts = append(parts, "after "+m.After)
	}
	return strings.Join(parts, " ")
}
