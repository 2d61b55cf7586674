package contract

import (
	"fmt"
	"slices"
	"strings"
)

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

// None is the column of a report without any fault.
const None = "none"

// reach names the faults that can touch a promise, by what the promise hangs on.
var (
	onProduce = []string{"produce-refused", "produce-applied-error", "produce-ack-lost", "produce-cut", "produce-copied", "produce-late-copy", "produce-held"}
	onCommit  = []string{"commit-refused", "commit-applied-error", "commit-ack-lost", "commit-cut", "commit-late-copy", "commit-held"}
	onFetch   = []string{"fetch-refused", "fetch-cut", "fetch-held"}
	onGroup   = []string{"heartbeat-refused", "heartbeat-held", "join-refused", "join-cut", "sync-refused", "sync-cut"}
	onNodes   = []string{"node-down", "leader-moved", "coordinator-moved"}
	onRoles   = []string{"role-killed", "role-paused", "member-joins", "member-leaves"}
	onInput   = []string{"duplicate-sends", "reordered-input", "late-input", "burst-input"}
	onStore   = []string{"store-fails", "store-full", "store-slow"}
)

// FaultNames are the names of all faults that clauses can name, None first. The slice is the caller's own.
func FaultNames() []string {
	return slices.Concat([]string{None}, onProduce, onCommit, onFetch, onGroup, onNodes, onRoles, onInput,
		[]string{"invalid-input"}, onStore, []string{"poison-record", "replayed"})
}

func reach(sets ...[]string) []string { return slices.Concat(append([][]string{{None}}, sets...)...) }

// Clauses are the promises that follow from a document, in the order of the report. A part that the document does not have makes no
// clause.
func Clauses(d *Document) []Clause {
	s := survey(d)
	var all []Clause
	for _, p := range promises {
		part, text, ok := p.of(s)
		if !ok {
			continue
		}
		all = append(all, Clause{ID: p.id, Level: Required, Text: text, Source: string(part), Pos: d.PosOf(part), Needs: p.needs, Faults: p.faults})
	}
	return all
}

// ClauseIDs are the ids of all clauses that a document can have, in the order of the report.
func ClauseIDs() []ID {
	var ids []ID
	for _, p := range promises {
		ids = append(ids, p.id)
	}
	return ids
}

// surveyed is what of a document the promises hang on. A pointer is "" where the document does not have the part; none of the
// parts is the whole document.
type surveyed struct {
	doc                                             *Document
	partitions, retention, cleanup, key             Pointer // the first topic that has it
	schema, groups, lag                             Pointer
	recorder, record, ordered, acks, idempotent     Pointer // flows of recorders, ordered: to a topic with a key; any flow with a producer
	fold, on, out, same, dedupe, store, view, reads Pointer
	poison                                          Pointer // a reading flow whose topic has a schema
	lags                                            []string
	emit                                            string
}

func survey(d *Document) surveyed {
	s := surveyed{doc: d}
	first := func(into *Pointer, at Pointer, has bool) {
		if has && *into == "" {
			*into = at
		}
	}
	for _, t := range d.Topics {
		at := Pointer("/topics").Join(t.Name)
		first(&s.partitions, "/topics", t.Partitions > 0)
		for name := range t.Config {
			first(&s.retention, "/topics", strings.HasPrefix(name, "retention."))
			first(&s.cleanup, "/topics", name == "cleanup.policy")
		}
		first(&s.key, at+"/key", t.Key.From != "")
		first(&s.schema, "/payloads", t.Payload != "")
	}
	first(&s.groups, "/groups", len(d.Groups) > 0)
	for _, g := range d.Groups {
		if g.Lag != nil {
			first(&s.lag, Pointer("/groups").Join(g.Name)+"/lag", true)
			s.lags = append(s.lags, g.Name)
		}
	}
	for i := range d.Flows {
		s.flow(&d.Flows[i], first)
	}
	return s
}

