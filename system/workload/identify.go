package workload

import (
	"slices"
	"sort"
	"strings"

	"tahanuji/system/contract"
	"tahanuji/system/workload/draw"
)

// Labeller names a record of a topic: "event:N", "summary:KEY|WINDOW", or "" for one that it does not know. It keeps nothing of
// the value and is safe for concurrent use.
type Labeller func(topic string, value []byte) string

// Identify makes the labeller of a run from its loads. An event is known by its id, which costs one look into the record; where
// the role sets ids, by what is left of the record without the id, or by its data alone. Of events with equal data the first
// counts. A summary is known by its overwrite-key.
func Identify(doc *contract.Document, loads ...*Load) Labeller {
	topics := map[string]*known{}
	for _, l := range loads {
		k := topics[l.Topic]
		if k == nil {
			k = &known{envelope: doc.Envelope, ids: map[string]string{}, bodies: map[string]string{}}
			topics[l.Topic] = k
		}
		for _, e := range l.Events {
			k.learn(e)
		}
	}
	summaries := summaries(doc)
	return func(topic string, value []byte) string {
		if k := topics[topic]; k != nil {
			if label := k.label(value); label != "" {
				return label
			}
		}
		for _, s := range summaries {
			if s.topic == topic {
				if label := s.label(value); label != "" {
					return label
				}
			}
		}
		return ""
	}
}

// known are the events of one topic.
type known struct {
	envelope contract.Envelope
	ids      map[string]string
	bodies   map[string]string
}

func (k *known) learn(e Event) {
	if e.ID != "" {
		if _, ok := k.ids[e.ID]; !ok {
			k.ids[e.ID] = e.Label
		}
	}
	for _, body := range k.bodiesOf(e.Record) {
		if _, ok := k.bodies[body]; !ok {
			k.bodies[body] = e.Label
		}
	}
}

func (k *known) label(value []byte) string {
	if k.envelope.ID != "" {
		if id, ok := k.envelope.ID.Text(value); ok {
			if label, ok := k.ids[id]; ok {
				return label
			}
		}
	}
	for _, body := range k.bodiesOf(value) {
		if label, ok := k.bodies[body]; ok {
			return label
		}
	}
	return ""
}

// bodiesOf are the parts of a record that may tell it where the id does not: without the id, and the data alone.
func (k *known) bodiesOf(value []byte) []string {
	record, err := draw.Parse(value)
	if err != nil {
		return nil
	}
	var out []string
	if k.envelope.Data != "" {
		if data := record.At(k.envelope.Data); data != nil {
			out = append(out, canonical(data))
		}
	}
	record.Remove(k.envelope.ID)
	return append([]string{"record " + canonical(record)}, out...)
}

// canonical writes a value so that equal values are equal texts: names sorted, numbers as plain decimals.
func canonical(n *draw.Node) string {
	var b strings.Builder
	writeCanonical(&b, n)
	return b.String()
}

func writeCanonical(b *strings.Builder, n *draw.Node) {
	switch n.Shape {
	case draw.Object:
		members := slices.Clone(n.Members)
		sort.SliceStable(members, func(i, j int) bool { return members[i].Name < members[j].Name })
		b.WriteByte('{')
		for _, m := range members {
			b.Write(draw.Text(m.Name).Bytes())
			b.WriteByte(':')
			writeCanonical(b, m.Value)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case draw.Array:
		b.WriteByte('[')
		for _, it := range n.Items {
			writeCanonical(b, it)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case draw.Raw:
		b.WriteString(draw.Plain(n.Text))
	}
}
