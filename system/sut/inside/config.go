// Package inside holds what the reference needs in order to run as a system under test within this process: its configuration out
// of any document, a clock that can be moved, stores that can be hurt, and a gate that freezes a role. It starts no role and knows
// no broker.
package inside

import (
	"fmt"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor"
	"tahanuji/reference/sensor/fold"
	"tahanuji/reference/sensor/payload"
	"tahanuji/system/contract"
)

// Config says to the reference what the document says of a role: the fold that the role makes, feeds or shows, or the events that
// it records or shows where nothing is folded. Prefix stands before the names of topics and groups. An error says why the reference
// can't play the role.
func Config(doc *contract.Document, role, prefix string) (sensor.Config, error) {
	folds := foldsOf(doc, role)
	err := oneTopic(doc, role)
	switch {
	case err != nil:
	case len(folds) > 1 && hasKind(doc, role, contract.Summarizer):
		err = fmt.Errorf("it makes %d folds, and the reference makes one a role; %s", len(folds), instead)
	case len(folds) == 0 && hasKind(doc, role, contract.Summarizer):
		err = fmt.Errorf("it is a summarizer without a fold; give one of its flows a fold, or %s", own)
	case len(folds) == 0:
		return plain(doc, role, prefix), nil
	}
	if err != nil {
		return sensor.Config{}, fmt.Errorf("the reference can't play the role %s: %w", role, err)
	}
	folding := folds[0]
	out := doc.Out(folding)
	c := sensor.Config{
		Events:             topic(doc, folding.Reads, prefix),
		Summaries:          topic(doc, out.Writes, prefix),
		Envelope:           envelope(doc, folding.Reads),
		SummaryType:        summaryType(doc, out.Writes),
		SummarizerGroup:    prefix + folding.Group,
		RecorderProducer:   producer(doc.Writer(folding.Reads)),
		SummarizerProducer: producer(out),
		Fold:               foldConfig(folding.Fold),
		OverwriteKey:       pointers(out.OverwriteKey),
	}
	if showing := reader(doc, out.Writes); showing != nil {
		c.DisplayGroup = prefix + showing.Group
	}
	if folding.Dedupe != nil {
		c.Dedupe = sensor.Dedupe{By: payload.Pointer(folding.Dedupe.By), Window: folding.Dedupe.Window}
	}
	return c, nil
}

// foldsOf are the folds that a role makes, feeds or shows.
func foldsOf(doc *contract.Document, role string) []*contract.Flow {
	var found []*contract.Flow
	for _, f := range doc.Folds() {
		out := doc.Out(f)
		if out == nil {
			continue
		}
		for _, flow := range doc.FlowsOf(role) {
			if flow.Name == f.Name || flow.Name == out.Name || flow.Kind == contract.Recorder && flow.Writes == f.Reads ||
				flow.Kind == contract.Display && flow.Reads == out.Writes {
				found = append(found, f)
				break
			}
		}
	}
	return found
}

func hasKind(doc *contract.Document, role string, kind contract.Kind) bool {
	for _, f := range doc.FlowsOf(role) {
		if f.Kind == kind {
			return true
		}
	}
	return false
}

// reader is the display flow that reads a topic, nil if none does.
func reader(doc *contract.Document, topic string) *contract.Flow {
	for i := range doc.Flows {
		if f := &doc.Flows[i]; f.Kind == contract.Display && f.Reads == topic {
			return f
		}
	}
	return nil
}

func topic(doc *contract.Document, name, prefix string) sensor.Topic {
	t := sensor.Topic{Name: prefix + name}
	if at := doc.Topic(name); at != nil {
		t.Key = payload.Pointer(at.Key.From)
	}
	if p := doc.PayloadOf(name); p != nil {
		t.Payload = payload.Config{Schema: p.Schema, UniqueNames: p.Rules.UniqueNames}
		if p.Rules.Time != nil {
			t.Payload.Time = &payload.TimeRule{At: payload.Pointer(p.Rules.Time.At), Zone: p.Rules.Time.Zone}
		}
	}
	return t
}

func envelope(doc *contract.Document, events string) sensor.Envelope {
	e := doc.Envelope
	out := sensor.Envelope{ID: payload.Pointer(e.ID), Type: payload.Pointer(e.Type), Time: payload.Pointer(e.Time), Data: payload.Pointer(e.Data)}
	p := doc.PayloadOf(events)
	if p == nil || e.Time == "" {
		return out
	}
	if kind, ok := schemaAt(e.Time).Join("type").Get(p.Schema); ok && (kind.String() == "integer" || kind.String() == "number") {
		out.TimeAs = fold.Number
	}
	return out
}

// schemaAt is where a plain schema describes the value at a pointer.
func schemaAt(p contract.Pointer) contract.Pointer {
	var at contract.Pointer
	for _, name := range p.Tokens() {
		at = at.Join("properties").Join(name)
	}
	return at
}

// summaryType is the event type that the document's own example or schema of the summary names.
func summaryType(doc *contract.Document, summaries string) string {
	const otherwise = "summary"
	p := doc.PayloadOf(summaries)
	if p == nil || doc.Envelope.Type == "" {
		return otherwise
	}
	for _, example := range p.Examples {
		if v, ok := doc.Envelope.Type.Get(example); ok && v.String() != "" {
			return v.String()
		}
	}
	at := schemaAt(doc.Envelope.Type)
	for _, place := range []contract.Pointer{at.Join("const"), at.Join("enum").JoinIndex(0)} {
		if v, ok := place.Get(p.Schema); ok && v.String() != "" {
			return v.String()
		}
	}
	return otherwise
}

// producer gives what the flow demands; what it does not demand is as safe as can be.
func producer(flow *contract.Flow) port.ProducerConfig {
	c := port.ProducerConfig{Acks: -1, Idempotent: true}
	if flow == nil || flow.Producer == nil {
		return c
	}
	switch flow.Producer.Acks {
	case "1":
		c.Acks, c.Idempotent = 1, false
	case "0":
		c.Acks, c.Idempotent = 0, false
	}
	return c
}

func foldConfig(f *contract.Fold) fold.Config {
	c := fold.Config{By: pointers(f.By), OnChange: f.Emit == "on-change", Silence: f.Close,
		Window: fold.Window{Of: payload.Pointer(f.Window.Of), Size: f.Window.Size, Zone: f.Window.Zone,
			Into: payload.Pointer(f.Window.Into), As: fold.Form(f.Window.As), Grace: f.Window.Grace}}
	for _, a := range f.Into {
		into := fold.Aggregate{Into: payload.Pointer(a.Into), Op: fold.Op(a.Op), Of: payload.Pointer(a.Of)}
		if into.Op == fold.Mean {
			into.Decimals = a.Decimals
		}
		c.Into = append(c.Into, into)
	}
	return c
}

func pointers(ps []contract.Pointer) []payload.Pointer {
	var out []payload.Pointer
	for _, p := range ps {
		out = append(out, payload.Pointer(p))
	}
	return out
}
