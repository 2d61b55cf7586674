package run

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	"tahanuji/system/broker/observe"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/workload"
)

// calm is the wait between the load and what follows it, with the faults still armed.
const calm = "calm"

// look is how often a wait looks again.
const look = 15 * time.Millisecond

// still is what a wait for rest sees: it is at rest when lag is nil and nothing has changed for long enough.
type still struct {
	lag     []string // "m8-suhu-kejadian/2 of perekap: 17"
	missing []string // labels of events and summaries that are owed and not in their topic
	moving  []string // groups that are being balanced: a member that died is waited for until its session ends
	hidden  []string // displays that show less than their topic holds
	mark    string   // changes whenever an end or a committed offset does
}

func (s still) String() string {
	switch {
	case len(s.lag) > 0:
		return "lag of " + strings.Join(first(s.lag, 3), "; ")
	case len(s.missing) > 0:
		return "promised and not there: " + strings.Join(first(s.missing, 3), ", ")
	case len(s.moving) > 0:
		return "being balanced: " + strings.Join(s.moving, ", ")
	case len(s.hidden) > 0:
		return strings.Join(s.hidden, "; ")
	}
	return "no lag, but new records or commits kept coming"
}

// settle waits until the system is at rest: every recorded event is in its topic, no group of the document lags or is being
// balanced, nothing new was published or committed for the settling time, and displays that were started anew have read their
// topic. It gives up when nothing moves any more (Patience) or at the limit (Rest),
// and says then what it last saw; that is an observation for the checkers and no error.
func (st *stage) settle(ctx context.Context, why string) (rested bool) {
	limits := st.cell.Limits
	if why == calm {
		limits.Patience /= 3 // nothing is judged by it: faults still act, and the wait after healing is the one that counts
	}
	ctx, cancel := context.WithTimeout(ctx, limits.Rest)
	defer cancel()
	var last still
	changed := time.Now()
	for {
		now, err := st.lookAround(ctx, why)
		if err != nil {
			now = last
			if ctx.Err() == nil {
				now.lag = []string{err.Error()}
			}
		}
		if now.mark != last.mark || len(now.moving) > 0 {
			changed = time.Now()
		}
		quiet := time.Since(changed)
		if err == nil && len(now.lag) == 0 && len(now.missing) == 0 && quiet >= limits.Settle {
			if now.hidden = st.hidden(ctx, why); len(now.hidden) == 0 && st.unchanged(ctx, why, now) {
				return true
			}
		}
		last = now
		if ctx.Err() != nil || quiet > limits.Patience {
			st.rec.Add(history.Event{
				Op: history.OpPhase, Phase: history.Unknown, Key: why,
				Err: fmt.Sprintf("not at rest after %s: %s", quiet.Round(10*time.Millisecond), last),
			})
			return false
		}
		wait(ctx, look)
	}
}

// unchanged takes one more look: what was looked at first may have moved while the rest was looked at.
func (st *stage) unchanged(ctx context.Context, why string, was still) bool {
	now, err := st.lookAround(ctx, why)
	return err == nil && now.mark == was.mark && len(now.lag) == 0 && len(now.missing) == 0
}

// lookAround takes one look at ends, committed offsets and, once there is no lag, at what was promised.
func (st *stage) lookAround(ctx context.Context, why string) (still, error) {
	var s still
	var mark strings.Builder
	ends := map[string]map[int32]int64{}
	for _, t := range st.cell.Doc.Topics {
		e, err := st.observer.Ends(ctx, t.Name)
		if err != nil {
			return s, err
		}
		ends[t.Name] = e
		fmt.Fprint(&mark, t.Name, e)
	}
	for _, g := range st.cell.Doc.Groups {
		committed, err := st.observer.Committed(ctx, g.Name)
		if err != nil {
			return s, err
		}
		fmt.Fprint(&mark, g.Name, committed)
		if why != calm {
			state, err := st.observer.Group(ctx, g.Name)
			if err != nil {
				return s, err
			}
			if strings.HasSuffix(state.State, "Rebalance") {
				s.moving = append(s.moving, g.Name)
			}
		}
		for _, topic := range g.Reads {
			for partition, end := range ends[topic] {
				at, known := committed[observe.TP{Topic: topic, Partition: partition}]
				if !known {
					at = 0
				}
				if end > at {
					s.lag = append(s.lag, fmt.Sprintf("%s/%d of %s: %d", topic, partition, g.Name, end-at))
				}
			}
		}
	}
	sort.Strings(s.lag)
	s.mark = mark.String()
	if len(s.lag) == 0 {
		missing, err := st.promised(ctx, why)
		if err != nil {
			return s, err
		}
		s.missing = missing
	}
	return s, nil
}

