// Package roles puts the reference's roles on the model. It translates a document into what they read and answers for them; it
// runs nothing by itself.
package roles

import (
	"fmt"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor"
	"tahanuji/reference/sensor/fold"
	"tahanuji/reference/sensor/payload"
	"tahanuji/system/contract"
)

// config is what the document says to the reference. Checkers of payloads are compiled here, once for all roles and runs.
func config(doc *contract.Document) (sensor.Config, error) {
	c := sensor.Config{Timing: sensor.DefaultTiming(),
		Envelope: sensor.Envelope{ID: payload.Pointer(doc.Envelope.ID), Type: payload.Pointer(doc.Envelope.Type),
			Time: payload.Pointer(doc.Envelope.Time), Data: payload.Pointer(doc.Envelope.Data)}}
	var err error
	for _, f := range doc.Flows {
		switch f.Kind {
		case contract.Recorder:
			c.RecorderProducer = producer(f)
			c.Events, err = topic(doc, f.Writes)
		case contract.Summarizer:
			if f.Writes != "" {
				c.SummarizerProducer, c.OverwriteKey = producer(f), pointers(f.OverwriteKey)
				c.Summaries, err = topic(doc, f.Writes)
				c.SummaryType = example(doc, f.Writes)
			}
			if f.Fold != nil {
				c.SummarizerGroup, c.Fold = f.Group, folding(*f.Fold)
			}
			if f.Dedupe != nil {
				c.Dedupe = sensor.Dedupe{By: payload.Pointer(f.Dedupe.By), Window: f.Dedupe.Window}
			}
		case contract.Display:
			c.DisplayGroup = f.Group
		}
		if err != nil {
			return c, fmt.Errorf("roles: flow %s: %w", f.Name, err)
		}
	}
	return c, nil
}

func producer(f contract.Flow) port.ProducerConfig {
	c := port.ProducerConfig{Acks: -1, Idempotent: true}
	if f.Producer == nil {
		return c
	}
	c.Idempotent = f.Producer.Idempotent
	switch f.Producer.Acks {
	case "1":
		c.Acks = 1
	case "0":
		c.Acks = 0
	}
	return c
}

func topic(doc *contract.Document, name string) (sensor.Topic, error) {
	for _, t := range doc.Topics {
		if t.Name != name {
			continue
		}
		out := sensor.Topic{Name: name, Key: payload.Pointer(t.Key.From)}
		for _, p := range doc.Payloads {
			if p.Name == t.Payload {
				out.Payload = payload.Config{Schema: p.Schema, UniqueNames: p.Rules.UniqueNames}
				if p.Rules.Time != nil {
					out.Payload.Time = &payload.TimeRule{At: payload.Pointer(p.Rules.Time.At), Zone: p.Rules.Time.Zone}
				}
			}
		}
		shared, err := payload.NewChecker(out.Payload)
		out.Payload.Shared = shared
		return out, err
	}
	return sensor.Topic{}, fmt.Errorf("topic %q is not in the topic map", name)
}

// example is the event type of the topic's example records.
func example(doc *contract.Document, topic string) string {
	for _, t := range doc.Topics {
		for _, p := range doc.Payloads {
			if t.Name == topic && p.Name == t.Payload && len(p.Examples) > 0 {
				if text, ok := doc.Envelope.Type.Text(p.Examples[0]); ok {
					return text
				}
			}
		}
	}
	return "summary.made"
}

func folding(f contract.Fold) fold.Config {
	c := fold.Config{By: pointers(f.By), OnChange: f.Emit == "on-change", Silence: f.Close,
		Window: fold.Window{Of: payload.Pointer(f.Window.Of), Size: f.Window.Size, Zone: f.Window.Zone, Into: payload.Pointer(f.Window.Into),
			As: fold.Form(f.Window.As), Grace: f.Window.Grace}}
	for _, a := range f.Into {
		c.Into = append(c.Into, fold.Aggregate{Into: payload.Pointer(a.Into), Op: fold.Op(a.Op), Of: payload.Pointer(a.Of), Decimals: a.Decimals})
	}
	return c
}

func pointers(ps []contract.Pointer) []payload.Pointer {
	out := make([]payload.Pointer, len(ps))
	for i, p := range ps {
		out[i] = payload.Pointer(p)
	}
	return out
}
