package workload

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"tahanuji/system/contract"
)

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
