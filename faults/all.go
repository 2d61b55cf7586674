// Package faults lists the ways to hurt the system, keeps plans, and carries their steps out while a run goes on. It makes no
// load, judges nothing, and changes nothing of the input: package workload applies the steps on the input before they are sent.
package faults

import (
	"tahanuji/faults/aim"
	"tahanuji/faults/commit"
	"tahanuji/faults/input"
	"tahanuji/faults/node"
	"tahanuji/faults/produce"
	"tahanuji/faults/role"
	"tahanuji/faults/session"
	"tahanuji/faults/store"
)

// Fault and Aim are the types of package aim, so that callers need this package alone.
type (
	Fault = aim.Fault
	Aim   = aim.Aim
)

// Columns of a report that are no faults to inject: a run without any, a run whose topic is read again from the start, which the
// runner does itself, and the moments of a sweep at which no entry of All hurts.
const (
	None     = "none"
	Replayed = "replayed"
	Swept    = "swept"
)

// Ordinary is the name of steps that hurt nobody: a role that is stopped in good order and started again, so that requests are
// made which come only then.
const Ordinary = "ordinary"

// All lists every fault, by what it takes hold of.
func All() []Fault {
	var all []Fault
	for _, list := range [][]Fault{produce.All(), commit.All(), session.All(), node.All(), role.All(), input.All(), store.All()} {
		all = append(all, list...)
	}
	return all
}

// Named is the fault with a name.
func Named(name string) (Fault, bool) {
	for _, f := range All() {
		if f.Name == name {
			return f, true
		}
	}
	return Fault{}, false
}

// Names are the names of all faults, in the order of All.
func Names() []string {
	var names []string
	for _, f := range All() {
		names = append(names, f.Name)
	}
	return names
}
