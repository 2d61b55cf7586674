package check

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Index is a history joined with its document: what was sent, what the topics hold, what the summaries should say, what the groups
// committed. It is built once and then only read. Nothing in a history makes building it fail: what can't be read is kept as
// malformed, what has no partner stays alone.
type Index struct {
	Topics []*Topic // in the document's order
	Folds  []*Fold
	Sent   []*Sent // events of the workload in the order of their first send
	// Poison are the records that the harness itself wrote to topics.
	Poison []Poison
	// Observations of the cluster, in the order in which they were seen.
	Described, Rows, Lags, Stored, Roles, Phases []*history.Event
	// Silent are the times that a display was asked and gave no answer that could be read.
	Silent []*history.Event
	// Committed and Ends by scan.
	Committed map[string]map[GroupPartition]*history.Event
	Ended     map[string]map[Partition]*history.Event
	// Commits are what the broker applied, by group and partition, in the order in which they arrived.
	Commits map[GroupPartition][]Commit

	in      *Input
	topics  map[string]*Topic
	raw     map[string]map[string][]int32 // topic -> scan -> events
	sends   []int32
	scanned time.Duration  // when the scan at rest began
	stray   map[string]int // topics with records that the document does not list
	faults  []span
	faulted map[string][]int32 // label -> exchanges that a fault touched
	input   map[string]string  // label -> the plan's step that changed how the source sends it
}

// Partition of a topic.
type Partition struct {
	Topic     string
	Partition int32
}

// GroupPartition is a partition as a consumer group reads it.
type GroupPartition struct {
	Group string
	Partition
}

// Poison is a record that the harness wrote to a topic: no clause holds it against the system.
type Poison struct {
	Event *history.Event // its send
	Where *history.Position
}

// HarnessProc is the Proc of sends that the harness makes past the recorder, PoisonTag the Tag of those that break their schema.
const (
	HarnessProc = "harness"
	PoisonTag   = "poison"
)

func buildIndex(in *Input) *Index {
	ix := &Index{
		in: in, scanned: 1<<63 - 1, raw: map[string]map[string][]int32{}, stray: map[string]int{}, faulted: map[string][]int32{}, input: map[string]string{},
		Committed: map[string]map[GroupPartition]*history.Event{}, Ended: map[string]map[Partition]*history.Event{},
		Commits: map[GroupPartition][]Commit{},
	}
	ix.layTopics()
	ix.classify()
	ix.readRecords()
	ix.readSends()
	ix.join()
	for _, f := range ix.Folds {
		f.fill(ix)
	}
	ix.readLedger()
	return ix
}

// classify sorts the events by what they are.
func (ix *Index) classify() {
	events := ix.in.History.Events
	open := map[history.Seq]int{}
	for i := range events {
		e := &events[i]
		if e.Tag == history.ScanRest && e.At < ix.scanned {
			ix.scanned = e.At
		}
		switch e.Op {
		case history.OpSend:
			ix.sends = append(ix.sends, int32(i))
		case history.OpRecord:
			ix.classifyRecord(e, int32(i))
		case history.OpTopic:
			ix.Described = append(ix.Described, e)
		case history.OpRow:
			if e.Phase == history.OK {
				ix.Rows = append(ix.Rows, e)
			} else {
				ix.Silent = append(ix.Silent, e)
			}
		case history.OpLag:
			ix.Lags = append(ix.Lags, e)
		case history.OpStored:
			ix.Stored = append(ix.Stored, e)
		case history.OpRole:
			ix.Roles = append(ix.Roles, e)
		case history.OpPhase:
			ix.Phases = append(ix.Phases, e)
		case history.OpFault:
			ix.classifyFault(e, open)
		case history.OpCommitted:
			if e.Where != nil {
				put(ix.Committed, e.Tag, GroupPartition{e.Proc, partitionOf(e.Where)}, e)
			}
		case history.OpEnd:
			if e.Where != nil {
				put(ix.Ended, e.Tag, partitionOf(e.Where), e)
			}
		}
	}
}

func (ix *Index) classifyRecord(e *history.Event, i int32) {
	if e.Where == nil {
		return
	}
	if ix.topics[e.Where.Topic] == nil {
		ix.stray[e.Where.Topic]++
		return
	}
	scans := ix.raw[e.Where.Topic]
	if scans == nil {
		scans = map[string][]int32{}
		ix.raw[e.Where.Topic] = scans
	}
	scans[e.Tag] = append(scans[e.Tag], i)
}

// classifyFault keeps the time in which a step was at work: from its Invoke to its OK, or to the end.
func (ix *Index) classifyFault(e *history.Event, open map[history.Seq]int) {
	if e.Proc == "source" { // a step on the input: Value is the event that it sends otherwise
		ix.input[e.Value] = e.Key
		return
	}
	if e.Phase == history.Invoke {
		open[e.Seq] = len(ix.faults)
		ix.faults = append(ix.faults, span{step: e.Key, from: e.At, to: 1<<63 - 1})
		return
	}
	if at, ok := open[e.Of]; ok {
		ix.faults[at].to = e.At
		return
	}
	for i := range slices.Backward(ix.faults) {
		if ix.faults[i].step == e.Key {
			ix.faults[i].to = e.At
			return
		}
	}
}

func partitionOf(p *history.Position) Partition { return Partition{p.Topic, p.Partition} }

func put[K comparable](all map[string]map[K]*history.Event, scan string, k K, e *history.Event) {
	if all[scan] == nil {
		all[scan] = map[K]*history.Event{}
	}
	all[scan][k] = e
}

// PhaseAt is when the run entered a phase first, false if it never did.
func (ix *Index) PhaseAt(name string) (time.Duration, bool) {
	for _, e := range ix.Phases {
		if e.Key == name && e.Phase == history.OK {
			return e.At, true
		}
	}
	return 0, false
}

// ScannedAt is when the scan at rest began; later than everything if there was none.
func (ix *Index) ScannedAt() time.Duration { return ix.scanned }

// Stray are the topics outside the document that a scan found records in, sorted.
func (ix *Index) Stray() []string {
	var names []string
	for name := range ix.stray {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Scans that the history holds observations of, rest first.
func (ix *Index) Scans() []string {
	order := []string{history.ScanRest, history.ScanReplayKept, history.ScanReplayEmptied}
	seen := map[string]bool{}
	for _, scans := range ix.raw {
		for tag := range scans {
			seen[tag] = true
		}
	}
	for tag := range ix.Committed {
		seen[tag] = true
	}
	for _, e := range ix.Rows {
		seen[e.Tag] = true
	}
	return slices.DeleteFunc(order, func(s string) bool { return !seen[s] })
}

// Flows of the document that keep takes, in the document's order.
func (ix *Index) Flows(keep func(f *contract.Flow) bool) []*contract.Flow {
	var out []*contract.Flow
	for i := range ix.in.Doc.Flows {
		if f := &ix.in.Doc.Flows[i]; keep(f) {
			out = append(out, f)
		}
	}
	return out
}

// Doc is the document that the history is held against.
func (ix *Index) Doc() *contract.Document { return ix.in.Doc }

// RoleOf is the role behind a proxy's door or an instance's name, such as "summarizer/2".
func RoleOf(instance string) string {
	role, _, _ := strings.Cut(instance, "/")
	return role
}

// ByPartition orders partitions by topic and number.
func ByPartition(a, b Partition) int {
	return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
}
