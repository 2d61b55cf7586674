package check

import (
	"slices"
	"time"

	"tahanuji/system/history"
)

// span is a time in which a step of the plan hurt the system.
type span struct {
	step     string
	from, to time.Duration
}

// cause names the plan's step behind a finding, and the exchanges that it touched: first a step that touched an exchange of the
// finding, then one that touched a request which carried one of its records, then the last one whose time overlaps the trace.
func (ix *Index) cause(f Finding) (step string, touched []int64) {
	for _, seq := range f.Exchanges {
		if x := ix.exchange(seq); x != nil && x.Fault != "" {
			return x.Fault, nil
		}
	}
	for _, label := range f.Labels {
		if at := ix.faulted[label]; len(at) > 0 {
			x := &ix.in.History.Ledger[at[0]]
			return x.Fault, []int64{x.Seq}
		}
	}
	if step := ix.inputCause(f); step != "" {
		return step, nil
	}
	from, to, ok := ix.extent(f)
	if !ok {
		return "", nil
	}
	for _, s := range slices.Backward(ix.faults) {
		if s.from <= to && s.to >= from {
			return s.step, nil
		}
	}
	return "", nil
}

// inputCause is the plan's step that changed how the source sends an event of the trace.
func (ix *Index) inputCause(f Finding) string {
	for _, label := range f.Labels {
		if step := ix.input[label]; step != "" {
			return step
		}
	}
	for _, seq := range f.Witness {
		if e := ix.Event(seq); e != nil && e.Op == history.OpSend && ix.input[e.Key] != "" {
			return ix.input[e.Key]
		}
	}
	return ""
}

// extent is the time from the trace's first to its last event of the run proper: what a scan saw at rest tells no time.
func (ix *Index) extent(f Finding) (from, to time.Duration, ok bool) {
	add := func(at time.Duration) {
		if !ok || at < from {
			from = at
		}
		if !ok || at > to {
			to = at
		}
		ok = true
	}
	for _, seq := range f.Witness {
		if e := ix.Event(seq); e != nil && e.Tag != history.ScanRest && e.Tag != history.ScanReplayKept && e.Tag != history.ScanReplayEmptied {
			add(e.At)
		}
	}
	for _, seq := range f.Exchanges {
		if x := ix.exchange(seq); x != nil {
			add(x.At)
			add(x.At + x.Took)
		}
	}
	return from, to, ok
}

// Event is the event numbered seq, nil if there is none.
func (ix *Index) Event(seq history.Seq) *history.Event {
	events := ix.in.History.Events
	if i := int(seq) - 1; i >= 0 && i < len(events) && events[i].Seq == seq {
		return &events[i]
	}
	i, ok := slices.BinarySearchFunc(events, seq, func(e history.Event, s history.Seq) int { return int(e.Seq - s) })
	if !ok {
		return nil
	}
	return &events[i]
}

func (ix *Index) exchange(seq int64) *history.Exchange {
	ledger := ix.in.History.Ledger
	if i := int(seq) - 1; i >= 0 && i < len(ledger) && ledger[i].Seq == seq {
		return &ledger[i]
	}
	i, ok := slices.BinarySearchFunc(ledger, seq, func(x history.Exchange, s int64) int { return int(x.Seq - s) })
	if !ok {
		return nil
	}
	return &ledger[i]
}
