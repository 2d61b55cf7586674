// Package sweep lists a system's protocol moments (request x role x first or in the load) and makes a scenario of each with each
// action that the protocol allows there. Which moments a client really has, and by which records they are named, is read from one
// recorded run in which nothing is hurt. It runs nothing and judges nothing; package session does the one, the checkers the other.
package sweep

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tahanuji/system/contract"
)

// When says which of a role's requests of one kind is meant.
type When string

// The first one of the whole run, before which nothing was decided; and one while the load goes on, when there is something to lose.
const (
	First When = "first"
	Load  When = "load"
)

// Moment is a row of the matrix.
type Moment struct {
	API  string `json:"api"`
	Role string `json:"role"`
	When When   `json:"when"`
	// last is the instance that is stopped and started where the request is made only then.
	last int
}

// Square is a moment under an action. Its names are stable: they hold the request, the role and the action.
type Square struct {
	Moment
	Action Action
	Name   string // of the scenario
	Fault  string // the nearest entry of faults.All, or faults.Swept
	// Impossible says why the protocol does not allow it, "" where it does.
	Impossible string
}

// Grid lists every square of a document: its roles' requests, whether a client makes them or not, by role, request and action.
func Grid(doc *contract.Document) []Square {
	var out []Square
	names := slugs(doc.RoleNames())
	for _, role := range doc.Roles() {
		for _, p := range apis {
			if !makes(role, p) {
				continue
			}
			for _, when := range []When{Load, First} {
				m := Moment{API: p.name, Role: role.Name, When: when, last: lastOf(role)}
				for _, a := range Actions() {
					s := Square{Moment: m, Action: a, Fault: m.entry(a), Impossible: m.impossible(a)}
					s.Name = strings.Join([]string{"sweep", p.name, names[role.Name], string(a)}, "-")
					if when == First {
						s.Name += "-at-first"
					}
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// Members of the summarizer in every run of a sweep, so that there are rebalances.
const Members = 2

func lastOf(role contract.Role) int {
	if slices.ContainsFunc(role.Flows, func(f *contract.Flow) bool { return f.Kind == contract.Summarizer }) {
		return Members
	}
	return 1
}

func makes(role contract.Role, p api) bool {
	switch p.by {
	case everybody:
		return true
	case writers:
		return slices.ContainsFunc(role.Flows, func(f *contract.Flow) bool { return f.Writes != "" })
	case readers:
		return slices.ContainsFunc(role.Flows, func(f *contract.Flow) bool { return f.Reads != "" })
	}
	return false
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9]+`)

// slugs makes of each role's name what a cell's id may hold, different names differently.
func slugs(roles []string) map[string]string {
	out, taken := map[string]string{}, map[string]bool{}
	for _, role := range roles {
		plain := strings.Trim(unfit.ReplaceAllString(role, "-"), "-")
		if plain == "" {
			plain = "role"
		}
		name := plain
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s.%d", plain, n)
		}
		out[role], taken[name] = name, true
	}
	return out
}

// String is the moment in words.
func (m Moment) String() string {
	if m.When == First {
		return fmt.Sprintf("the first %s of %s", m.API, m.Role)
	}
	return fmt.Sprintf("a %s of %s in the load", m.API, m.Role)
}
