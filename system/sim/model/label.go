package model

import (
	"tahanuji/system/contract"
	"tahanuji/system/workload"
)

// quickLabels labels as workload.Identify does. It knows an event by its id, or else by its bytes, and makes the slower
// labeller of the events only when a record comes that is neither.
func quickLabels(doc *contract.Document, load *workload.Load) func(topic string, value []byte) string {
	byID := doc.Envelope.ID != ""
	known := make(map[string]string, len(load.Events))
	for i := range load.Events {
		e := &load.Events[i]
		key := e.ID
		if !byID || key == "" {
			key = string(e.Record)
		}
		if _, ok := known[key]; !ok {
			known[key] = e.Label
		}
	}
	rest := workload.Identify(doc)
	var slow workload.Labeller
	return func(topic string, value []byte) string {
		if topic != load.Topic {
			return rest(topic, value)
		}
		if byID {
			if id, ok := doc.Envelope.ID.Text(value); ok {
				if label, ok := known[id]; ok {
					return label
				}
			}
		}
		if label, ok := known[string(value)]; ok {
			return label
		}
		if slow == nil {
			slow = workload.Identify(doc, load)
		}
		return slow(topic, value)
	}
}
