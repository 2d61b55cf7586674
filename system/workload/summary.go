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
}

// summaries joins each flow that folds with the flow of its role that writes under an overwrite-key.
func summaries(doc *contract.Document) []summaryOf {
	var out []summaryOf
	for _, f := range doc.Flows {
		if f.Fold == nil {
			continue
		}
		for _, w := range doc.Flows {
			if w.Role != f.Role || w.Writes == "" || len(w.OverwriteKey) == 0 {
				continue
			}
			s := summaryOf{topic: w.Writes, role: f.Role, reads: f.Reads, fold: *f.Fold}
			for _, p := range w.OverwriteKey {
				if p != f.Fold.Window.Into {
					s.fields = append(s.fields, p)
				}
			}
			out = append(out, s)
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
		for i, p := range s.fields {
			key[i], _ = s.by(p, i).Text(e.Record)
		}
		start := s.fold.Window.Start(t)
		out = append(out, Summary{Label: SummaryLabel(key, s.fold.Window.Label(start)), Topic: s.topic, Role: s.role, Window: start})
	}
	return out
}

// by finds the event's field for the i-th key field of the summary: the same pointer, or the same name, or the same place in
// the list.
func (s summaryOf) by(p contract.Pointer, i int) contract.Pointer {
	if slices.Contains(s.fold.By, p) {
		return p
	}
	for _, q := range s.fold.By {
		if q.Name() == p.Name() {
			return q
		}
	}
	return s.fold.By[min(i, len(s.fold.By)-1)]
}
