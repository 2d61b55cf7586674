package check

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"tahanuji/system/check/jsonscan"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// InvalidTag begins the tags of sends that break their schema on purpose; the Err of their Invoke names the wrong fields.
const InvalidTag = "invalid"

// NotReached is the Tag of an unknown outcome whose request never got to the role.
const NotReached = "not-reached"

// Sent is one event of the workload with all its sends. A broken variant that shares its label is a Sent of its own.
type Sent struct {
	Label   string
	ID      string // as the source set it, "" where the role sets it
	Key     string // what the topic's key is made of
	Tag     string // of the first send
	Invalid bool
	Wrong   []contract.Pointer // fields that a refusal must name; invalid events only
	Tries   []Try
	// Topic that the event is meant for, nil if no flow of the role writes one.
	Topic *Topic
	// Records of it in the topic, by partition and offset.
	Records []*Record
	// Recorded is the first answer that said so, nil if none did.
	Recorded *history.Event
	// Twins are the events of the same body where the role sets the ids, this one among them; nil where there is no other. Which
	// record is which of them can't be told.
	Twins []*Sent
}

// Accepted counts the sends that the role may have taken: those that reached it and were not refused.
func (s *Sent) Accepted() int {
	n := 0
	for _, try := range s.Tries {
		if try.Outcome() != history.Fail && try.Reached() {
			n++
		}
	}
	return n
}

// IDs are the different ids of its records.
func (s *Sent) IDs() []string {
	var ids []string
	for _, r := range s.Records {
		if !slices.Contains(ids, r.ID) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// Try is one send. Answer is nil where none was seen: its outcome is unknown.
type Try struct {
	Invoke, Answer *history.Event
}

// Outcome of a try.
func (t Try) Outcome() history.Phase {
	if t.Answer == nil {
		return history.Unknown
	}
	return t.Answer.Phase
}

// Reached is false where the request certainly never got to the role.
func (t Try) Reached() bool { return t.Answer == nil || t.Answer.Tag != NotReached }

// Name is the event in a sentence.
func (s *Sent) Name() string {
	name := s.Label
	if s.ID != "" {
		name += " (id " + s.ID
	} else {
		name += " (no id of the source"
	}
	if s.Key != "" {
		name += ", key " + s.Key
	}
	return name + ")"
}

// Trace is the event's first send, its recording answer or else its last one, and its first record.
func (s *Sent) Trace() []history.Seq {
	trace := []history.Seq{s.Tries[0].Invoke.Seq}
	last := s.Tries[len(s.Tries)-1].Answer
	if s.Recorded != nil {
		last = s.Recorded
	}
	if last != nil {
		trace = append(trace, last.Of, last.Seq)
	}
	if len(s.Records) > 0 {
		trace = append(trace, s.Records[0].Event.Seq)
	}
	return trace
}

// readSends groups the sends by label and reads their records in parallel.
func (ix *Index) readSends() {
	events := ix.in.History.Events
	places := map[string]*Topic{}
	for i := range ix.in.Doc.Flows {
		f := &ix.in.Doc.Flows[i]
		if t := ix.topics[f.Writes]; t != nil && f.Kind == contract.Recorder && places[f.Role] == nil {
			places[f.Role] = t
		}
	}
	type labelled struct {
		label   string
		invalid bool
	}
	byLabel := make(map[labelled]*Sent, len(ix.sends)/2)
	byInvoke := make(map[history.Seq]int32, len(ix.sends)/2)
	tries := make([]*Sent, 0, len(ix.sends)/2)
	for _, at := range ix.sends {
		e := &events[at]
		if e.Proc == HarnessProc {
			ix.readPoison(e)
			continue
		}
		if e.Phase != history.Invoke {
			ix.answer(e, byInvoke, tries)
			continue
		}
		key := labelled{e.Key, strings.HasPrefix(e.Tag, InvalidTag)}
		s := byLabel[key]
		if s == nil {
			s = &Sent{Label: e.Key, Tag: e.Tag, Invalid: key.invalid, Topic: places[RoleOf(e.Proc)]}
			if s.Invalid {
				s.Wrong = pointers(e.Err)
			}
			byLabel[key] = s
			ix.Sent = append(ix.Sent, s)
		}
		byInvoke[e.Seq] = int32(len(tries))
		tries = append(tries, s)
		s.Tries = append(s.Tries, Try{Invoke: e})
	}
	ix.readSent()
}

// answer gives an answer to its send. One without a send is dropped: nothing was asked.
func (ix *Index) answer(e *history.Event, byInvoke map[history.Seq]int32, tries []*Sent) {
	at, ok := byInvoke[e.Of]
	if !ok {
		return
	}
	s := tries[at]
	for i := range s.Tries {
		if s.Tries[i].Invoke.Seq == e.Of && s.Tries[i].Answer == nil {
			s.Tries[i].Answer = e
		}
	}
	if e.Phase == history.OK && s.Recorded == nil {
		s.Recorded = e
	}
}

func (ix *Index) readPoison(e *history.Event) {
	if e.Tag == PoisonTag && e.Phase == history.Invoke {
		ix.Poison = append(ix.Poison, Poison{Event: e, Where: e.Where})
		return
	}
	for i := range ix.Poison {
		if ix.Poison[i].Event.Seq == e.Of && e.Where != nil {
			ix.Poison[i].Where = e.Where
		}
	}
}

func pointers(text string) []contract.Pointer {
	var out []contract.Pointer
	if json.Unmarshal([]byte(text), &out) != nil {
		return nil
	}
	return out
}

func (ix *Index) readSent() {
	spread(len(ix.Sent), func(from, to int) {
		plans := map[*Topic]*jsonscan.Plan{}
		out := make([]jsonscan.Value, 2)
		for _, s := range ix.Sent[from:to] {
			if s.Topic == nil {
				continue
			}
			plan := plans[s.Topic]
			if plan == nil {
				plan = jsonscan.Compile(string(ix.in.Doc.Envelope.ID), string(s.Topic.Doc.Key.From))
				plans[s.Topic] = plan
			}
			if plan.Scan(s.Tries[0].Invoke.Value, out) != nil {
				continue
			}
			if scalar(out[0]) {
				s.ID = out[0].Text()
			}
			if scalar(out[1]) {
				s.Key = out[1].Text()
			}
		}
	})
}

// HealedAt is when the run had healed every fault: its phase settle follows that, else its phase heal, else the end of the last
// fault. False where none was seen.
func (ix *Index) HealedAt() (time.Duration, bool) {
	for _, phase := range []string{"settle", "heal"} {
		if at, ok := ix.PhaseAt(phase); ok {
			return at, true
		}
	}
	var at time.Duration
	for _, s := range ix.faults {
		if s.to != 1<<63-1 {
			at = max(at, s.to)
		}
	}
	return at, at > 0
}
