package workload

import (
	"fmt"
	"slices"

	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/workload/draw"
)

// Poison makes a record that breaks the schema of a topic, for the harness to write there itself. name is the step that wants
// it: which rule breaks is hash(seed, name). For the load's own topic it resembles the event with the label (its key is the
// event's); for any other it is the topic's first example, cut short. how says in a few words what is wrong.
func (l *Load) Poison(topic, label, name string) (key, value []byte, how string, err error) {
	if topic == l.Topic {
		if e, ok := l.Find(label); ok && e.Valid() {
			return l.poisonEvent(e, name)
		}
		if valid := l.Valid(); len(valid) > 0 {
			return l.poisonEvent(valid[0], name)
		}
	}
	t, p := l.shape.doc.Topic(topic), l.shape.doc.PayloadOf(topic)
	if t == nil || p == nil {
		return nil, nil, "", fmt.Errorf("workload: poison: topic %q has no payload to break", topic)
	}
	text := []byte("{\"x\":1}")
	if len(p.Examples) > 0 {
		text = p.Examples[0]
	}
	if k, ok := t.Key.From.Text(text); ok && t.Key.From != "" {
		key = []byte(k)
	}
	return key, text[:len(text)/2], "cut short", nil
}

func (l *Load) poisonEvent(e Event, name string) (key, value []byte, how string, err error) {
	m := newMaker(l.shape, Options{Seed: l.seed, Base: l.Base})
	record, err := draw.Parse(e.Record)
	if err != nil {
		return nil, nil, "", err
	}
	m.used[m.doc.Envelope.ID] = l.ids()
	if err := m.stampOwn(record, "poison/"+name); err != nil {
		return nil, nil, "", err
	}
	all := slices.DeleteFunc(m.breaks(record), func(edits []edit) bool { return !m.unfoldable(edits) })
	if len(all) == 0 {
		return nil, nil, "", fmt.Errorf("workload: poison: payload %s refuses nothing that could be made", l.shape.payload.Name)
	}
	v, ok := m.like(record, all[seed.Pick(l.seed, len(all), "poison", name)])
	if !ok {
		return nil, nil, "", fmt.Errorf("workload: poison: %s can't be broken", e.Label)
	}
	if e.Key != "" {
		key = []byte(e.Key)
	}
	return key, v.record.Bytes(), v.how, nil
}

// unfoldable says whether nobody can take the record for an event: it is no JSON object, or has no time or group. A record that
// breaks a lesser rule would be counted by a reader who trusts the recorder's check, and rightly so.
func (m *maker) unfoldable(edits []edit) bool {
	if len(edits) != 1 {
		return false
	}
	e := edits[0]
	if e.field == "" {
		return true
	}
	lost := append([]contract.Pointer{m.window().Of}, m.by...)
	return (e.how == howMissing || e.how == howOther) && slices.ContainsFunc(lost, func(p contract.Pointer) bool { return p != "" && e.field.Under(p) })
}

// ids are the event ids of the load.
func (l *Load) ids() map[string]bool {
	out := map[string]bool{}
	for _, e := range l.Events {
		out[e.ID] = true
	}
	return out
}
