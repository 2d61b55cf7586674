package workload

import (
	"encoding/json"
	"slices"

	"tahanuji/system/contract"
)

// The document's workload speaks of all events at once. Where recorders write several payloads, each flow takes what is of its own.

// severalPayloads says whether the recorders' topics have different payloads.
func (s *shape) severalPayloads() bool {
	return slices.ContainsFunc(s.doc.Flows, func(f contract.Flow) bool {
		p := s.doc.PayloadOf(f.Writes)
		return f.Kind == contract.Recorder && p != nil && p.Name != s.payload.Name
	})
}

// unique are the places of this flow's events that have a value of their own in each.
func (s *shape) unique() []contract.Pointer {
	all := s.doc.Workload.Unique
	if len(all) == 0 || !s.severalPayloads() {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(p contract.Pointer) bool {
		_, err := s.drawer.SchemaAt(p)
		return err != nil
	})
}

// templates are those of this flow's payload; nil where events are made from the schema.
func (s *shape) templates() []json.RawMessage {
	all := s.doc.Workload.Templates
	if s.doc.Workload.From != "templates" {
		return nil
	}
	if !s.severalPayloads() {
		return slices.Concat([]json.RawMessage{}, all)
	}
	var mine []json.RawMessage
	for _, t := range all {
		if len(s.payload.Validate(t)) == 0 {
			mine = append(mine, t)
		}
	}
	return mine
}
