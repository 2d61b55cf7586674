package life

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tahanuji/system/history"
)

// Doubt is one operation of which its client does not know whether it happened, and how the ledger resolves it.
type Doubt struct {
	At       time.Duration `json:"at"`
	Who      string        `json:"who"`
	What     string        `json:"what"`
	Told     string        `json:"told"`
	Fault    string        `json:"fault,omitempty"`
	Resolved string        `json:"resolved"`
}

// asking are the requests that change nothing: without a fault, nobody is in doubt about them.
var asking = []string{"Fetch", "Metadata", "ListOffsets", "OffsetFetch", "FindCoordinator", "ApiVersions", "OffsetForLeaderEpoch"}

// Doubts lists the operations whose clients were told nothing, or an error for what was applied, and the source's sends without an
// answer. A request that only reads is listed where a fault touched it.
func Doubts(s Story) []Doubt {
	r := read(s)
	out := []Doubt{}
	for i := range s.History.Ledger {
		x := &s.History.Ledger[i]
		wrong := slices.ContainsFunc(x.Items, func(it history.Item) bool { return it.Code != it.ToldCode })
		unheard := x.Told == history.Unknown || x.Told == history.Fail && x.Applied == history.OK && wrong
		if !unheard || x.Copy || slices.Contains(asking, x.API) && x.Fault == "" {
			continue
		}
		d := Doubt{At: x.At, Who: x.Door, What: x.API + subject(x), Told: "nothing", Fault: fault(x), Resolved: r.resolve(x)}
		if len(x.Items) > 0 {
			d.Told = told(x, &x.Items[0])
		}
		out = append(out, d)
	}
	for i := range s.History.Events {
		e := &s.History.Events[i]
		if e.Op == history.OpSend && e.Phase == history.Unknown {
			out = append(out, Doubt{At: e.At, Who: "source", What: "hands over " + e.Key, Told: "nothing", Resolved: r.resolveSend(e)})
		}
	}
	slices.SortStableFunc(out, func(a, b Doubt) int { return int(a.At - b.At) })
	return out
}

// subject names what a request was about: its first records, or its group.
func subject(x *history.Exchange) string {
	var labels []string
	for i := range x.Items {
		for _, l := range x.Items[i].Labels {
			if l != "" {
				labels = append(labels, l)
			}
		}
	}
	switch {
	case len(labels) > 3:
		return fmt.Sprintf(" of %s and %d more", strings.Join(labels[:3], ", "), len(labels)-3)
	case len(labels) > 0:
		return " of " + strings.Join(labels, ", ")
	case x.Group != "":
		return " of group " + x.Group
	}
	return ""
}

// resolve says what is true of a request: by the broker's answer that the proxy saw, else by the log.
func (r *reader) resolve(x *history.Exchange) string {
	switch {
	case x.Applied == history.Fail:
		return "it never reached the broker: " + x.Err
	case x.Applied == history.OK:
		for i := range x.Items {
			if c := x.Items[i].Code; c != 0 {
				return "the broker refused it: " + code(c)
			}
		}
		return "it was applied" + offsets(x)
	case x.API != "Produce":
		return "the broker gave no answer: " + x.Err
	}
	var found, missing []string
	for i := range x.Items {
		it := &x.Items[i]
		for n := range it.Labels {
			if p := r.logged(it, n); p != nil {
				found = append(found, place(*p))
			} else {
				missing = append(missing, it.Labels[n])
			}
		}
	}
	switch {
	case len(missing) == 0 && len(found) > 0:
		return "the broker gave no answer; the log holds it at " + strings.Join(found, ", ")
	case len(found) == 0:
		return "the broker gave no answer, and the log does not hold it under this sequence number"
	}
	return fmt.Sprintf("the broker gave no answer; the log holds %s and not %s", strings.Join(found, ", "), strings.Join(missing, ", "))
}

// logged is where the log at rest holds the n-th record of a batch: by producer, epoch and sequence number.
func (r *reader) logged(it *history.Item, n int) *history.Position {
	for i := range r.History.Events {
		e := &r.History.Events[i]
		if e.Op == history.OpRecord && e.Tag == history.ScanRest && e.Producer != nil && e.Producer.ID >= 0 && e.Where.Topic == it.Topic &&
			*e.Producer == (history.Producer{ID: it.ProducerID, Epoch: it.Epoch, Seq: it.FirstSeq + int32(n)}) {
			return e.Where
		}
	}
	return nil
}

// offsets are what a request did, where it has offsets.
func offsets(x *history.Exchange) string {
	var parts []string
	for i := range x.Items {
		it := &x.Items[i]
		if it.Topic != "" && it.Offset >= 0 && x.API != "Fetch" {
			parts = append(parts, place(history.Position{Topic: it.Topic, Partition: it.Partition, Offset: it.Offset}))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// resolveSend says what became of an event whose sender had no answer.
func (r *reader) resolveSend(e *history.Event) string {
	if e.Tag == "not-reached" {
		return "it never reached the role: " + e.Err
	}
	l := &Life{Label: e.Key, ID: r.ids[e.Key]}
	copies := r.copies(l)
	if len(copies) == 0 {
		return "no topic holds it"
	}
	var places []string
	for _, c := range copies {
		places = append(places, place(*c.Where))
	}
	return "the log holds it at " + strings.Join(places, ", ")
}
