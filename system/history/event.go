// Package history holds what was seen during a run, one line an event, and the ledger of what the fault proxy saw on
// the wire. It judges nothing.
package history

import "time"

// Seq numbers the events of a run from 1, in the order in which they were recorded. It keeps counting over a run's phases.
type Seq int64

// Phase of an operation. An operation without an answer is Unknown: it may or may not have happened.
type Phase string

// Phases. An observation that has no beginning and end is OK.
const (
	Invoke  Phase = "invoke"
	OK      Phase = "ok"
	Fail    Phase = "fail"
	Unknown Phase = "unknown"
)

// Operations of events.
const (
	// OpSend: the source hands an event to a recorder (Proc: the recorder's role).
	// Invoke: Key is the event's label, Value the record as sent, Tag how it was made (see package workload).
	// OK: recorded; Value the event id that the answer named or "", Where the position that it named or nil.
	// Fail: refused; Value a JSON array of the refused fields as JSON Pointers. Unknown: Err says why.
	// A resend is a new OpSend of the same label.
	OpSend = "send"
	// OpRecord: one record of a topic scan (Proc "scan"). Key and Value are the record's bytes, Where its position,
	// Producer its origin in the log, Tag the scan.
	OpRecord = "record"
	// OpTopic: a topic of the live cluster. Key its name, Value {"partitions":3,"config":{...}}, Tag the scan.
	OpTopic = "topic"
	// OpCommitted: a group's committed offset (Proc the group), Where with the offset, -1 if none. Tag the scan.
	OpCommitted = "committed"
	// OpEnd: a partition's end offset. Where with the offset. Tag the scan.
	OpEnd = "end"
	// OpLag: a sample of a group's lag in records over all partitions (Proc the group), Value a decimal number,
	// Tag "load" outside faults, "fault" while one acts, "healed" after all are healed. Where names the partition if one.
	OpLag = "lag"
	// OpRow: one row of a display (Proc the role). Key a JSON array of the key's fields, Value a JSON object from the
	// fold's fields (JSON Pointers) to values, or the record's data. Tag the scan.
	OpRow = "row"
	// OpStored: a summarizer's store committed a transaction that holds the event (Proc the instance). Key the event
	// id, Where the position that it came from. Invoke before the transaction, OK after it: only OK counts.
	OpStored = "stored"
	// OpFault: a step of the plan. Invoke: injected, OK: healed, Key the step's name, Value what it acted on. Of a step on the
	// input, Proc is "source" and Value the label of the event that is sent otherwise than the load has it.
	OpFault = "fault"
	// OpRole: a role's process (Proc the instance). Key started, ready, killed, stopped, exited, paused or resumed.
	OpRole = "role"
	// OpGroup: a change of a group's membership as seen (Proc the group). Key the state, Value the members.
	OpGroup = "group"
	// OpPhase: the run entered the phase Key: start, load, heal, settle, rest, replay-kept, replay-emptied, end.
	OpPhase = "phase"
)

// Scans, the tags of observations at rest.
const (
	ScanRest          = "rest"           // after load, faults and settling
	ScanReplayKept    = "replay-kept"    // after a replay with the summarizer's state kept
	ScanReplayEmptied = "replay-emptied" // after a replay with its state emptied
)

// Position is a place in a topic.
type Position struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
}

// Producer is a record's origin in the log: id -1 where the producer was not idempotent. Seq is the record's own number.
type Producer struct {
	ID    int64 `json:"id,string"`
	Epoch int16 `json:"epoch"`
	Seq   int32 `json:"seq"`
}

// Event is one thing that was seen. At counts from the run's start. Of is the Invoke that this event answers.
type Event struct {
	Seq      Seq           `json:"seq"`
	At       time.Duration `json:"at"`
	Proc     string        `json:"proc,omitempty"`
	Op       string        `json:"op"`
	Phase    Phase         `json:"phase"`
	Of       Seq           `json:"of,omitempty"`
	Tag      string        `json:"tag,omitempty"`
	Key      string        `json:"key,omitempty"`
	Value    string        `json:"value,omitempty"`
	Where    *Position     `json:"where,omitempty"`
	Producer *Producer     `json:"producer,omitempty"`
	Err      string        `json:"err,omitempty"`
}

// History is a whole run as seen.
type History struct {
	Events []Event
	Ledger []Exchange
}
