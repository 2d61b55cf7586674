package life

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"

	"tahanuji/system/history"
)

// sends are the source's deliveries and the answers to them.
func (r *reader) sends(l *Life) []Line {
	var out []Line
	for i := range r.History.Events {
		e := &r.History.Events[i]
		if e.Op != history.OpSend || e.Key != l.Label {
			continue
		}
		switch e.Phase {
		case history.Invoke:
			out = append(out, Line{At: e.At, Who: "source", What: "hands it to " + e.Proc, Note: e.Tag})
		case history.OK:
			out = append(out, Line{At: e.At, Who: e.Proc, What: "answers the source", Told: "recorded" + at(e.Where)})
		case history.Fail:
			out = append(out, Line{At: e.At, Who: e.Proc, What: "answers the source", Told: "refused " + e.Value})
		case history.Unknown:
			out = append(out, Line{At: e.At, Who: e.Proc, What: "gives the source no answer", Told: "nothing", Note: e.Err})
		}
	}
	return out
}

func at(p *history.Position) string {
	if p == nil {
		return ""
	}
	return " at " + place(*p)
}

func place(p history.Position) string {
	return fmt.Sprintf("%s/%d@%d", p.Topic, p.Partition, p.Offset)
}

// exchanges are the requests that carried the event, brought it, or first committed past it.
func (r *reader) exchanges(l *Life) []Line {
	var out []Line
	where := r.places(l)
	passed := map[string]int64{}
	for i := range r.History.Ledger {
		x := &r.History.Ledger[i]
		switch x.API {
		case "Produce", "Fetch":
			for k := range x.Items {
				if n := slices.Index(x.Items[k].Labels, l.Label); n >= 0 {
					out = append(out, carried(x, &x.Items[k], n))
				}
			}
		case "OffsetCommit", "TxnOffsetCommit":
			out = append(out, commits(x, where, passed)...)
		}
	}
	return out
}

// places are the positions of the event in the log, by partition the lowest.
func (r *reader) places(l *Life) map[string]history.Position {
	out := map[string]history.Position{}
	for p, label := range r.at {
		key := fmt.Sprintf("%s/%d", p.Topic, p.Partition)
		if was, ok := out[key]; label == l.Label && (!ok || p.Offset < was.Offset) {
			out[key] = p
		}
	}
	for _, e := range r.copies(l) {
		key := fmt.Sprintf("%s/%d", e.Where.Topic, e.Where.Partition)
		if was, ok := out[key]; !ok || e.Where.Offset < was.Offset {
			out[key] = *e.Where
		}
	}
	return out
}

func carried(x *history.Exchange, it *history.Item, n int) Line {
	line := Line{At: x.At, Who: x.Door, Fault: fault(x), Note: note(x)}
	if x.API == "Produce" {
		line.What = fmt.Sprintf("sends it to %s/%d", it.Topic, it.Partition)
		if it.ProducerID >= 0 {
			line.What += fmt.Sprintf(" (producer %d, sequence %d)", it.ProducerID, int(it.FirstSeq)+n)
		}
	} else {
		line.What = fmt.Sprintf("is handed it from %s/%d", it.Topic, it.Partition)
		line.At += x.Took // it waited for the record
	}
	line.True = truth(x, it)
	if x.API == "Fetch" && x.Applied == history.OK && it.Code == 0 {
		line.True = "fetched"
	}
	if x.API == "Produce" && x.Applied == history.OK && it.Code == 0 && it.Offset >= 0 {
		line.True = "appended at offset " + fmt.Sprint(it.Offset+int64(n))
	}
	line.Told = told(x, it)
	return line
}

// commits says of a commit whether it first passes the event in a partition, or takes the group back before it.
func commits(x *history.Exchange, where map[string]history.Position, passed map[string]int64) []Line {
	var out []Line
	for k := range x.Items {
		it := &x.Items[k]
		p, ok := where[fmt.Sprintf("%s/%d", it.Topic, it.Partition)]
		if !ok {
			continue
		}
		key := fmt.Sprintf("%s %s/%d", x.Group, it.Topic, it.Partition)
		was, before := passed[key]
		line := Line{At: x.At, Who: x.Door, Fault: fault(x), Note: note(x), True: truth(x, it), Told: told(x, it)}
		switch {
		case it.Offset > p.Offset && (!before || was <= p.Offset):
			line.What = fmt.Sprintf("commits %s past it (offset %d)", x.Group, it.Offset)
		case it.Offset <= p.Offset && before && was > p.Offset:
			line.What = fmt.Sprintf("commits %s back before it (offset %d)", x.Group, it.Offset)
		case x.Fault != "" && it.Offset > p.Offset && was == it.Offset:
			line.What = fmt.Sprintf("commits %s past it again (offset %d)", x.Group, it.Offset)
		default:
			continue
		}
		if x.Applied == history.OK && it.Code == 0 {
			passed[key] = it.Offset
		}
		out = append(out, line)
	}
	return out
}

