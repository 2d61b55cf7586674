package contract

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Lint holds a document against itself: the rules of the stage lint, errors and warnings, in the order of files and lines. now is
// for waivers: one is in force through the day that it names, in UTC.
func Lint(d *Document, now time.Time) Faults {
	l := &linter{doc: d}
	for _, check := range []func(){
		l.decisions, l.decidedNumbers, l.proposals, l.windows, l.groups, l.examples, l.pointers, l.rate, l.volume, l.eventBytes, l.used,
		func() { l.waivers(now) },
	} {
		check()
	}
	return l.faults.sorted()
}

// LintCapacity is the part of Lint that holds the claims of the capacity against what they follow from. It is for those who judge run
// after run: Lint as a whole tries each proposal's change.
func LintCapacity(d *Document) Faults {
	l := &linter{doc: d}
	l.rate()
	l.volume()
	return l.faults.sorted()
}

type linter struct {
	reader
	doc *Document
}

// windows: what is replayed is still there, and is recognised.
func (l *linter) windows() {
	replay := l.doc.Replay
	if replay == nil {
		return
	}
	if t := l.doc.Topic(replay.Topic); t != nil {
		if kept, limited := t.retention(); limited && kept < replay.Window {
			l.fault(l.doc.PosOf((Pointer("/topics").Join(t.Name) + "/config").Join("retention.ms")), "replay-retention",
				fmt.Sprintf("%s keeps events for %s, and replay promises %s", t.Name, FormatDuration(kept), FormatDuration(replay.Window)),
				fmt.Sprintf("set retention.ms to at least %d, or replay.window to at most %s", replay.Window.Milliseconds(), FormatDuration(kept)))
		}
	}
	for _, f := range l.doc.Flows {
		if f.Dedupe != nil && f.Reads == replay.Topic && f.Dedupe.Window < replay.Window {
			l.fault(l.doc.PosOf(f.Pointer()+"/dedupe/window"), "dedupe-replay",
				fmt.Sprintf("flow %s recognises events for %s, and replay promises %s", f.Name, FormatDuration(f.Dedupe.Window), FormatDuration(replay.Window)),
				"set dedupe.window to at least "+FormatDuration(replay.Window))
		}
	}
}

func (l *linter) groups() {
	for _, g := range l.doc.Groups {
		at, partitions := Pointer("/groups").Join(g.Name), 0
		for i, name := range g.Reads {
			if t := l.doc.Topic(name); t != nil {
				partitions += t.Partitions
			}
			if !slices.ContainsFunc(l.doc.Flows, func(f Flow) bool { return f.Group == g.Name && f.Reads == name }) {
				l.fault(l.doc.PosOf((at + "/reads").JoinIndex(i)), "group-reads", fmt.Sprintf("group %s reads %s, and none of its flows does", g.Name, name), "let a flow read it, or take it out")
			}
		}
		if g.Members > partitions {
			l.fault(l.doc.PosOf(at+"/members"), "group-members", fmt.Sprintf("group %s has %d members for %d partitions", g.Name, g.Members, partitions), fmt.Sprintf("write at most %d", partitions))
		}
	}
}

// examples: they are valid, and so are the keys that their topics take from them.
func (l *linter) examples() {
	for _, p := range l.doc.Payloads {
		at := Pointer("/payloads").Join(p.Name) + "/examples"
		for i, example := range p.Examples {
			for _, problem := range p.Validate(example) {
				l.fault(l.doc.PosOf(at.JoinIndex(i)+problem.Field), "example", fmt.Sprintf("example %d of %s: %s: %s", i+1, p.Name, field(problem.Field), problem.Why), "correct the example or the schema")
			}
		}
	}
	for _, t := range l.doc.Topics {
		p := l.doc.PayloadOf(t.Name)
		if p == nil {
			continue
		}
		if len(p.Examples) == 0 {
			l.fault(p.Pos, "example-missing", fmt.Sprintf("payload %s of %s has no example", p.Name, t.Name), "add one whole record under examples")
		}
		for i, example := range p.Examples {
			if key, ok := t.KeyOf(example); ok && !t.Key.Matches(key) {
				l.fault(l.doc.PosOf((Pointer("/payloads").Join(p.Name)+"/examples").JoinIndex(i)+t.Key.From), "example-key",
					fmt.Sprintf("example %d of %s: its key %s does not match the pattern of %s", i+1, p.Name, quoted(key), t.Name), "correct the example or the pattern "+t.Key.Pattern)
			}
		}
	}
}

func field(p Pointer) string {
	if p == "" {
		return "the record"
	}
	return string(p)
}

// used: what is defined is used by something.
func (l *linter) used() {
	for _, p := range l.doc.Payloads {
		if !slices.ContainsFunc(l.doc.Topics, func(t Topic) bool { return t.Payload == p.Name }) {
			l.fault(p.Pos, "unused", fmt.Sprintf("no topic carries the payload %s", p.Name), "name it under a topic's payload, or remove it")
		}
	}
	for _, t := range l.doc.Topics {
		if !slices.ContainsFunc(l.doc.Flows, func(f Flow) bool { return f.Reads == t.Name || f.Writes == t.Name }) {
			l.fault(t.Pos, "unused", fmt.Sprintf("no flow reads or writes the topic %s", t.Name), "name it in a flow, or remove it")
		}
	}
}

