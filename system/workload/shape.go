package workload

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tahanuji/system/contract"
	"tahanuji/system/workload/draw"
)

// shape is what a document says about the events of one flow.
type shape struct {
	doc     *contract.Document
	flow    contract.Flow
	topic   contract.Topic
	payload *contract.Payload
	folds   []contract.Fold // over the topic, in the document's order
	by      []contract.Pointer
	pattern *regexp.Regexp // of the topic's key, nil accepts all
	drawer  *draw.Drawer
	spread  kgo.TopicPartitioner
	stamps  map[contract.Pointer]stamp // places of the event's time
}

func newShape(doc *contract.Document, flow string) (*shape, error) {
	s := &shape{doc: doc}
	if err := s.findFlow(flow); err != nil {
		return nil, err
	}
	if t := doc.Topic(s.flow.Writes); t != nil {
		s.topic = *t
	}
	s.spread = kgo.StickyKeyPartitioner(nil).ForTopic(s.topic.Name)
	s.payload = doc.PayloadOf(s.topic.Name)
	if s.payload == nil {
		return nil, fmt.Errorf("workload: topic %q has no payload, so no event can be made for it", s.flow.Writes)
	}
	for _, f := range doc.Flows {
		if f.Reads == s.topic.Name && f.Fold != nil {
			s.folds = append(s.folds, *f.Fold)
		}
	}
	s.by = []contract.Pointer{s.topic.Key.From}
	if len(s.folds) > 0 {
		s.by = s.folds[0].By
	}
	if s.topic.Key.Pattern != "" {
		re, err := regexp.Compile(s.topic.Key.Pattern)
		if err != nil {
			return nil, fmt.Errorf("workload: topic %s: key: %w", s.topic.Name, err)
		}
		s.pattern = re
	}
	var err error
	if s.drawer, err = draw.New(s.payload.Schema); err != nil {
		return nil, fmt.Errorf("workload: payload %s: %w", s.payload.Name, err)
	}
	return s, nil
}

func (s *shape) findFlow(name string) error {
	var known []string
	for _, f := range s.doc.Flows {
		if f.Kind != contract.Recorder {
			continue
		}
		if name == "" || f.Name == name {
			s.flow = f
			return nil
		}
		known = append(known, f.Name)
	}
	if name == "" {
		return fmt.Errorf("workload: document %s has no flow of a recorder, so nothing is sent", s.doc.ID)
	}
	return fmt.Errorf("workload: flow %q is no recorder's; there are %q", name, known)
}

// window is the window of the first fold; without one, hours in UTC.
func (s *shape) window() contract.Window {
	if len(s.folds) > 0 {
		return s.folds[0].Window
	}
	return contract.Window{Of: s.doc.Envelope.Time, Size: time.Hour, Zone: "UTC"}
}

// due is the earliest event time at which every window that holds one of the instants before end has closed, in every fold.
func (s *shape) due(end time.Time) time.Time {
	at := end
	for _, f := range s.folds {
		if t := f.Window.End(f.Window.Start(end.Add(-1))).Add(f.Window.Grace); t.After(at) {
			at = t
		}
	}
	return at
}

// needed are the places that an event must have for its id, time, key, group and summaries to exist.
func (s *shape) needed() []contract.Pointer {
	e := s.doc.Envelope
	out := append([]contract.Pointer{e.ID, e.Type, e.Time, e.Data, s.topic.Key.From}, s.by...)
	for _, f := range s.folds {
		out = append(append(out, f.Window.Of), f.By...)
		for _, a := range f.Into {
			out = append(out, a.Of)
		}
	}
	if s.flow.Dedupe != nil {
		out = append(out, s.flow.Dedupe.By)
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(p contract.Pointer) bool { return p == "" })
}

// summed are the places of numbers that summaries are made of.
func (s *shape) summed() map[contract.Pointer]bool {
	out := map[contract.Pointer]bool{}
	for _, f := range s.folds {
		for _, a := range f.Into {
			out[a.Of] = a.Of != ""
		}
	}
	return out
}

// own says whether a place is drawn anew for every event: its id, and what the document wants unique.
func (s *shape) own(p contract.Pointer) bool {
	return p == s.doc.Envelope.ID || slices.Contains(s.unique(), p)
}

// partition is where the Kafka client's default partitioner puts a key. It spreads the made keys; it judges nothing,
// because clients hash differently.
func (s *shape) partition(key string) int {
	if s.topic.Key.From == "" || s.topic.Partitions < 1 {
		return 0
	}
	return s.spread.Partition(&kgo.Record{Key: []byte(key)}, s.topic.Partitions)
}

// describe fills what is read out of a record: id, key, group.
func (s *shape) describe(e *Event, record *draw.Node) {
	if id := record.At(s.doc.Envelope.ID); s.doc.Envelope.ID != "" && id != nil {
		e.ID = id.String()
	}
	if key := record.At(s.topic.Key.From); s.topic.Key.From != "" && key != nil {
		e.Key = key.String()
	}
	e.Group = nil
	for _, p := range s.by {
		value := ""
		if n := record.At(p); n != nil {
			value = n.String()
		}
		e.Group = append(e.Group, value)
	}
}
