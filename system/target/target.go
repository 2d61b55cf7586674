// Package target names what faults take hold of, and the language in which plans say where and how: moments, actions and
// steps. It holds no fault and starts nothing.
package target

import (
	"context"
	"time"
)

// Moment is the address of a fault, named by content, never by count or clock. All set fields must match; the first
// match counts unless the step's Budget says more.
//
// Labels: "event:17" is the 17th event of the workload, counted from 0; "summary:KEY|WINDOW" is the summary of a key
// (fields joined by ",") and window start (RFC 3339, UTC).
type Moment struct {
	// API is the Kafka protocol's name of the request (Produce, OffsetCommit, Fetch, Heartbeat, JoinGroup, SyncGroup,
	// ...), or "" for a moment that is not a request.
	API string `json:"api,omitempty"`
	// Role is the role's name, Member its instance from 1; 0 is any.
	Role   string `json:"role,omitempty"`
	Member int    `json:"member,omitempty"`
	// Carries: the request (Produce) or its answer (Fetch) carries the record with this label.
	Carries string `json:"carries,omitempty"`
	// Passes: the OffsetCommit that first passes the record with this label.
	Passes string `json:"passes,omitempty"`
	// After: not before the record with this label is in its topic; "rest": once everything sent so far is handled and
	// committed; "start": once every role is ready. With API "" it is the moment itself. A request of which After, Carries and
	// Passes say nothing is met from the very beginning: such steps wait before any role starts.
	After string `json:"after,omitempty"`
}

// Verb is what an action does.
type Verb string

// Verbs on requests. The truth differs and the client can't tell.
const (
	NotApplied Verb = "not-applied" // the broker never sees it, the client gets Code
	Applied    Verb = "applied"     // the broker applies it, the client gets Code all the same
	AckLost    Verb = "ack-lost"    // the broker applies it, the client hears How
	CutBefore  Verb = "cut-before"  // the broker never sees it, the connection ends by How
	Copy       Verb = "copy"        // the broker sees it twice at once, one answer
	LateCopy   Verb = "late-copy"   // the broker sees it again For later, on another connection
	Hold       Verb = "hold"        // the broker sees it For later
)

// Verbs on roles, at a request (then Before says whether it reaches the broker) or at a moment that is none.
const (
	Kill  Verb = "kill"  // kill -9 of Role/Member, started again after For (never, if For < 0)
	Stop  Verb = "stop"  // asked to stop, started again after For
	Pause Verb = "pause" // SIGSTOP, and SIGCONT after For
	Join  Verb = "join"  // one more member of Role
	Leave Verb = "leave" // one member of Role is asked to stop and stays away
)

// Verbs on broker nodes.
const (
	NodeDown        Verb = "node-down"        // Node (or the leader, coordinator: see Of) is down for For, comes back with its data
	LeaderMove      Verb = "leader-move"      // the leader of the partition of the moment's record moves to another node
	CoordinatorMove Verb = "coordinator-move" // the coordinator of Group moves to another node
)

// Verbs on the input, applied to the workload before it is sent; the step's After names the event.
const (
	SendTwice Verb = "send-twice" // the source sends the event again at once
	SendLater Verb = "send-later" // the source sends the event again after Count further events
	Reorder   Verb = "reorder"    // the event changes places with the next one of another key
	Late      Verb = "late"       // the event is sent only after its window closed
	Invalid   Verb = "invalid"    // a broken variant of the event is sent beside it
	Burst     Verb = "burst"      // Count events at once, as fast as the recorder takes them
)

// Verbs on stores of the role, and on topics.
const (
	StoreFail Verb = "store-fail" // transactions fail, for For
	StoreFull Verb = "store-full" // writes fail as on a full disk, for For
	StoreSlow Verb = "store-slow" // each transaction takes For longer, Budget times
	Poison    Verb = "poison"     // the harness itself writes a record that breaks the schema to the topic
)

// Action is what a fault does at its moment.
type Action struct {
	Do   Verb   `json:"do"`
	Code int16  `json:"code,omitempty"` // Kafka error code
	How  string `json:"how,omitempty"`  // silence, fin or rst
	// For is a length of time in real runs; the model takes it as virtual time.
	For time.Duration `json:"for,omitempty"`
	// Before: the role action at a request happens before the broker sees the request (which it then never does);
	// otherwise after the broker applied it and before the client hears.
	Before bool   `json:"before,omitempty"`
	Role   string `json:"role,omitempty"` // whom a role action hits; "" is the role of the moment
	Member int    `json:"member,omitempty"`
	Of     string `json:"of,omitempty"` // NodeDown: leader, coordinator or "" for node 0; Reorder, Burst: see faults
	Count  int    `json:"count,omitempty"`
}

// Step is one (moment, action) pair of a plan. Name is unique in the plan, Fault the entry of faults.All that made it.
type Step struct {
	Name   string `json:"name"`
	Fault  string `json:"fault"`
	At     Moment `json:"at"`
	Do     Action `json:"do"`
	Budget int    `json:"budget,omitempty"` // how many matches it acts on; 0 is one
}

// Acted is the proof of what a step did. Count 0 makes the run's clauses inconclusive, never green.
type Acted struct {
	Step    string   `json:"step"`
	Fault   string   `json:"fault"`
	Matched int      `json:"matched"` // moments met
	Count   int      `json:"count"`   // times it took effect
	What    []string `json:"what"`    // one sentence each, at most 5
}

// Kind of thing that a fault takes hold of.
type Kind string

// Kinds. An environment that lacks one makes the faults that need it not-applicable.
const (
	Requests Kind = "requests"
	Nodes    Kind = "nodes"
	Roles    Kind = "roles"
	Stores   Kind = "stores"
	Input    Kind = "input"
	Topics   Kind = "topics"
)

// Role is a role of the system under test while it runs. Instances count from 1. All methods are safe for concurrent
// use; Kill and Pause act at once and do not wait for the role.
type Role interface {
	Name() string
	Instances() []int
	Kill(ctx context.Context, instance int) error
	Pause(ctx context.Context, instance int) error
	Resume(ctx context.Context, instance int) error
	Stop(ctx context.Context, instance int) error
	// Start starts an instance (again, with its number and state); 0 starts one more and returns its number.
	Start(ctx context.Context, instance int) (int, error)
}

// Store is the store of a role, when the harness can hurt it.
type Store interface {
	// Hurt makes transactions fail (Verb StoreFail, StoreFull) or wait (StoreSlow, by d) until the returned heal is called;
	// acted counts the transactions that it touched.
	Hurt(do Verb, d time.Duration) (heal func() (acted int))
}

// Nodes are the broker's nodes.
type BrokerNodes interface {
	IDs() []int32
	Leader(ctx context.Context, topic string, partition int32) (int32, error)
	Coordinator(ctx context.Context, group string) (int32, error)
	Down(ctx context.Context, id int32) error
	Up(ctx context.Context, id int32) error
	MoveLeader(ctx context.Context, topic string, partition int32) error
	MoveCoordinator(ctx context.Context, group string) error
}