func (l *linter) waivers(now time.Time) {
	var ids []ID
	for _, c := range Clauses(l.doc) {
		ids = append(ids, c.ID)
	}
	for _, w := range l.doc.Waivers {
		if !slices.Contains(ids, w.Clause) {
			l.fault(w.Pos, "waiver-unmatched", fmt.Sprintf("a waiver names %s, which is no clause of this document", quoted(string(w.Clause))), absent(w.Clause))
		}
		if !now.Before(w.Expires.AddDate(0, 0, 1)) {
			l.fault(w.Pos, "waiver-expired", fmt.Sprintf("the waiver of %s expired on %s", w.Clause, w.Expires.Format(time.DateOnly)), "renew it with a reason, or remove it")
		}
	}
}

var claim = regexp.MustCompile(`^([0-9]+(?:\.([0-9]+))?)\s*(\S+)$`)

// rateUnits and volumeUnits are the units of claims: lengths of time in nanoseconds, sizes in bytes (decimal, and binary with i).
var (
	rateUnits   = map[string]int64{"/s": int64(time.Second), "/min": int64(time.Minute), "/h": int64(time.Hour), "/d": int64(Day)}
	volumeUnits = map[string]int64{"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
)

// claimed reads a claim: its number as written, the digits after its point, and its unit.
func (l *linter) claimed(name string, units map[string]int64) (number string, decimals int, unit string, ok bool) {
	text, given := l.doc.Capacity.Claims[name]
	if !given {
		return "", 0, "", false
	}
	m := claim.FindStringSubmatch(text)
	if m == nil || units[m[3]] == 0 {
		var names []string
		for u := range units {
			names = append(names, u)
		}
		slices.Sort(names)
		l.fault(l.doc.PosOf(Pointer("/capacity/claims").Join(name)), "capacity-claim", fmt.Sprintf("the claim %s: %s can't be read", name, quoted(text)), "write a number and one of "+strings.Join(names, ", "))
		return "", 0, "", false
	}
	return m[1], len(m[2]), m[3], true
}

// agree compares a claim with the computed figure, rounded to the claim's own digits.
func (l *linter) agree(name, rule, number string, decimals int, unit string, exact *big.Rat) {
	if computed := exact.FloatString(decimals); computed != number {
		l.fault(l.doc.PosOf(Pointer("/capacity/claims").Join(name)), rule, fmt.Sprintf("the claim is %s %s, the document's figures make %s %s", number, unit, computed, unit), fmt.Sprintf("write %s, or correct the figures", computed))
	}
}

func (l *linter) rate() {
	c := l.doc.Capacity
	if c == nil {
		return
	}
	if number, decimals, unit, ok := l.claimed("rate", rateUnits); ok {
		exact := new(big.Rat).SetFrac64(int64(c.Sources), 1)
		l.agree("rate", "capacity-rate", number, decimals, unit, exact.Mul(exact, big.NewRat(rateUnits[unit], int64(c.Interval))))
	}
}

func (l *linter) volume() {
	c := l.doc.Capacity
	if c == nil {
		return
	}
	number, decimals, unit, ok := l.claimed("volume", volumeUnits)
	if !ok {
		return
	}
	topic := l.eventTopic()
	var kept time.Duration
	if topic != nil {
		kept, ok = topic.retention()
	}
	if topic == nil || !ok {
		l.fault(l.doc.PosOf("/capacity/claims/volume"), "capacity-claim", "the claimed volume can't be computed: no topic of the sources has a retention.ms with a limit", "give the topic a retention.ms, or leave the claim out")
		return
	}
	exact := new(big.Rat).SetFrac64(int64(c.Sources)*int64(c.EventBytes), volumeUnits[unit])
	l.agree("volume", "capacity-volume", number, decimals, unit, exact.Mul(exact, big.NewRat(int64(kept), int64(c.Interval))))
}

// eventTopic is the topic whose events the capacity speaks of: the one that replay names, else the first that a recorder writes.
func (l *linter) eventTopic() *Topic {
	if l.doc.Replay != nil {
		return l.doc.Topic(l.doc.Replay.Topic)
	}
	for _, f := range l.doc.Flows {
		if f.Kind == Recorder {
			return l.doc.Topic(f.Writes)
		}
	}
	return nil
}

func (l *linter) eventBytes() {
	topic := l.eventTopic()
	if l.doc.Capacity == nil || topic == nil || l.doc.PayloadOf(topic.Name) == nil {
		return
	}
	payload, claimed, most := l.doc.PayloadOf(topic.Name), l.doc.Capacity.EventBytes, 0
	for _, example := range payload.Examples {
		most = max(most, len(example))
	}
	at := l.doc.PosOf("/capacity/event-bytes")
	switch {
	case most > claimed:
		l.fault(at, "event-bytes", fmt.Sprintf("an event has %d bytes, and an example of %s takes %d", claimed, payload.Name, most), fmt.Sprintf("write at least %d", most))
	case most > 0 && claimed > 2*most:
		l.fault(at, "event-bytes-loose", fmt.Sprintf("an event has %d bytes, and the largest example of %s takes %d", claimed, payload.Name, most), "lower it, unless events are larger than the examples")
	}
}
