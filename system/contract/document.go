// Package contract holds the architecture document as data: topics, payloads, flows, decisions, and the clauses that
// follow from them. It loads, validates, lints and patches documents. It judges no run and talks to no broker.
package contract

import (
	"encoding/json"
	"regexp"
	"time"

	"tahanuji/system/contract/tree"
)

// Pointer is a JSON Pointer (RFC 6901). "" is the whole value.
type Pointer string

// Pos says where something stands in a file. Line and Column count from 1; zero means unknown.
type Pos struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Document is one architecture document with its ADR files, loaded and found sound. Slices keep the document's order.
type Document struct {
	ID       string
	File     string // the path that it was loaded from
	Digest   string // SHA-256, hexadecimal, over the document and its ADR files
	Topics   []Topic
	Envelope Envelope
	Payloads []*Payload
	Groups   []Group
	Flows    []Flow
	Replay   *Replay
	Capacity *Capacity
	Source   Source
	Workload Workload
	ADRs     []ADR
	Waivers  []Waiver

	src source // what it was made of, for positions and patches
}

// source is what a document was made of.
type source struct {
	root *tree.Node
	adrs []adrFile
}

// Topic is one line of the topic map. Config uses Kafka's own names (Kafka documentation, Topic configs).
type Topic struct {
	Name       string
	Partitions int
	Config     map[string]string
	Key        Key
	Payload    string // name of the payload; "" if the document gives none
	Purpose    string
	Pos        Pos
}

// Key says where in the record a topic's key comes from and what it must look like.
type Key struct {
	From    Pointer
	Pattern string // regular expression, RE2; "" accepts all

	re *regexp.Regexp
}

// Envelope names the places of the metadata that each record carries.
type Envelope struct {
	ID, Type, Time, Data Pointer
}

// Rules are what a JSON Schema can't say about a record; a rule that the document does not give is not judged.
type Rules struct {
	UniqueNames bool      // json-names: unique
	Time        *TimeRule // time: {at, zone}
}

// TimeRule wants the time at At to carry the zone designator Zone, such as "Z".
type TimeRule struct {
	At   Pointer
	Zone string
}

// Group is a consumer group: exactly the topics in Reads, at most Members members.
type Group struct {
	Name    string
	Reads   []string
	Members int // 0: not limited by the document
	Lag     *Lag
	Pos     Pos
}

// Lag bounds how far a group may be behind: at most Max records, again so within Within after healing.
type Lag struct {
	Max    int64 // 0: no bound in records outside faults
	Within time.Duration
}

// Kind is what a role does: it sets which clauses follow.
type Kind string

// The kinds of roles that documents can name.
const (
	Recorder   Kind = "recorder"
	Summarizer Kind = "summarizer"
	Display    Kind = "display"
)

// Flow is one line of the delivery contract.
type Flow struct {
	Name         string
	Role         string // name of the role that plays it
	Kind         Kind   // the role's kind
	Reads        string // topic, or ""
	Writes       string // topic, or ""
	Group        string // consumer group of a reading flow
	Semantics    string // at-least-once, ...
	Commit       string // after-store, or ""
	Dedupe       *Dedupe
	Fold         *Fold
	Producer     *Producer
	OverwriteKey []Pointer // fields of a written record whose last value counts
	SameValue    bool      // two records over the same events are byte for byte equal
	View         string    // last-by-key, or ""
	Pos          Pos
}

// Dedupe recognises a record seen before by the field By, for Window.
type Dedupe struct {
	By     Pointer
	Window time.Duration
}

// Producer is what a writing flow demands of its Kafka producer.
type Producer struct {
	Acks       string // all, 1, 0 or "" when not demanded
	Idempotent bool
}

// Fold says how summaries come out of events (document.md, "Fold").
type Fold struct {
	By     []Pointer // fields of the event that name the group
	Window Window
	Emit   string        // on-close or on-change
	Close  time.Duration // silence after which an on-close window closes by the clock; 0: never by the clock
	Into   []Aggregate   // in the document's order
}

// Window cuts event time into pieces of Size that begin at local midnight of Zone.
type Window struct {
	Of    Pointer // time in the event
	Size  time.Duration
	Zone  string  // IANA name
	Into  Pointer // place of the window's start in the summary
	As    string  // time, date or number (milliseconds since 1970)
	Grace time.Duration

	loc *time.Location
}

// Aggregate is one field of a summary.
type Aggregate struct {
	Into     Pointer
	Op       string // count, sum, min, max or mean
	Of       Pointer
	Decimals int // digits after the point for mean; -1 where the document gives none
}

// Replay promises that Topic can be read again from Window ago.
type Replay struct {
	Topic  string
	Window time.Duration
	Pos    Pos
}

// Capacity is the document's own arithmetic.
type Capacity struct {
	Sources    int
	Interval   time.Duration
	EventBytes int
	Claims     map[string]string // rate: 0.33/s, volume: 50.4 MB
	Pos        Pos
}

// Source says how events reach the recorder.
type Source struct {
	Resend      string // until-recorded, never, or a number of times in Times
	Times       int
	After       time.Duration
	OnePerKey   bool // at most one event of a key in flight
	Concurrency int  // events in flight when not OnePerKey; at least 1
}

// Workload says what events are made.
type Workload struct {
	From      string // schema, file or templates
	File      string // path relative to the document
	Templates []json.RawMessage
	Unique    []Pointer
}

// Waiver suspends one clause until Expires (a date, inclusive).
type Waiver struct {
	Clause  ID
	Owner   string
	Reason  string
	Expires time.Time
	Pos     Pos
}

// ADR is one architecture decision record, a file of its own.
type ADR struct {
	File         string
	ID           string
	Status       string // accepted, proposed, superseded, rejected
	Title        string
	Decides      []Pointer // parts of the document
	Reasons      []string
	Alternatives []string
	Supersedes   []string
	SupersededBy []string
	Amends       []string
	Change       json.RawMessage // RFC 6902 patch; proposed ADRs only
	Expects      []Expectation
	Variant      string // flaw or variant of the reference that plays the proposal, "" if the change says it all
	Body         string // Markdown below the front matter
	Pos          Pos

	touches  []Pointer       // paths that Change replaces, removes or adds
	changeAt map[Pointer]Pos // where its operations stand
	places   map[string]Pos  // where the fields of the front matter stand
}

// Expectation is what a proposal's author expects of one clause in one phase (baseline, migration, proposal).
type Expectation struct {
	Clause  ID
	Phase   string
	Verdict string
}
