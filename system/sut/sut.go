// Package sut takes hold of the system under test: the reference in this process, or commands in any language. It hurts
// nothing by itself and judges nothing.
package sut

import (
	"context"
	"encoding/json"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/target"
)

// Doors gives each role instance its own way to the broker, through the fault proxy.
type Doors interface {
	// Open returns the bootstrap address of a role instance; the same for the same instance.
	Open(role string, instance int) (bootstrap string, err error)
	// Cut resets all connections of an instance and refuses new ones until Mend: what a kill -9 does to them.
	Cut(role string, instance int)
	Mend(role string, instance int)
}

// Env is what a system is started in.
type Env struct {
	Doc   *contract.Document
	Doors Doors
	// Dir is the run's folder: logs go to Dir/logs, state to Dir/state (removed after the run).
	Dir  string
	Seed uint64
	// Base is the workload's first event time; a clock that is ours starts there.
	Base time.Time
	Flaw string
	Rec  *history.Recorder
	// Group counts the members of a consumer group, asked of the broker directly; needed by roles that are ready by their
	// group. An error, such as a coordinator that is still loading, means not ready yet.
	Group func(ctx context.Context, group string) (members int, err error)
	// Instances are the numbers of instances that a run wants to begin with, by role; a role that is not named has its own
	// number (sut.yaml; one for the reference).
	Instances map[string]int
	// Session is the shortest group session that the broker allows to the reference; 0: half a second, which the embedded
	// broker allows. Kafka's own default is 6 s.
	Session time.Duration
	// Prefix stands before the document's names of topics and groups when the system shares a cluster (sut.yaml, topics:
	// prefixed); "" when it has a cluster of its own.
	Prefix string
	// Postgres makes a database of the run's own for a role and returns its URL; nil where none can be had.
	Postgres func(ctx context.Context, role string) (url string, err error)
}

// Row is one row that a display shows: the key's fields in the order of overwrite-key, and the value as a JSON object from
// the fold's fields to values (ByField) or the record's data.
type Row struct {
	Key     []string
	Value   json.RawMessage
	ByField bool
}

// Answer of a recorder. OK: recorded, the promise begins; Fail: refused; Unknown: it may or may not have happened.
type Answer struct {
	Phase   history.Phase
	EventID string            // as the answer named it, or ""
	Where   *history.Position // as the answer named it, or nil
	Fields  []contract.Pointer
	Err     string
	// Reached is false when the request certainly never got to the role (connection refused).
	Reached bool
}

// System is a running system under test.
type System interface {
	Roles() []target.Role
	// Store of a role, nil when the harness can't hurt it.
	Store(role string) target.Store
	// Send hands an event to the recorder role and waits for its answer within the adapter's limit.
	Send(ctx context.Context, role string, record []byte) Answer
	// Rows asks a display what it shows.
	Rows(ctx context.Context, role string) ([]Row, error)
	// Elapse moves the roles' clock on; false when the clock is not ours.
	Elapse(d time.Duration) bool
	// EmptyState forgets a stopped role's state.
	EmptyState(ctx context.Context, role string) error
	// Notes are sentences that a reader should know and no verdict hangs on, whole after Close, which also writes them to
	// Dir/logs/notes.txt.
	Notes() []string
	// Close stops all roles within their limits; what does not obey is killed, and noted. An error says that something is left.
	Close(ctx context.Context) error
}

// Adapter starts systems under test.
type Adapter interface {
	Name() string
	// Lacks says what this adapter can't show of the document's roles, each with the reason.
	Lacks(doc *contract.Document) map[contract.Feature]string
	Start(ctx context.Context, env Env) (System, error)
}
