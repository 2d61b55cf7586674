// Package life tells, out of a run folder, what became of one event: across clients, partitions, commits, store and display, what
// was true at each step and what was told. It ties each duplicate and each loss to the fault behind it and to the clause that
// allows or forbids it, and resolves what the clients were left in doubt about. It judges no clause anew and runs nothing.
package life

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Story is what a life is read from.
type Story struct {
	Doc      *contract.Document
	History  *history.History
	Verdicts []check.Verdict
}

// Line is one thing that happened to the event. At counts from the run's start.
type Line struct {
	At    time.Duration `json:"at"`
	Who   string        `json:"who"`
	What  string        `json:"what"`
	True  string        `json:"true,omitempty"`  // what was so, by the broker's answer or the log
	Told  string        `json:"told,omitempty"`  // what the client or the source heard of it
	Fault string        `json:"fault,omitempty"` // the plan's step that touched it
	Note  string        `json:"note,omitempty"`
}

// Life of one event or summary.
type Life struct {
	Label     string   `json:"label"`
	ID        string   `json:"id"`
	Summaries []string `json:"summaries,omitempty"` // labels of those that the event counts in
	Lines     []Line   `json:"lines"`
	Rulings   []Ruling `json:"rulings"`
}

// reader is a story with everything looked up that more than one part asks for.
type reader struct {
	Story
	ids    map[string]string // label -> event id
	labels map[string]string // event id -> label
	first  map[string]string // label -> the record as it was sent, or as the log holds it
	at     map[history.Position]string
}

func read(s Story) *reader {
	r := &reader{Story: s, ids: map[string]string{}, labels: map[string]string{}, first: map[string]string{}, at: map[history.Position]string{}}
	for i := range s.History.Ledger {
		x := &s.History.Ledger[i]
		if x.API != "Produce" {
			continue
		}
		for k := range x.Items {
			it := &x.Items[k]
			for n, label := range it.Labels {
				r.know(label, "", "")
				if label != "" && it.Code == 0 && it.Offset >= 0 {
					r.at[history.Position{Topic: it.Topic, Partition: it.Partition, Offset: it.Offset + int64(n)}] = label
				}
			}
		}
	}
	for i := range s.History.Events {
		e := &s.History.Events[i]
		switch {
		case e.Op == history.OpSend && e.Phase == history.Invoke:
			r.know(e.Key, r.idOf(e.Value), e.Value)
		case e.Op == history.OpSend && e.Phase == history.OK && e.Value != "":
			r.know(e.Key, e.Value, "")
		case e.Op == history.OpRecord && e.Where != nil:
			r.know(r.at[*e.Where], r.idOf(e.Value), e.Value)
		}
	}
	return r
}

// know ties a label to an id. The first one counts: an invalid variant of an event may bear its id.
func (r *reader) know(label, id, record string) {
	if label == "" {
		return
	}
	if r.first[label] == "" {
		r.first[label] = record
	}
	if id == "" {
		return
	}
	if r.ids[label] == "" {
		r.ids[label] = id
	}
	if r.labels[id] == "" {
		r.labels[id] = label
	}
}

func (r *reader) idOf(record string) string {
	if r.Doc.Envelope.ID == "" {
		return ""
	}
	id, _ := r.Doc.Envelope.ID.Text([]byte(record))
	return id
}

// Of tells the life of the event with a label (event:N, summary:KEY|WINDOW) or an id. An error says that the run knows neither, and
// names some that it knows.
func Of(s Story, name string) (*Life, error) {
	r := read(s)
	l := &Life{Label: name, ID: r.ids[name], Lines: []Line{}, Rulings: []Ruling{}}
	if label := r.labels[name]; label != "" {
		l.Label, l.ID = label, name
	}
	if _, known := r.first[l.Label]; !known {
		return nil, fmt.Errorf("the run has no event %q; it has %s", name, r.some())
	}
	l.Summaries = r.summariesOf(l.Label)
	l.Lines = append(l.Lines, r.sends(l)...)
	l.Lines = append(l.Lines, r.exchanges(l)...)
	l.Lines = append(l.Lines, r.stored(l)...)
	l.Lines = append(l.Lines, r.rest(l)...)
	l.Lines = append(l.Lines, r.steps(l)...)
	slices.SortStableFunc(l.Lines, func(a, b Line) int { return cmp.Compare(a.At, b.At) })
	l.Rulings = r.rule(l)
	return l, nil
}

// some are a few labels of the run.
func (r *reader) some() string {
	var labels []string
	for label := range r.first {
		labels = append(labels, label)
	}
	slices.SortFunc(labels, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	if len(labels) == 0 {
		return "none"
	}
	return strings.Join(labels[:min(5, len(labels))], ", ") + fmt.Sprintf(" and so on, %d in all", len(labels))
}

// summariesOf are the labels of the summaries that an event counts in, of those that the run has.
func (r *reader) summariesOf(label string) []string {
	record := []byte(r.first[label])
	var out []string
	for _, f := range r.Doc.Folds() {
		when, ok := f.Fold.Window.Of.Text(record)
		if !ok || strings.HasPrefix(label, "summary:") {
			continue
		}
		t, err := contract.ParseTime(when)
		if err != nil {
			continue
		}
		var by []string
		for _, p := range f.Fold.By {
			text, _ := p.Text(record)
			by = append(by, text)
		}
		window := f.Fold.Window.Label(f.Fold.Window.Start(t))
		for other := range r.first {
			key, of, isSummary := strings.Cut(strings.TrimPrefix(other, "summary:"), "|")
			if isSummary && strings.HasPrefix(other, "summary:") && of == window && sameFields(strings.Split(key, ","), by) {
				out = append(out, other)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sameFields compares keys whose fields may stand in another order: that of the overwrite-key.
func sameFields(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// copies are the places where the log at rest holds the event, in order.
func (r *reader) copies(l *Life) []*history.Event {
	var out []*history.Event
	for i := range r.History.Events {
		e := &r.History.Events[i]
		if e.Op == history.OpRecord && e.Tag == history.ScanRest && e.Where != nil && r.is(l, e) {
			out = append(out, e)
		}
	}
	return out
}

// is says whether a record of the log is the event: by its id, or by its place where the ledger knows that.
func (r *reader) is(l *Life, e *history.Event) bool {
	if label, ok := r.at[*e.Where]; ok {
		return label == l.Label
	}
	return l.ID != "" && r.idOf(e.Value) == l.ID
}
