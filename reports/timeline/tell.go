package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tahanuji/system/history"
)

// Tell makes the trace of a story: its rows in the order of time, and the picture of the run around them. A witness that
// the history does not have is left out.
func Tell(s Story) Trace {
	t := teller{story: s, ids: newIdentities(s), steps: map[any]int{}}
	t.pick()
	t.rows()
	t.picture()
	return Trace{Rows: orEmpty(t.out.Rows), Picture: t.out.Picture}
}

type teller struct {
	story Story
	ids   *identities
	trace []moment
	steps map[any]int // history.Seq or exchange number -> step
	out   Trace
}

// moment is one thing of the trace: an event or an exchange.
type moment struct {
	at       time.Duration
	event    *history.Event
	exchange *history.Exchange
}

// pick finds the trace, and beside it the exchanges that a fault touched while they carried an event of the trace: what the
// fault did to it is what a reader asks next.
func (t *teller) pick() {
	h := t.story.History
	labels := map[string]bool{}
	for i := range h.Events {
		if slices.Contains(t.story.Witness, h.Events[i].Seq) {
			t.trace = append(t.trace, moment{at: h.Events[i].At, event: &h.Events[i]})
			labels[t.ids.of(&h.Events[i])] = true
		}
	}
	delete(labels, "")
	for i := range h.Ledger {
		x := &h.Ledger[i]
		touched := x.Fault != "" && slices.ContainsFunc(x.Items, func(it history.Item) bool {
			return slices.ContainsFunc(it.Labels, func(l string) bool { return labels[l] })
		})
		if slices.Contains(t.story.Exchanges, x.Seq) || touched && len(t.trace) < maxRows {
			t.trace = append(t.trace, moment{at: x.At, exchange: x})
		}
	}
	slices.SortStableFunc(t.trace, func(a, b moment) int { return cmp.Compare(a.at, b.at) })
}

// maxRows bounds a trace to which touched exchanges are added.
const maxRows = 20

func (t *teller) rows() {
	last := t.bad()
	seen := map[string]int{}
	for i, m := range t.trace {
		r := Row{Step: i + 1, At: m.at, Bad: i == last}
		var about []string
		if m.event != nil {
			r.Lane, _ = t.laneOf(m.event)
			r.What, r.Detail = words(m.event)
			t.steps[m.event.Seq] = r.Step
			about = []string{t.ids.of(m.event)}
		} else {
			r.Lane, _ = t.laneOfExchange(m.exchange)
			r.What, r.Detail = exchangeWords(m.exchange)
			r.Fault = m.exchange.Fault
			t.steps[m.exchange.Seq] = r.Step
			about = labelsOf(m.exchange)
		}
		for _, id := range about {
			if id == "" {
				continue
			}
			if from := seen[id]; from > 0 && !t.linked(from, r.Step) {
				t.out.Picture.Arrows = append(t.out.Picture.Arrows, Arrow{From: from, To: r.Step, ID: id})
			}
			seen[id] = r.Step
		}
		t.out.Rows = append(t.out.Rows, r)
	}
}

func (t *teller) linked(from, to int) bool {
	return slices.ContainsFunc(t.out.Picture.Arrows, func(a Arrow) bool { return a.From == from && a.To == to })
}

// bad is where the violation shows: the checker's last witness in the order of time, or the last exchange if it gave none.
func (t *teller) bad() int {
	bad := len(t.trace) - 1
	if len(t.story.Witness) == 0 {
		return bad
	}
	last := slices.Max(t.story.Witness)
	for i, m := range t.trace {
		if m.event != nil && m.event.Seq == last {
			bad = i
		}
	}
	return bad
}

func labelsOf(x *history.Exchange) []string {
	var out []string
	for _, it := range x.Items {
		out = append(out, it.Labels...)
	}
	return out
}

// laneOf says where an event happened.
func (t *teller) laneOf(e *history.Event) (string, Rank) {
	switch e.Op {
	case history.OpSend:
		return "source to " + e.Proc, Source
	case history.OpRecord, history.OpEnd:
		return partition(e.Where), Log
	case history.OpTopic:
		return "topics", Log
	case history.OpCommitted, history.OpGroup, history.OpLag:
		return "group " + e.Proc, Group
	case history.OpStored:
		role, _, _ := strings.Cut(e.Proc, "/")
		return "store of " + role, Store
	case history.OpRow:
		return "shown by " + e.Proc, Display
	case history.OpRole:
		return e.Proc, t.ids.rankOf(e.Proc)
	}
	return cmp.Or(e.Proc, "run"), Elsewhere
}

// laneOfExchange puts a Produce that reached the log where it landed, and any other request with its sender.
func (t *teller) laneOfExchange(x *history.Exchange) (string, Rank) {
	if it := mainItem(x); x.API == "Produce" && it != nil && it.Topic != "" && x.Applied == history.OK {
		return partition(&history.Position{Topic: it.Topic, Partition: it.Partition}), Log
	}
	return x.Door, t.ids.rankOf(x.Door)
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