func (s *surveyed) flow(f *Flow, first func(*Pointer, Pointer, bool)) {
	at := f.Pointer()
	lossless := f.Semantics == "at-least-once" || f.Semantics == "exactly-once"
	first(&s.recorder, at, f.Kind == Recorder && f.Writes != "" && lossless)
	first(&s.record, at, f.Kind == Recorder && f.Writes != "")
	if t := s.doc.Topic(f.Writes); t != nil {
		first(&s.ordered, at, f.Kind == Recorder && t.Key.From != "")
	}
	first(&s.acks, at+"/producer/acks", f.Producer != nil && f.Producer.Acks == "all")
	first(&s.idempotent, at+"/producer/idempotent", f.Producer != nil && f.Producer.Idempotent)
	first(&s.reads, at, f.Reads != "")
	first(&s.poison, at+"/reads", f.Reads != "" && s.doc.PayloadOf(f.Reads) != nil)
	first(&s.store, at+"/commit", f.Commit == "after-store")
	first(&s.view, at+"/view", f.View == "last-by-key")
	first(&s.same, at+"/same-value", f.SameValue)
	first(&s.dedupe, at+"/dedupe", f.Dedupe != nil)
	if f.Fold == nil {
		return
	}
	first(&s.fold, at+"/fold", true)
	first(&s.on, at+"/fold/emit", true)
	if out := s.doc.Out(f); out != nil {
		first(&s.out, out.Pointer(), true)
	}
	if s.emit == "" {
		s.emit = f.Fold.Emit
	}
}

// promise makes one clause, where the document has its part.
type promise struct {
	id     ID
	needs  []Feature
	faults []string
	of     func(s surveyed) (part Pointer, text string, ok bool)
}

// where is the commonest promise: one sentence, made by one part.
func where(part func(s surveyed) Pointer, text string) func(surveyed) (Pointer, string, bool) {
	return func(s surveyed) (Pointer, string, bool) { p := part(s); return p, text, p != "" }
}

// A clause names the faults under which it can be put to the test: one that can only be seen under some faults names None not,
// because a run without them examines nothing. Checkers judge every run all the same, and what they find broken counts.
var wholeStream = slices.Concat(onFetch, onCommit, onGroup, onNodes, onRoles)

var promises = [...]promise{
	{"topic.partitions", nil, reach(onNodes), where(func(s surveyed) Pointer { return s.partitions },
		"Each topic of the map has exactly the partitions that the map gives it.")},
	{"topic.retention", nil, reach(onNodes), where(func(s surveyed) Pointer { return s.retention },
		"Each topic keeps its records as long as, and as much as, the map says.")},
	{"topic.cleanup", nil, reach(onNodes), where(func(s surveyed) Pointer { return s.cleanup },
		"Each topic has the cleanup policy that the map gives it.")},
	{"topic.key", nil, reach(onProduce, onNodes, onRoles, onInput), where(func(s surveyed) Pointer { return s.key },
		"The key of every record is the field that the map names, and all records of one key are in one partition.")},
	{"topic.only-listed", nil, reach(onProduce, onNodes, onRoles), where(func(s surveyed) Pointer { return s.partitions },
		"No topic of the project exists outside the map.")},
	{"group.full-stream", nil, reach(wholeStream), where(func(s surveyed) Pointer { return s.groups },
		"Each group receives the whole stream of each of its topics.")},
	{"schema.valid-only", nil, reach(onProduce, onRoles, onInput, []string{"invalid-input"}), where(func(s surveyed) Pointer { return s.schema },
		"Every record in a topic has its payload's form; an invalid input is refused with its fields named and never sent.")},
	{"poison.isolated", nil, []string{"poison-record"}, where(func(s surveyed) Pointer { return s.poison },
		"A record that breaks its schema stalls no partition and costs no other record.")},
	{"delivery.no-loss", []Feature{NeedsAccept}, reach(onProduce, onCommit, onFetch, onGroup, onNodes, onRoles, onInput, onStore, []string{"poison-record"}),
		where(func(s surveyed) Pointer { return s.recorder }, "Every event acknowledged to the source is in its topic, and in its summary once that is due.")},
	{"delivery.in-doubt", []Feature{NeedsAccept, NeedsSourceID}, []string{"role-killed"}, inDoubt},
	{"delivery.no-invention", []Feature{NeedsAccept}, reach(onProduce, onNodes, onRoles, onInput, []string{"invalid-input"}),
		where(func(s surveyed) Pointer { return s.record }, "The topic holds no event that the source did not send.")},
	{"producer.acks-all", []Feature{NeedsWire}, reach(onProduce, onNodes, onRoles), where(func(s surveyed) Pointer { return s.acks },
		"Flows that demand it produce with acks=all.")},
	{"producer.idempotent", []Feature{NeedsWire}, reach(onProduce, onNodes, onRoles), where(func(s surveyed) Pointer { return s.idempotent },
		"Flows that demand it produce with a producer id and sequence numbers.")},
	{"producer.no-log-duplicate", []Feature{NeedsWire}, reach(onProduce, onNodes, onRoles), where(func(s surveyed) Pointer { return s.idempotent },
		"A batch that an idempotent producer sends again is appended once.")},
	{"ack.truth", []Feature{NeedsAccept}, reach(onProduce, onNodes, onRoles), where(func(s surveyed) Pointer { return s.record },
		"The position in an acknowledgement is where the log holds that very event.")},
	{"order.device", []Feature{NeedsAccept}, reach(onProduce, onNodes, onRoles, onInput), order},
	{"commit.after-store", nil, reach(onCommit, onGroup, onNodes, onRoles, onStore), where(func(s surveyed) Pointer { return s.store },
		"No committed offset lies past an event that is not stored.")},
	{"commit.matches", []Feature{NeedsWire}, reach(onCommit, onFetch, onGroup, onNodes, onRoles, onStore), where(func(s surveyed) Pointer { return s.reads },
		"At rest the committed offset is one past the last record handled, and it never goes back.")},
	{"group.progress", nil, reach(wholeStream, onStore, []string{"poison-record"}), where(func(s surveyed) Pointer { return s.reads },
		"After healing every partition of every group goes on.")},
	{"lag.bound", nil, reach(wholeStream, onStore, []string{"burst-input", "poison-record"}), lagBound},
	{"count.once", nil, reach(onProduce, onCommit, onFetch, onGroup, onNodes, onRoles, onInput, onStore, []string{"replayed"}), countOnce},
	{"summary.value", nil, reach(onProduce, onCommit, onFetch, onGroup, onNodes, onRoles, onInput, onStore, []string{"replayed"}),
		where(func(s surveyed) Pointer { return s.fold }, "At rest every field of a summary equals the fold over the distinct events of its key and window.")},
	{"summary.published", nil, reach(onProduce, onCommit, onFetch, onGroup, onNodes, onRoles, []string{"late-input"}, onStore), published},
	{"summary.same-value", nil, []string{"role-killed", "replayed"},
		where(func(s surveyed) Pointer { return s.same }, "Two summaries over the same events are equal byte for byte.")},
	{"summary.replay", []Feature{NeedsReplay}, []string{"replayed"}, summaryReplay},
	{"display.last-value", []Feature{NeedsRows}, reach(onProduce, onFetch, onCommit, onGroup, onNodes, onRoles), where(func(s surveyed) Pointer { return s.view },
		"What is shown is the last value that was published under each key.")},
	{"replay.window", nil, reach([]string{"replayed"}), replayWindow},
	{"capacity.arithmetic", nil, reach(), func(s surveyed) (Pointer, string, bool) {
		return "/capacity", "The document's own figures agree with each other and with the measured size of an event.", s.doc.Capacity != nil
	}},
	{"role.stays-up", nil, reach(onProduce, onCommit, onFetch, onGroup, onNodes, onStore, []string{"invalid-input", "poison-record", "burst-input"}),
		func(s surveyed) (Pointer, string, bool) {
			return "/flows", "A role ends only when it is told to.", len(s.doc.Flows) > 0
		}},
}