// promised lists what was promised and is not there yet: events that the source was told are recorded (an outbox may lag behind
// its promise), and summaries that are due (a role may notice late that the clock has moved on).
func (st *stage) promised(ctx context.Context, why string) ([]string, error) {
	open := map[string]bool{}
	closes := st.closes(why)
	for _, s := range st.senders {
		s.sent.Range(func(label, _ any) bool {
			st.owe(open, label.(string), closes)
			return true
		})
	}
	if len(open) == 0 {
		return nil, nil
	}
	for _, t := range st.cell.Doc.Topics {
		records, err := st.observer.Scan(ctx, t.Name)
		if err != nil {
			return nil, err
		}
		for i := range records {
			label := st.label(t.Name, records[i].Value)
			st.arrived[label] = true
			delete(open, label)
		}
	}
	out := make([]string, 0, len(open))
	for label := range open {
		out = append(out, label)
	}
	sort.Strings(out)
	return out, nil
}

// hidden names the displays that show fewer rows than there are summaries: one that was started anew reads its topic again, and
// may have to wait before that until the session of its former life has ended.
func (st *stage) hidden(ctx context.Context, why string) []string {
	if _, lacks := st.cell.Adapter.Lacks(st.cell.Doc)[contract.NeedsRows]; lacks || why == calm {
		return nil
	}
	var out []string
	for _, f := range st.cell.Doc.Flows {
		if f.View == "" {
			continue
		}
		rows, err := st.system.Rows(ctx, f.Role)
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		records, err := st.observer.Scan(ctx, f.Reads)
		if err != nil {
			out = append(out, err.Error())
			continue
		}
		there := map[string]bool{}
		for i := range records {
			if label := st.label(f.Reads, records[i].Value); strings.HasPrefix(label, "summary:") {
				there[label] = true
			}
		}
		if len(rows) < len(there) {
			out = append(out, fmt.Sprintf("%s shows %d of %d summaries", f.Role, len(rows), len(there)))
		}
	}
	return out
}

// closes tells whose windows are due: by the whole load at the end; before that, while a part of it is not sent yet, by what was
// recorded so far.
func (st *stage) closes(why string) func(workload.Event) bool {
	if why != calm {
		return func(e workload.Event) bool { return st.elapsed || st.load.Closes(e) }
	}
	newest := map[string]time.Time{}
	for _, s := range st.senders {
		s.sent.Range(func(label, _ any) bool {
			if e, ok := st.events[label.(string)]; ok {
				if group := strings.Join(e.Group, "\x00"); e.At.After(newest[group]) {
					newest[group] = e.At
				}
			}
			return true
		})
	}
	return func(e workload.Event) bool { return !st.load.Due(e).After(newest[strings.Join(e.Group, "\x00")]) }
}

// owe adds what follows from a recorded event and has not arrived: the event itself, and its summaries once they are due.
func (st *stage) owe(open map[string]bool, label string, closes func(workload.Event) bool) {
	e, ok := st.events[label]
	if (ok || st.owed[label]) && !st.arrived[label] {
		open[label] = true
	}
	if !ok {
		return
	}
	var missing []string
	for _, summary := range st.summariesOf(e) {
		if !st.arrived[summary] {
			missing = append(missing, summary)
		}
	}
	if len(missing) == 0 || !st.load.SetsTime() || !closes(e) {
		return
	}
	for _, summary := range missing {
		open[summary] = true
	}
}

// summariesOf are the labels of the summaries that an event counts in; they are asked for at every look.
func (st *stage) summariesOf(e workload.Event) []string {
	labels, known := st.counted[e.Label]
	if !known {
		for _, s := range st.load.SummariesOf(e) {
			labels = append(labels, s.Label)
		}
		st.counted[e.Label] = labels
	}
	return labels
}

func first(of []string, n int) []string { return of[:min(n, len(of))] }
