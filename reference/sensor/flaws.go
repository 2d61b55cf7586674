package sensor

import (
	"fmt"
	"slices"
	"strings"
)

// Names of flaws: each is one small deviation of a role, switched on to prove that a check bites.
const (
	NoValidation        = "no-validation"
	ValidationAfterSend = "validation-after-send"
	FirstFieldOnly      = "first-field-only"
	KeyMissing          = "key-missing"
	KeyRandom           = "key-random"
	Acks1               = "acks-1"
	NotIdempotent       = "not-idempotent"
	NewEventIDOnResend  = "new-event-id-on-resend"
	InventsEvent        = "invents-event"
	OutboxInMemory      = "outbox-in-memory"
	OutboxUnordered     = "outbox-unordered"
	WrongAck            = "wrong-ack"
	ExtraTopic          = "extra-topic"
	ExtraPartition      = "extra-partition"
	RetentionShort      = "retention-short"
	CleanupCompact      = "cleanup-compact"

	CommitBeforeStore   = "commit-before-store"
	AutoCommit          = "auto-commit"
	LateCommitRewinds   = "late-commit-rewinds"
	NoDedupe            = "no-dedupe"
	DedupeInMemory      = "dedupe-in-memory"
	DedupeByOffset      = "dedupe-by-offset"
	DedupeWindowShort   = "dedupe-window-short"
	StorePerMember      = "store-per-member"
	PublishNotRetried   = "publish-not-retried"
	SilenceIgnored      = "silence-ignored"
	FloatMean           = "float-mean"
	MaxIsLast           = "max-is-last"
	WallClockHour       = "wall-clock-hour"
	LateEventDropped    = "late-event-dropped"
	SummaryRandomID     = "summary-random-id"
	SkipPoisonSilently  = "skip-poison-silently"
	PoisonStalls        = "poison-stalls"
	PoisonEndsRole      = "poison-ends-role"
	QuietMember         = "quiet-member"
	SummaryKeyOfTheHour = "summary-key-of-the-hour"

	DisplayAppend     = "display-append"
	DisplayKeepsFirst = "display-keeps-first"
	DisplayForgets    = "display-forgets"
	OneGroupForBoth   = "one-group-for-both"
)

// Flaw describes one flaw. Doc says what the role does wrong and which moment shows it; Breaks names the clauses that it
// must break there; Role is the kind of role that has it.
type Flaw struct {
	Name   string   `json:"name"`
	Doc    string   `json:"doc"`
	Breaks []string `json:"breaks"`
	Role   string   `json:"role"`
}

// Flaws is a set of flaws that are switched on. The nil set is the role as it should be.
type Flaws map[string]bool

// Has says whether a flaw is on.
func (f Flaws) Has(name string) bool { return f[name] }

// NewFlaws makes a set; "" is skipped, an unknown name refused.
func NewFlaws(names ...string) (Flaws, error) {
	set := Flaws{}
	for _, n := range names {
		if n == "" {
			continue
		}
		if !slices.ContainsFunc(AllFlaws(), func(f Flaw) bool { return f.Name == n }) {
			var list []string
			for _, f := range AllFlaws() {
				list = append(list, f.Name)
			}
			return nil, fmt.Errorf("flaws: %q is not known; known are %s", n, strings.Join(list, ", "))
		}
		set[n] = true
	}
	return set, nil
}

// The kinds of roles that flaws belong to.
const (
	roleRecorder   = "recorder"
	roleSummarizer = "summarizer"
	roleDisplay    = "display"
)

// AllFlaws lists every flaw, recorder first.
func AllFlaws() []Flaw {
	all := recorderFlaws()
	all = append(all, summarizerFlaws()...)
	return append(all, displayFlaws()...)
}

func recorderFlaws() []Flaw {
	return []Flaw{
		{NoValidation, "Sends whatever is JSON. Seen at the first invalid event of the input.", []string{"schema.valid-only"}, roleRecorder},
		{ValidationAfterSend, "Refuses an invalid event, but only after it was sent. Seen at the first invalid event of the input.", []string{"schema.valid-only"}, roleRecorder},
		{FirstFieldOnly, "A refusal names one wrong field and keeps silent about the others. Seen at an invalid event with two wrong fields.", []string{"schema.valid-only"}, roleRecorder},
		{KeyMissing, "Sends records without a key. Seen at once; devices spread over the partitions.", []string{"topic.key", "order.device"}, roleRecorder},
		{KeyRandom, "Sends records with a key that changes from record to record. Seen at once.", []string{"topic.key"}, roleRecorder},
		{Acks1, "Produces with acks=1. Seen on the wire at the first Produce; loses events when a leader dies.", []string{"producer.acks-all"}, roleRecorder},
		{NotIdempotent, "Produces without a producer id. Seen on the wire at the first Produce; a Produce whose answer is lost or that is copied is appended twice.", []string{"producer.idempotent", "producer.no-log-duplicate"}, roleRecorder},
		{NewEventIDOnResend, "Gives an event a new id when it is sent again. Seen when the source sends an event twice, and when the recorder is killed at its Produce: the outbox resends.", []string{"delivery.no-invention", "delivery.in-doubt"}, roleRecorder},
		{InventsEvent, "Sends its first event once more under an id of its own, as a test message. Seen at once.", []string{"delivery.no-invention"}, roleRecorder},
		{OutboxInMemory, "Promises before the broker has answered and keeps the event in memory alone. Seen when the recorder is killed while its Produce is refused, cut or held.", []string{"delivery.no-loss", "delivery.in-doubt"}, roleRecorder},
		{OutboxUnordered, "After a restart resends the outbox newest first. Seen when the recorder is killed with several events of one device in its outbox (Produce refused or held, then killed).", []string{"order.device"}, roleRecorder},
		{WrongAck, "Its answer names the offset after the event's. Seen at the first answer with a position.", []string{"ack.truth"}, roleRecorder},
		{ExtraTopic, "Creates a topic for copies that the topic map does not list. Seen on the wire and in the topic list at its start.", []string{"topic.only-listed"}, roleRecorder},
		{ExtraPartition, "Adds a partition to the topic of events at its start. Seen by describe.", []string{"topic.partitions"}, roleRecorder},
		{RetentionShort, "Sets the topic's retention to one hour at its start. Seen by describe.", []string{"topic.retention", "replay.window"}, roleRecorder},
		{CleanupCompact, "Sets the topic's cleanup policy to compact at its start. Seen by describe.", []string{"topic.cleanup", "replay.window"}, roleRecorder},
	}
}