func inDoubt(s surveyed) (Pointer, string, bool) {
	return s.recorder, "An event without an answer is in its topic or sent again under the same id.", s.recorder != "" && s.doc.Source.Resend != "never"
}

func order(s surveyed) (Pointer, string, bool) {
	return s.ordered, "Events of one key are in their topic in the order in which the source sent them.", s.ordered != "" && s.doc.Source.OnePerKey
}

func countOnce(s surveyed) (Pointer, string, bool) {
	counts := slices.ContainsFunc(s.doc.Folds(), func(f *Flow) bool {
		return slices.ContainsFunc(f.Fold.Into, func(a Aggregate) bool { return a.Op == "count" })
	})
	return s.dedupe, "The count of a summary is the number of distinct events of its key and window.", counts && s.dedupe != ""
}

func published(s surveyed) (Pointer, string, bool) {
	when := "Every window that closed is published, whatever crashed in between."
	if s.emit == "on-change" {
		when = "Every window that changed is published, whatever crashed in between."
	}
	return s.out, when, s.fold != "" && s.out != ""
}

func lagBound(s surveyed) (Pointer, string, bool) {
	return s.lag, fmt.Sprintf("The lag of %s stays under its bound outside faults, and is back under it in time after them.", strings.Join(s.lags, " and ")), s.lag != ""
}

func summaryReplay(s surveyed) (Pointer, string, bool) {
	return "/replay", "After a replay the final summaries equal the first.", s.doc.Replay != nil && s.fold != ""
}

func replayWindow(s surveyed) (Pointer, string, bool) {
	if s.doc.Replay == nil {
		return "", "", false
	}
	return "/replay", fmt.Sprintf("An event of %s as old as %s can still be read again.", s.doc.Replay.Topic, FormatDuration(s.doc.Replay.Window)), true
}
