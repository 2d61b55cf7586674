package checkers

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// mutant breaks a run of the model in the way that a clause forbids; false if this run gives no occasion.
type mutant func(m *mutation) bool

type mutation struct {
	*world
}

// pick draws one of the events that fit, nil if none does.
func (m *mutation) pick(fits func(e *history.Event) bool) *history.Event {
	var all []*history.Event
	for i := range m.h.Events {
		if e := &m.h.Events[i]; fits(e) {
			all = append(all, e)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[m.draw(len(all))]
}

func (m *mutation) pickExchange(fits func(x *history.Exchange) bool) *history.Exchange {
	var all []*history.Exchange
	for i := range m.h.Ledger {
		if x := &m.h.Ledger[i]; fits(x) {
			all = append(all, x)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[m.draw(len(all))]
}

func is(op, tag string) func(e *history.Event) bool {
	return func(e *history.Event) bool { return e.Op == op && e.Tag == tag && e.Phase == history.OK }
}

func (m *mutation) record(topic string) func(e *history.Event) bool {
	return func(e *history.Event) bool {
		return e.Op == history.OpRecord && e.Tag == history.ScanRest && e.Where.Topic == topic && e.Key != ""
	}
}

// drop forgets events.
func (m *mutation) drop(which func(e *history.Event) bool) bool {
	before := len(m.h.Events)
	m.h.Events = slices.DeleteFunc(m.h.Events, func(e history.Event) bool { return which(&e) })
	return len(m.h.Events) < before
}

func (m *mutation) id(value string) string {
	id, _ := m.doc.Envelope.ID.Text([]byte(value))
	return id
}

// set writes a value into an event's record.
func set(e *history.Event, at contract.Pointer, value any) {
	var record map[string]any
	if err := json.Unmarshal([]byte(e.Value), &record); err != nil {
		panic(err)
	}
	into, tokens := record, at.Tokens()
	for _, t := range tokens[:len(tokens)-1] {
		into = into[t].(map[string]any)
	}
	into[tokens[len(tokens)-1]] = value
	text, err := json.Marshal(record)
	if err != nil {
		panic(err)
	}
	e.Value = string(text)
}

// last are the summaries that count at rest, by label.
func (m *mutation) last() []*history.Event {
	byKey := map[string]*history.Event{}
	var order []string
	for i := range m.h.Events {
		e := &m.h.Events[i]
		if !m.record(m.out.Name)(e) {
			continue
		}
		key := m.overwriteKey(e.Value)
		if byKey[key] == nil {
			order = append(order, key)
		}
		byKey[key] = e
	}
	var out []*history.Event
	for _, key := range order {
		out = append(out, byKey[key])
	}
	return out
}

func (m *mutation) overwriteKey(value string) string {
	key := ""
	for _, p := range m.write.OverwriteKey {
		text, _ := p.Text([]byte(value))
		key += text + "|"
	}
	return key
}

func (m *mutation) anyLast() *history.Event {
	all := m.last()
	if len(all) == 0 {
		return nil
	}
	return all[m.draw(len(all))]
}

func (m *mutation) aggregate(op ...string) contract.Pointer {
	for _, a := range m.fold.Fold.Into {
		if slices.Contains(op, a.Op) {
			return a.Into
		}
	}
	return ""
}

func (m *mutation) describe(topic *contract.Topic, change func(live map[string]any)) bool {
	for i := range m.h.Events {
		if e := &m.h.Events[i]; e.Op == history.OpTopic && e.Key == topic.Name {
			var live map[string]any
			if err := json.Unmarshal([]byte(e.Value), &live); err != nil {
				panic(err)
			}
			change(live)
			text, _ := json.Marshal(live)
			e.Value = string(text)
			return true
		}
	}
	return false
}

// also adds an event at the end of the run.
func (m *mutation) also(e history.Event) bool { m.add(e); return true }

// few runs of each property: there are as many properties as clauses, times three documents. -rapid.checks still asks for more.
const few = 8

func TestABrokenPromiseIsNoticed(t *testing.T) {
	limited(t, few)
	for _, s := range subjects {
		doc := load(t, s.file)
		for _, c := range contract.Clauses(doc) {
			mutate := mutants[c.ID]
			if mutate == nil {
				t.Errorf("no mutant for %s", c.ID)
				continue
			}
			t.Run(s.name+"/"+string(c.ID), func(t *testing.T) {
				noticed := 0
				rapid.Check(t, func(t *rapid.T) {
					w := newWorld(s, doc, drawn(t))
					w.play(rapid.IntRange(2, 15).Draw(t, "events"))
					if !mutate(&mutation{w}) {
						return
					}
					noticed++
					v := check.Judge(context.Background(), []contract.Clause{{ID: c.ID}}, w.input(), All())[0]
					if v.Outcome != check.Broken || v.Found == 0 || v.Why == "" {
						t.Fatalf("%s is %s: %s", c.ID, v.Outcome, v.Why)
					}
				})
				if noticed == 0 {
					t.Errorf("no run gave an occasion to break %s", c.ID)
				}
			})
		}
	}
}

func (m *mutation) rest() time.Duration {
	for _, e := range m.h.Events {
		if e.Op == history.OpPhase && e.Key == "rest" {
			return e.At
		}
	}
	return 0
}
