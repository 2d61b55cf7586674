// Package timeline tells what happened in one run around a trace: the trace as rows, and a picture with lanes, marks,
// fault windows and lag. It judges nothing, reads no file, and knows no system by name.
package timeline

import (
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Story is what a picture is made of. Witness and Exchanges are the trace that a checker gave.
type Story struct {
	History   *history.History
	Witness   []history.Seq
	Exchanges []int64
	EventID   contract.Pointer // where a record carries its id
	Why       string
}

// Trace is a told story. All times count from the run's start, in nanoseconds.
type Trace struct {
	Rows    []Row    `json:"rows"`
	Picture Picture  `json:"picture"`
	Acted   []string `json:"acted,omitempty"` // what the fault did, in sentences
}

// Row is one step of the trace: the text alternative of the picture.
type Row struct {
	Step   int           `json:"step"` // from 1
	At     time.Duration `json:"at"`
	Lane   string        `json:"lane"`
	What   string        `json:"what"`
	Detail string        `json:"detail,omitempty"`
	Bad    bool          `json:"bad,omitempty"`   // where it shows
	Fault  string        `json:"fault,omitempty"` // the step of the plan that touched it
}

// Picture is a timeline before it is drawn.
type Picture struct {
	From   time.Duration `json:"from"`
	To     time.Duration `json:"to"`
	Lanes  []Lane        `json:"lanes"`
	Bands  []Band        `json:"bands"`
	Phases []Band        `json:"phases"`
	Arrows []Arrow       `json:"arrows"`
	Lag    []Series      `json:"lag,omitempty"`
	Marks  int           `json:"marks"` // drawn one by one
	All    int           `json:"all"`   // seen
}

// Lane is one place where things happen.
type Lane struct {
	Name  string `json:"name"`
	Rank  Rank   `json:"rank"`
	Marks []Mark `json:"marks"`
	// Density counts what is not drawn one by one, in Buckets equal parts of the picture's time; empty if nothing is.
	Density []int `json:"density,omitempty"`
}

// Rank orders lanes from the source to the display.
type Rank int

// Ranks of lanes.
const (
	Source Rank = iota
	Sender
	Log
	Member
	Group
	Store
	Display
	Elsewhere
)

// Mark is one event.
type Mark struct {
	At    time.Duration `json:"at"`
	Kind  Kind          `json:"kind"`
	Title string        `json:"title"`
	Step  int           `json:"step,omitempty"` // of the trace's row, 0 for what is not of the trace
	Bad   bool          `json:"bad,omitempty"`
}

// Kind of a mark: it sets its shape.
type Kind string

// Kinds of marks.
const (
	Asked   Kind = "asked"   // an operation begins
	Done    Kind = "done"    // it was answered well, or something was seen
	Refused Kind = "refused" // it was answered with an error
	Open    Kind = "open"    // it has no answer
	Hurt    Kind = "hurt"    // a fault touched it
	Life    Kind = "life"    // a process started, ended, stood still
)

// Band is a stretch of time: a fault's window, a phase of the run.
type Band struct {
	From time.Duration `json:"from"`
	To   time.Duration `json:"to"`
	Name string        `json:"name"`
}

// Arrow leads from one row of the trace to the next that concerns the same event.
type Arrow struct {
	From int    `json:"from"` // Step
	To   int    `json:"to"`
	ID   string `json:"id"`
}

// Series is a group's lag in records over time.
type Series struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"`
}

// Point of a series.
type Point struct {
	At    time.Duration `json:"at"`
	Value int64         `json:"value"`
}

// Limits of a picture.
const (
	MaxMarks  = 1500 // marks drawn one by one; the rest is a density strip
	Buckets   = 120
	maxPoints = 240 // of one series
	maxLanes  = 24
)
