package inside

import (
	"fmt"
	"slices"
	"strings"

	"tahanuji/reference/sensor"
	"tahanuji/reference/sensor/payload"
	"tahanuji/system/contract"
)

// What an architect can do about a role that the reference can't play.
const (
	own     = "start your own service for the role in a sut.yaml"
	instead = "split the role in the document, or " + own
)

// plain configures a role that nothing is folded for: a recorder, or a display that shows the events themselves, the last one of
// each key of their topic.
func plain(doc *contract.Document, role, prefix string) sensor.Config {
	name := ""
	for _, f := range doc.FlowsOf(role) {
		name = f.Reads + f.Writes
	}
	events := topic(doc, name, prefix)
	c := sensor.Config{Events: events, Summaries: events, Envelope: envelope(doc, name), RecorderProducer: producer(doc.Writer(name)),
		OverwriteKey: []payload.Pointer{events.Key}}
	if events.Key == "" {
		c.OverwriteKey[0] = c.Envelope.ID
	}
	if showing := reader(doc, name); showing != nil {
		c.DisplayGroup = prefix + showing.Group
	}
	return c
}

// oneTopic says that a role records into several topics or shows several: the reference's cores know one topic each.
func oneTopic(doc *contract.Document, role string) error {
	for _, kind := range []contract.Kind{contract.Recorder, contract.Display} {
		var names []string
		for _, f := range doc.FlowsOf(role) {
			if f.Kind == kind && !slices.Contains(names, f.Reads+f.Writes) {
				names = append(names, f.Reads+f.Writes)
			}
		}
		if len(names) > 1 {
			return fmt.Errorf("it is a %s of %d topics (%s), and the reference plays one a role; %s", kind, len(names), strings.Join(names, ", "), instead)
		}
	}
	return nil
}
