// Package services reads sut.yaml: how services that nobody of us built are started, handed events and asked what they show.
// It starts nothing and talks to nobody.
package services

import (
	"regexp"
	"time"

	"tahanuji/system/contract"
)

// File is one sut.yaml.
type File struct {
	Path string
	Dir  string // folder of the file; relative paths in it begin here
	// System is the architecture document's path, relative paths resolved; "" when the file names none.
	System  string
	Exact   bool       // topics and groups carry the document's names; otherwise {topic:NAME} and {group:NAME} are used
	Setup   [][]string // run once before the first run, in Dir
	Inherit []string   // further variables of the suite's environment that all roles get
	Roles   []*Role    // in the file's order
}

// Role is one service.
type Role struct {
	Name      string // as in the file
	Pos       contract.Pos
	Plays     []Text
	Plain     string // the document's name of the role; set by Bind
	Kinds     []contract.Kind
	Command   []Text
	Dir       string // absolute
	Env       []Variable
	Inherit   []string
	Setup     [][]string
	Instances int
	Ready     Ready
	Accept    *Accept
	Rows      *Rows
	Stop      Stop
	// Restart: a role that ends by itself is started again; otherwise that is a violation.
	Restart bool
}

// Text is a string of the file with its place.
type Text struct {
	Value string
	Pos   contract.Pos
}

// Variable of a role's environment.
type Variable struct {
	Name  string
	Value Text
}

// Ready says when a started instance counts as ready. At most one of HTTP, Line, Port and Group is set. Where the file gives none,
// Bind takes the group that the role reads in, else the port if the role uses {port}; with none of them it is ready once it runs.
type Ready struct {
	HTTP   Text
	Line   *regexp.Regexp // looked for on both streams, anew at each start
	Port   Text
	Group  Text // as many members as running instances
	Within time.Duration
	Given  bool // the file says so; otherwise Bind chose
}

// Call is an HTTP request.
type Call struct {
	Method  string
	URL     Text
	Headers []Variable
	Data    bool // the body is the record's data, the role makes the envelope; otherwise the whole record
}

// Accept is how a source hands an event to a recorder. HTTP nil: standard input and output.
type Accept struct {
	HTTP        *Call
	Recorded    map[int]bool // statuses with which the promise begins
	Refused     map[int]bool
	Fields      *Fields           // where a refusal names the fields; nil: nowhere
	EventID     *contract.Pointer // where the answer names the event's id; nil: nowhere
	Position    *Position         // where the answer names partition and offset; nil: nowhere
	Within      time.Duration
	OnePerKey   bool
	Concurrency int // in flight at most; 0: as the document's source says
}

// Fields says where a refusal names the fields: At is an array in the answer, Field the name within each element.
type Fields struct {
	At, Field contract.Pointer
}

// Position says where an answer names the record's place in the topic.
type Position struct {
	Partition, Offset contract.Pointer
}

// Rows is how a display is asked what it shows. HTTP nil: standard input and output.
type Rows struct {
	HTTP *Call
	At   contract.Pointer // the array (or map) in the answer
	// Key: places of the key's fields in a row, in the order of overwrite-key. Set by Bind where the file leaves it out.
	Key []contract.Pointer
	// Value: places in a row by the fold's fields; nil: a row is the record's data.
	Value  map[contract.Pointer]contract.Pointer
	Nested bool              // shape: map, {key: {key: value}}
	Next   *contract.Pointer // where an answer names the next page's URL
	Within time.Duration
	pos    contract.Pos
}

// Stop is how a role is asked to end.
type Stop struct {
	Signal string // TERM, INT, QUIT, HUP, USR1, USR2 or KILL
	Within time.Duration
}

// Limits where a file gives none.
const (
	ReadyWithin  = 30 * time.Second
	AcceptWithin = 10 * time.Second
	RowsWithin   = 10 * time.Second
	StopWithin   = 10 * time.Second
)
