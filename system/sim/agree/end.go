package agree

import (
	"fmt"
	"strconv"
	"strings"

	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// end is where a run ended, as one scan saw it.
type end struct {
	empty   bool
	records map[string]*place // by topic and label; events only: how often a summary is published is up to the moment
	order   map[string]string // topic and key -> labels of events in the order of their first copies
	last    map[string]string // label of a summary -> its last value
	rows    map[string]string // role and key -> value
	lag     map[string]string // group, topic, partition -> records not committed
}

// harness is the Proc of what the harness itself sends.
const harness = "harness"

// place is where a record is.
type place struct {
	partition int32
	copies    int
}

func (p *place) String() string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%d times in partition %d", p.copies, p.partition)
}

func read(doc *contract.Document, label func(string, []byte) string, h *history.History, scan string) end {
	e := end{empty: true, records: map[string]*place{}, order: map[string]string{}, last: map[string]string{}, rows: map[string]string{},
		lag: map[string]string{}}
	ends := map[history.Position]int64{}
	own := map[history.Position]bool{} // records that the harness wrote: when, is up to the moment
	for i := range h.Events {
		if x := &h.Events[i]; x.Op == history.OpSend && x.Proc == harness && x.Where != nil {
			own[*x.Where] = true
		}
	}
	for i := range h.Events {
		x := &h.Events[i]
		if x.Tag != scan || x.Phase != history.OK {
			continue
		}
		switch x.Op {
		case history.OpRecord:
			if !own[*x.Where] {
				e.record(x, label(x.Where.Topic, []byte(x.Value)))
			}
		case history.OpRow:
			if at := x.Proc + " " + x.Key; e.rows[at] == "" {
				e.rows[at] = x.Value
			} else {
				e.rows[at] += "; " + x.Value // a key that is shown twice
			}
		case history.OpEnd:
			ends[history.Position{Topic: x.Where.Topic, Partition: x.Where.Partition}] = x.Where.Offset
		}
		e.empty = false
	}
	e.left(doc, h, scan, ends)
	return e
}

func (e *end) record(x *history.Event, label string) {
	if strings.HasPrefix(label, "summary:") {
		e.last[label] = x.Value
		return
	}
	if label == "" {
		label = "unknown record " + x.Value
	}
	at := x.Where.Topic + " " + label
	p := e.records[at]
	if p == nil {
		p = &place{partition: x.Where.Partition}
		e.records[at] = p
		e.order[x.Where.Topic+" "+x.Key] += label + " "
	}
	p.copies++
}

// left fills in what each group has not committed.
func (e *end) left(doc *contract.Document, h *history.History, scan string, ends map[history.Position]int64) {
	for i := range h.Events {
		x := &h.Events[i]
		if x.Op != history.OpCommitted || x.Tag != scan || doc.Group(x.Proc) == nil {
			continue
		}
		n := ends[history.Position{Topic: x.Where.Topic, Partition: x.Where.Partition}] - max(0, x.Where.Offset)
		e.lag[fmt.Sprintf("%s %s/%d", x.Proc, x.Where.Topic, x.Where.Partition)] = strconv.FormatInt(n, 10)
	}
}