func fault(x *history.Exchange) string {
	if x.Fault == "" {
		return ""
	}
	return x.Fault + ": " + x.Do
}

func note(x *history.Exchange) string {
	var parts []string
	if x.Copy {
		parts = append(parts, "the proxy's copy")
	}
	if x.Err != "" {
		parts = append(parts, x.Err)
	}
	return strings.Join(parts, "; ")
}

// truth is what the broker did with a request, for one partition of it.
func truth(x *history.Exchange, it *history.Item) string {
	switch x.Applied {
	case history.Fail:
		return "never reached the broker"
	case history.OK:
		if it.Code != 0 {
			return "refused: " + code(it.Code)
		}
		return "applied"
	case history.Unknown, history.Invoke:
	}
	return "not known: no answer of the broker"
}

// told is what the client heard.
func told(x *history.Exchange, it *history.Item) string {
	switch x.Told {
	case history.OK, history.Fail:
		if it.ToldCode != 0 {
			return code(it.ToldCode)
		}
		return "done"
	case history.Unknown, history.Invoke:
	}
	return "nothing"
}

func code(c int16) string {
	if e := kerr.TypedErrorForCode(c); e != nil {
		return e.Message
	}
	return fmt.Sprintf("error %d", c)
}

// stored are the transactions of a summarizer's store that took the event in.
func (r *reader) stored(l *Life) []Line {
	var out []Line
	for i := range r.History.Events {
		e := &r.History.Events[i]
		if e.Op != history.OpStored || e.Key != l.ID || l.ID == "" {
			continue
		}
		if e.Phase == history.OK {
			out = append(out, Line{At: e.At, Who: e.Proc, What: "its store has it", True: "stored, from" + strings.TrimPrefix(at(e.Where), " at")})
		} else if e.Phase == history.Invoke && !r.answered(e.Seq) {
			out = append(out, Line{At: e.At, Who: e.Proc, What: "begins to store it", True: "the transaction did not end"})
		}
	}
	return out
}

// answered says whether an operation that began has an OK.
func (r *reader) answered(of history.Seq) bool {
	return slices.ContainsFunc(r.History.Events, func(e history.Event) bool { return e.Of == of && e.Phase == history.OK })
}

// steps are the faults that act while the event is under way, and the roles' deaths and starts.
func (r *reader) steps(l *Life) []Line {
	from, to, ok := extent(l)
	var out []Line
	for i := range r.History.Events {
		e := &r.History.Events[i]
		if !ok || e.At < from || e.At > to {
			continue
		}
		switch {
		case e.Op == history.OpFault && e.Phase == history.Invoke:
			out = append(out, Line{At: e.At, Who: "plan", What: e.Value, Fault: e.Key})
		case e.Op == history.OpRole && e.Key != "ready":
			out = append(out, Line{At: e.At, Who: e.Proc, What: "is " + e.Key, Note: e.Err})
		}
	}
	return out
}

// rest is what is there at the end: the log's copies, the last publication of each summary, the rows shown.
func (r *reader) rest(l *Life) []Line {
	var out []Line
	for _, e := range r.copies(l) {
		line := Line{At: e.At, Who: "topic at rest", What: "holds it at " + place(*e.Where)}
		if p := e.Producer; p != nil && p.ID >= 0 {
			line.True = fmt.Sprintf("of producer %d, sequence %d", p.ID, p.Seq)
		}
		out = append(out, line)
	}
	for _, label := range append(slices.Clone(l.Summaries), onlySummary(l.Label)...) {
		out = append(out, r.published(label, l.Label == label)...)
	}
	return out
}

func onlySummary(label string) []string {
	if strings.HasPrefix(label, "summary:") {
		return []string{label}
	}
	return nil
}

// published are the publications of a summary that the event counts in, and the rows that show it.
func (r *reader) published(label string, own bool) []Line {
	var out []Line
	for i := range r.History.Ledger {
		x := &r.History.Ledger[i]
		for k := range x.Items {
			if n := slices.Index(x.Items[k].Labels, label); x.API == "Produce" && n >= 0 && !own {
				line := carried(x, &x.Items[k], n)
				line.What = "publishes " + label
				out = append(out, line)
			}
		}
	}
	fields, window, _ := strings.Cut(strings.TrimPrefix(label, "summary:"), "|")
	for i := range r.History.Events {
		e := &r.History.Events[i]
		if e.Op == history.OpRow && e.Tag == history.ScanRest && shows(e.Key, strings.Split(fields, ","), window) {
			out = append(out, Line{At: e.At, Who: e.Proc, What: "shows its summary", True: e.Value})
		}
	}
	return out
}

// shows says whether a row's key holds the fields and the window of a summary.
func shows(key string, fields []string, window string) bool {
	for _, f := range append(slices.Clone(fields), window) {
		if !strings.Contains(key, f) {
			return false
		}
	}
	return key != ""
}
