package workload

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"tahanuji/system/history"
	"tahanuji/system/seed"
	"tahanuji/system/target"
	"tahanuji/system/workload/draw"
)

// plan is the list of sends while steps are applied to it.
type plan struct {
	load   *Load
	sends  []Send
	next   int // index of the next new event
	bursts int
}

// Apply lets the input steps of a plan act on a load's sends and returns the sends as they then are, and what each input step
// did. Steps with other verbs are passed over. The load itself is not changed. A step that names no event of the load is an
// error; one whose event gives it nothing to do has Acted.Count 0.
func Apply(l *Load, steps []target.Step) ([]Send, []target.Acted, error) {
	p := newPlan(l)
	var acted []target.Acted
	for _, step := range steps {
		if p.verb(step.Do.Do) == nil {
			continue
		}
		done, err := p.do(step)
		if err != nil {
			return nil, nil, err
		}
		acted = append(acted, done)
	}
	return p.sends, acted, nil
}

func newPlan(l *Load) *plan {
	p := &plan{load: l, sends: slices.Clone(l.Sends)}
	for i := range l.Events {
		p.next = max(p.next, l.Events[i].Index+1)
	}
	return p
}

// do lets an input step act.
func (p *plan) do(step target.Step) (target.Acted, error) {
	e, ok := p.load.Find(step.At.After)
	if !ok || !e.Valid() {
		return target.Acted{}, fmt.Errorf("workload: step %s: %q is no valid event of the load", step.Name, step.At.After)
	}
	done := target.Acted{Step: step.Name, Fault: step.Fault, Matched: 1}
	if p.place(e) < 0 {
		return done, nil // a shrunk load no longer sends it
	}
	if what := p.verb(step.Do.Do)(step, e); what != "" {
		done.Count, done.What = 1, []string{what}
	}
	return done, nil
}

// Trial tries input steps on a load one after another, each on what those before it left, as Apply would.
type Trial struct{ plan *plan }

// Try begins a trial. The load is not changed by it.
func Try(l *Load) Trial { return Trial{newPlan(l)} }

// Acts says whether one more step has something to do. A step that has stays; one that has not, or is no input step at an event of the
// load, leaves nothing behind.
func (t Trial) Acts(step target.Step) bool {
	if !IsInput(step.Do.Do) {
		return false
	}
	after := *t.plan
	after.sends = slices.Clone(after.sends)
	done, err := after.do(step)
	if err != nil || done.Count == 0 {
		return false
	}
	*t.plan = after
	return true
}

// IsInput says whether a verb acts on the input, before anything is sent.
func IsInput(v target.Verb) bool { return (&plan{}).verb(v) != nil }

// verb is what an input verb does; it returns what was done in a sentence, "" if there was nothing to do.
func (p *plan) verb(v target.Verb) func(target.Step, Event) string {
	switch v {
	case target.SendTwice:
		return p.sendTwice
	case target.SendLater:
		return p.sendLater
	case target.Reorder:
		return p.reorder
	case target.Late:
		return p.late
	case target.Invalid:
		return p.invalid
	case target.Burst:
		return p.burst
	case target.NotApplied, target.Applied, target.AckLost, target.CutBefore, target.Copy, target.LateCopy, target.Hold,
		target.Kill, target.Stop, target.Pause, target.Join, target.Leave,
		target.NodeDown, target.LeaderMove, target.CoordinatorMove,
		target.StoreFail, target.StoreFull, target.StoreSlow, target.Poison:
	}
	return nil
}

// place is where an event is first sent.
func (p *plan) place(e Event) int {
	return slices.IndexFunc(p.sends, func(s Send) bool { return s.Event.Index == e.Index })
}

func (p *plan) again(step target.Step, e Event, at int, tag string) {
	p.sends = slices.Insert(p.sends, at, Send{Event: e, Kind: Duplicate, Tag: tag, Step: step.Name})
}

func (p *plan) sendTwice(step target.Step, e Event) string {
	p.again(step, e, p.place(e)+1, TagDuplicateNow)
	return fmt.Sprintf("%s is sent again at once", e.Label)
}

func (p *plan) sendLater(step target.Step, e Event) string {
	at := min(p.place(e)+1+max(1, step.Do.Count), len(p.sends))
	p.again(step, e, at, TagDuplicateLater)
	return fmt.Sprintf("%s is sent again behind %s", e.Label, p.sends[at-1].Event.Label)
}

