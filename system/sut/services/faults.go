package services

import (
	"fmt"
	"slices"
	"strings"

	"tahanuji/system/contract"
)

// Fault is one thing that is wrong with a file.
type Fault struct {
	Pos  contract.Pos
	What string
}

func (f Fault) String() string {
	if f.Pos.Line == 0 {
		return fmt.Sprintf("%s: %s", f.Pos.File, f.What)
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.Pos.File, f.Pos.Line, f.Pos.Column, f.What)
}

// Faults is all that is wrong with a file, in the order of its lines.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

func (f Faults) orNil() error {
	if len(f) == 0 {
		return nil
	}
	slices.SortStableFunc(f, func(a, b Fault) int {
		if a.Pos.Line != b.Pos.Line {
			return a.Pos.Line - b.Pos.Line
		}
		return a.Pos.Column - b.Pos.Column
	})
	return f
}

// hint names the nearest known word and all of them.
func hint(word string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	if near := contract.Nearest(word, known); near != "" {
		return fmt.Sprintf("; did you mean %q? known: %s", near, strings.Join(known, ", "))
	}
	return "; known: " + strings.Join(known, ", ")
}
