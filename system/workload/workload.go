// Package workload makes the input of a run from an architecture document: events, the order in which the source sends them,
// duplicates, late and invalid ones. It sends nothing, starts nothing and judges nothing.
package workload

import (
	"fmt"
	"slices"
	"time"

	"tahanuji/system/contract"
)

// DefaultEvents is how many valid events a load has when Options.Events is zero.
const DefaultEvents = 120

// DefaultWindows is how many windows of every group a load closes when Options.Windows is zero.
const DefaultWindows = 3

// Options of a load.
type Options struct {
	Seed uint64
	// Base is the earliest event time; the first window begins at the first window start at or after it.
	Base time.Time
	// Events is how many valid events are made, about: every source gets two a window at least, and one that closes.
	Events int
	// Sources is how many different keys and groups send; zero takes two for each partition of the topic.
	Sources int
	// Windows is how many windows of every group are closed by the load; zero takes three. A further one holds the events that
	// close them.
	Windows int
	// Flow is the recorder's flow that the events are for; "" is the document's first.
	Flow string
	// First is the index of the first event, so that the loads of several flows share no label.
	First int
	// Body is the part of the record that the source hands over, where the role sets the rest: "" is the whole record. No
	// invalid variant is wrong outside it.
	Body contract.Pointer
}

// How events come to be: values of Event.Tag, Send.Tag and, in histories, of the tag of history.OpSend.
const (
	TagPlain          = ""                // nothing special
	TagStart          = "window-start"    // event time is the first instant of its window
	TagEnd            = "window-end"      // event time is the last instant of its window that the record's time can say
	TagClosing        = "closing"         // event time closes all windows before it; its own window may stay open
	TagInGrace        = "in-grace"        // sent after the window's end and before its grace passed, by event time
	TagLate           = "late"            // sent after an event of the same group at or past the window's end and grace
	TagDuplicateNow   = "duplicate-now"   // sent again at once
	TagDuplicateLater = "duplicate-later" // sent again after its window closed
	TagReordered      = "reordered"       // changed places with an event of another key
	TagInvalid        = "invalid"         // breaks the schema or a rule; Event.How says which
	TagFile           = "file"            // read from a file
)

// Event is one event of a load.
type Event struct {
	Index int    // counts from Options.First in the order of the first sends
	Label string // "event:N", N the index
	// ID is the value at the envelope's id. Unique in a load; "" for an invalid event that has none.
	ID string
	// Key is the topic's key, "" where the document gives none. Group are the values of the fold's by-fields, in the
	// document's order: of the first fold over the topic, or just the key without a fold.
	Key    string
	Group  []string
	Record []byte    // the record as the source sends it
	At     time.Time // event time
	Window time.Time // start of its window; without a fold, of the hour in UTC
	Tag    string
	// Wrong are the fields that an invalid event breaks; nil for a valid one. How says in a few words what was broken.
	Wrong []contract.Pointer
	How   string
}

// Valid says whether the event keeps its schema and rules.
func (e Event) Valid() bool { return e.Tag != TagInvalid }

// Kind says why something is sent.
type Kind string

// Kinds of sends.
const (
	First     Kind = "first"     // the event's first send
	Duplicate Kind = "duplicate" // the same record once more, though nothing was lost
	Broken    Kind = "invalid"   // an invalid event, which the recorder has to refuse
)

// Send is one send by the source, in order. Resends of what got no answer are the runner's and stand in no list.
type Send struct {
	Event Event
	Kind  Kind
	Tag   string // the event's tag, or how a duplicate or a changed order came to be
	// Burst groups neighbours that are sent as fast as the recorder takes them; zero is none. Events of one key keep their
	// order even in a burst where the document's source is one-per-key.
	Burst int
	// Step is the plan's step that put the send here, "" if it belongs to the load itself.
	Step string
}

// Load is the input of a run for one recorder flow.
type Load struct {
	Flow  string // the recorder's flow
	Role  string // the role that plays it
	Topic string // where valid events have to arrive
	// Events in order of index, invalid ones among them.
	Events []Event
	// Sends in the order in which the source sends them without any fault.
	Sends []Send
	// Covered counts what the load covers, by the tags above and the names in cover.go.
	Covered map[string]int
	Base    time.Time // the earliest event time
	Last    time.Time // the latest event time

	shape *shape
	seed  uint64
	body  contract.Pointer
}

// Label names the n-th event.
func Label(n int) string { return fmt.Sprintf("event:%d", n) }

// Find gives the event with a label.
func (l *Load) Find(label string) (Event, bool) {
	for _, e := range l.Events {
		if e.Label == label {
			return e, true
		}
	}
	return Event{}, false
}

// Valid are the events that have to arrive, in order of index.
func (l *Load) Valid() []Event {
	var out []Event
	for _, e := range l.Events {
		if e.Valid() {
			out = append(out, e)
		}
	}
	return out
}

// Handed is what the source hands over of an event: its record, or the record's data alone where the role makes the rest
// (Options.Body). A record without data is handed over as it is.
func (l *Load) Handed(e Event) []byte {
	if data, ok := l.body.Get(e.Record); ok && l.body != "" {
		return []byte(data.Raw)
	}
	return e.Record
}

// SetsTime says whether the source sets the time that windows are cut by; where the role does, nobody knows beforehand in which
// window an event counts.
func (l *Load) SetsTime() bool {
	return !slices.ContainsFunc(l.shape.folds, func(f contract.Fold) bool { return !l.body.Under(f.Window.Of) })
}

// Closes says whether the load sends an event of the same group that is late enough, by event time, for the windows that hold
// e to be due.
func (l *Load) Closes(e Event) bool {
	due := l.Due(e)
	for _, other := range l.Events {
		if other.Valid() && slices.Equal(other.Group, e.Group) && !other.At.Before(due) {
			return true
		}
	}
	return false
}

// Due is the event time at which an event of the same group makes the windows that hold e due.
func (l *Load) Due(e Event) time.Time { return l.shape.due(l.shape.window().End(e.Window)) }