// reorder changes places with the next first send of another key, so that the order of each key stays. Between the two no valid
// event of either key may stand, or the key's own order would change.
func (p *plan) reorder(step target.Step, e Event) string {
	i := p.place(e)
	for k := i + 1; k < len(p.sends); k++ {
		other := p.sends[k]
		if other.Kind == Broken {
			continue
		}
		if other.Event.Key == e.Key {
			return ""
		}
		between := func(s Send) bool { return s.Kind != Broken && s.Event.Key == other.Event.Key }
		if other.Kind != First || slices.ContainsFunc(p.sends[i:k], between) {
			continue
		}
		p.sends[i], p.sends[k] = p.sends[k], p.sends[i]
		for _, n := range []int{i, k} {
			p.sends[n].Tag, p.sends[n].Step = TagReordered, step.Name
		}
		return fmt.Sprintf("%s and %s of another key change places", e.Label, other.Event.Label)
	}
	return ""
}

// late moves all sends of an event behind the first event of its group that closes its window.
func (p *plan) late(step target.Step, e Event) string {
	due := p.load.shape.due(p.load.shape.window().End(e.Window))
	group := strings.Join(e.Group, ",")
	closer := slices.IndexFunc(p.sends, func(s Send) bool {
		return s.Kind != Broken && strings.Join(s.Event.Group, ",") == group && !s.Event.At.Before(due) && s.Event.Index != e.Index
	})
	if closer < 0 || p.place(e) > closer {
		return "" // nothing of the group closes the window, or the event comes behind it already
	}
	label := p.sends[closer].Event.Label
	var moved, rest []Send
	for i, s := range p.sends {
		if s.Event.Index == e.Index && i < closer {
			s.Tag, s.Step = TagLate, step.Name
			moved = append(moved, s)
		} else {
			rest = append(rest, s)
		}
	}
	at := slices.IndexFunc(rest, func(s Send) bool { return s.Event.Label == label }) + 1
	p.sends = slices.Insert(rest, at, moved...)
	return fmt.Sprintf("%s of the window from %s is sent behind %s, which closed it", e.Label, e.Window.UTC().Format(time.RFC3339), label)
}

// invalid sends a broken variant of the event, with an id of its own, right behind it. Which variant is hash(seed, step).
func (p *plan) invalid(step target.Step, e Event) string {
	m := newMaker(p.load.shape, Options{Seed: p.load.seed, Base: p.load.Base, Body: p.load.body})
	record, err := draw.Parse(e.Record)
	if err != nil {
		return ""
	}
	m.used[m.doc.Envelope.ID] = p.load.ids() // the new id is none of the load's
	if err := m.stampOwn(record, "step/"+step.Name); err != nil {
		return ""
	}
	all := m.breaks(record)
	if len(all) == 0 {
		return ""
	}
	v, ok := m.like(record, all[seed.Pick(p.load.seed, len(all), "invalid", step.Name)])
	if !ok {
		return ""
	}
	broken := p.load.shape.brokenEvent(v, e)
	broken.Index, broken.Label = p.next, Label(p.next)
	p.next++
	p.sends = slices.Insert(p.sends, p.place(e)+1, Send{Event: broken, Kind: Broken, Tag: TagInvalid, Step: step.Name})
	return fmt.Sprintf("%s, a variant of %s with %s, is sent behind it", broken.Label, e.Label, v.how)
}

// burst marks the event and those behind it, Count in all, to be sent as fast as the recorder takes them.
func (p *plan) burst(step target.Step, e Event) string {
	p.bursts++
	i, n := p.place(e), 0
	for ; i < len(p.sends) && n < max(2, step.Do.Count); i++ {
		if p.sends[i].Burst == 0 {
			p.sends[i].Burst, p.sends[i].Step = p.bursts, step.Name
		}
		n++
	}
	if n < 2 {
		return ""
	}
	return fmt.Sprintf("%d sends from %s on go out at once", n, e.Label)
}

// History is the event that the beginning of a send is: what a role is handed of it, and for an invalid one the fields that its
// refusal has to name.
func (s Send) History(role string, handed []byte) history.Event {
	e := history.Event{
		Proc: role, Op: history.OpSend, Phase: history.Invoke, Key: s.Event.Label, Value: string(handed), Tag: s.Tag,
	}
	if len(s.Event.Wrong) > 0 {
		fields, _ := json.Marshal(s.Event.Wrong) // strings always marshal
		e.Err = string(fields)
	}
	return e
}