func summarizerFlaws() []Flaw {
	return []Flaw{
		{CommitBeforeStore, "Commits what it polled, then stores it. Seen when it is killed right after its commit was applied, or when its store fails and it dies.", []string{"commit.after-store", "delivery.no-loss"}, roleSummarizer},
		{AutoCommit, "Lets the client commit by itself what was polled. Seen when its store fails or is slow, and then it is killed.", []string{"commit.after-store", "delivery.no-loss"}, roleSummarizer},
		{LateCommitRewinds, "After a hand-over it commits once more what it had handled before, in the new generation. Seen when a member joins or leaves under load.", []string{"commit.matches"}, roleSummarizer},
		{NoDedupe, "Counts an event each time it comes. Seen when the source sends an event twice, or a commit is lost.", []string{"count.once"}, roleSummarizer},
		{DedupeInMemory, "Keeps the ids that it has seen in its own memory. Seen when it is killed between storing and committing (commit cut or refused), or on a replay with state kept.", []string{"count.once", "summary.replay"}, roleSummarizer},
		{DedupeByOffset, "Recognises an event by its place in the topic. Seen when the source sends an event twice.", []string{"count.once"}, roleSummarizer},
		{DedupeWindowShort, "Keeps ids for a quarter of a window. Seen when the source sends an event again after its window, and on a replay with state kept.", []string{"count.once", "summary.replay"}, roleSummarizer},
		{StorePerMember, "Each member has a store of its own. Seen when a partition goes to another member in the middle of a window.", []string{"count.once", "summary.value"}, roleSummarizer},
		{PublishNotRetried, "Marks a window as published in the transaction that stores it, before it is sent. Seen when it is killed at the Produce of a summary, before the broker sees it.", []string{"summary.published"}, roleSummarizer},
		{SilenceIgnored, "Closes windows by event time alone. Seen at the last window of a device that falls silent, once the clock has moved on.", []string{"summary.published"}, roleSummarizer},
		{FloatMean, "Adds up in binary floats and cuts the mean off instead of rounding it. Seen at most windows with several events.", []string{"summary.value"}, roleSummarizer},
		{MaxIsLast, "The maximum is the last value that came. Seen at each window whose greatest value is not its last.", []string{"summary.value"}, roleSummarizer},
		{WallClockHour, "Takes the window from the clock instead of the event. Seen at once when event time and clock differ, and on a replay.", []string{"count.once", "summary.value"}, roleSummarizer},
		{LateEventDropped, "Drops an event whose window was published. Seen at a late event.", []string{"count.once", "delivery.no-loss"}, roleSummarizer},
		{SummaryRandomID, "Each publication has a new event id. Seen when a summary is published twice over the same events: a kill after its Produce was applied, or a replay with state emptied.", []string{"summary.same-value"}, roleSummarizer},
		{SkipPoisonSilently, "Skips a broken record, and the next one of its partition with it. Seen at a poison record that is followed by another.", []string{"poison.isolated", "delivery.no-loss"}, roleSummarizer},
		{PoisonStalls, "Waits for ever before a broken record. Seen at a poison record.", []string{"poison.isolated", "group.progress"}, roleSummarizer},
		{PoisonEndsRole, "Ends with an error at a broken record. Seen at a poison record.", []string{"role.stays-up", "poison.isolated"}, roleSummarizer},
		{QuietMember, "After a hand-over or restart stops fetching one partition and goes on with heartbeats. Seen when a member is killed, joins or leaves and more events follow.", []string{"group.progress", "lag.bound"}, roleSummarizer},
		{SummaryKeyOfTheHour, "Keys summaries by their window instead of the document's field. Seen at the first summary.", []string{"topic.key"}, roleSummarizer},
	}
}

func displayFlaws() []Flaw {
	return []Flaw{
		{DisplayAppend, "Adds a row for each summary that comes. Seen when a summary is published again.", []string{"display.last-value"}, roleDisplay},
		{DisplayKeepsFirst, "Keeps the first value of each row. Seen when a late event changes a summary.", []string{"display.last-value"}, roleDisplay},
		{DisplayForgets, "After a restart goes on from its committed offset with an empty table. Seen when the display is killed when all is calm.", []string{"display.last-value"}, roleDisplay},
		{OneGroupForBoth, "Joins the summarizer's group and reads both topics, so that partitions of events go to the display. Seen at once.", []string{"group.full-stream", "delivery.no-loss"}, roleDisplay},
	}
}
