package contract

// ID names a clause, such as "delivery.no-loss". It is stable from version to version.
type ID string

// Level says how much a clause weighs: a broken required clause makes a report "violated".
type Level string

// Levels of clauses.
const (
	Required Level = "required"
	Advisory Level = "advisory"
)

// Feature is something that a clause needs of the broker, the adapter or the role in order to be judged.
type Feature string

// Features that an environment may lack. What it lacks makes the clause not-applicable, with the environment's reason.
const (
	NeedsAccept      Feature = "accept"      // the harness hands events to a recorder and sees its answer
	NeedsFields      Feature = "fields"      // a refusal names the fields
	NeedsRows        Feature = "rows"        // the harness can ask a display what it shows
	NeedsStore       Feature = "store"       // the summarizer's store tells what it stored
	NeedsKill        Feature = "kill"        // a role can be killed at a moment
	NeedsWire        Feature = "wire"        // the proxy stands between the role and the broker
	NeedsReplication Feature = "replication" // the broker really replicates
	NeedsRetention   Feature = "retention"   // the broker enforces retention
	NeedsSourceID    Feature = "source-id"   // the source sets the event id
	NeedsReplay      Feature = "replay"      // offsets can be set back while the group is empty
)

// Clause is one promise of a document that a machine can judge.
type Clause struct {
	ID     ID        `json:"id"`
	Level  Level     `json:"level"`
	Text   string    `json:"text"`   // the promise, in a sentence
	Source string    `json:"source"` // JSON Pointer into the document
	Pos    Pos       `json:"pos"`
	Needs  []Feature `json:"needs,omitempty"`
	// Faults names the faults that can touch the promise. Clause x fault is the denominator of a report.
	Faults []string `json:"faults"`
}
