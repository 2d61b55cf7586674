package workload

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"
	"time"

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

// Summary is a summary that has to come of an event.
type Summary struct {
	Label  string
	Topic  string
	Role   string    // that writes it
	Window time.Time // its start
}

// summaryOf is one kind of summary: where it is written and what names it.
type summaryOf struct {
	topic  string
	role   string
	reads  string
	fold   contract.Fold
	fields []contract.Pointer // of the summary: the overwrite-key without the window, in the document's order
	by     []contract.Pointer // of the event: what each of the fields holds
}

// summaries joins each flow that folds with the flow of its role that writes the summaries.
func summaries(doc *contract.Document) []summaryOf {
	var out []summaryOf
	for _, f := range doc.Folds() {
		w := doc.Out(f)
		if w == nil {
			continue
		}
		s := summaryOf{topic: w.Writes, role: f.Role, reads: f.Reads, fold: *f.Fold, fields: w.KeyFields(f.Fold.Window)}
		s.by = paired(s.fields, f.Fold.By)
		out = append(out, s)
	}
	return out
}

// paired finds for each key field of a summary the event's field that it holds: the one at the same place in the record, and for
// those that are left the by-fields that are left, in order.
func paired(fields, by []contract.Pointer) []contract.Pointer {
	left := slices.Clone(by)
	out := make([]contract.Pointer, len(fields))
	for i, p := range fields {
		if at := slices.Index(left, p); at >= 0 {
			out[i], left = p, slices.Delete(left, at, at+1)
		}
	}
	for i := range out {
		if out[i] == "" && len(left) > 0 {
			out[i], left = left[0], left[1:]
		}
	}
	return out
}

func (s summaryOf) label(value []byte) string {
	at, ok := s.fold.Window.Into.Get(value)
	if !ok || !json.Valid([]byte(at.Raw)) {
		return ""
	}
	start, err := s.fold.Window.Parse([]byte(at.Raw))
	if err != nil {
		return ""
	}
	key := make([]string, len(s.fields))
	for i, p := range s.fields {
		if key[i], ok = p.Text(value); !ok {
			return ""
		}
	}
	return SummaryLabel(key, s.fold.Window.Label(start))
}

// SummaryLabel names a summary by its key's fields, in the order of overwrite-key, and its window's label.
func SummaryLabel(key []string, window string) string {
	return "summary:" + strings.Join(key, ",") + "|" + window
}

// SummariesOf are the labels of the summaries that a valid event counts in, each with the topic that it is written to.
func (l *Load) SummariesOf(e Event) []Summary {
	var out []Summary
	for _, s := range summaries(l.shape.doc) {
		if s.reads != l.Topic {
			continue
		}
		at, ok := s.fold.Window.Of.Text(e.Record)
		if !ok {
			continue
		}
		t, err := contract.ParseTime(at)
		if err != nil {
			continue
		}
		key := make([]string, len(s.fields))
		for i, p := range s.by {
			key[i], _ = p.Text(e.Record)
		}
		start := s.fold.Window.Start(t)
		out = append(out, Summary{Label: SummaryLabel(key, s.fold.Window.Label(start)), Topic: s.topic, Role: s.role, Window: start})
	}
	return out
}
