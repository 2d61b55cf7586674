package model

import (
	"encoding/json"
	"strconv"
	"time"

	"tahanuji/reference/port"
	"tahanuji/system/history"
	"tahanuji/system/sim/virtual"
	"tahanuji/system/sut"
)

// scan writes down all that can be seen at rest: topics, ends, records, committed offsets, rows.
func (w *world) scan(tag string) {
	for _, name := range w.topicOrder {
		t := w.topics[name]
		live, _ := json.Marshal(map[string]any{"partitions": len(t.parts), "config": t.config}) // strings always marshal
		w.add(history.Event{Op: history.OpTopic, Phase: history.OK, Proc: "scan", Tag: tag, Key: name, Value: string(live)})
	}
	for _, name := range w.topicOrder {
		w.scanTopic(tag, w.topics[name])
	}
	for _, g := range w.cfg.Doc.Groups {
		for _, name := range g.Reads {
			for n := range w.topics[name].count() {
				at, ok := w.group(g.Name).Offsets[port.Partition{Topic: name, Partition: int32(n)}]
				if !ok {
					at = -1
				}
				w.add(history.Event{Op: history.OpCommitted, Phase: history.OK, Proc: g.Name, Tag: tag,
					Where: &history.Position{Topic: name, Partition: int32(n), Offset: at}})
			}
		}
	}
	for _, f := range w.cfg.Doc.Flows {
		if f.View != "" {
			w.scanRows(tag, f.Role)
		}
	}
}

func (w *world) scanTopic(tag string, t *topic) {
	total := 0
	for _, p := range t.parts {
		w.add(history.Event{Op: history.OpEnd, Phase: history.OK, Proc: "scan", Tag: tag,
			Where: &history.Position{Topic: t.name, Partition: p.n, Offset: int64(len(p.Records))}})
		total += len(p.Records)
	}
	where := make([]history.Position, 0, total)
	for _, p := range t.parts {
		for i := range p.Records {
			r := &p.Records[i]
			where = append(where, history.Position{Topic: t.name, Partition: p.n, Offset: int64(i)})
			w.add(history.Event{Op: history.OpRecord, Phase: history.OK, Proc: "scan", Tag: tag, Key: string(r.Key), Value: string(r.Value),
				Where: &where[len(where)-1], Producer: &r.Origin})
		}
	}
}

// scanRows asks each display of a role. It runs the question as code of the process: it may use its port.
func (w *world) scanRows(tag, name string) {
	r := w.roles[name]
	if r == nil {
		return
	}
	for _, i := range r.instances {
		p := i.proc
		if p == nil || p.dead || p.program.Rows == nil {
			continue
		}
		var rows []sut.Row
		var err error
		task := w.loop.Go(i.door+" rows", func(*virtual.Task) { rows, err = p.program.Rows() })
		ok, failed := w.loop.Run(w.loop.Now()+w.time.Accept, task.Done)
		if failed != nil {
			w.loop.Fail(failed)
			return
		}
		if !ok || err != nil {
			e := history.Event{Op: history.OpRow, Phase: history.Unknown, Proc: name, Tag: tag, Err: "no answer within " + w.time.Accept.String()}
			if err != nil {
				e.Err = err.Error()
			}
			w.add(e)
			continue
		}
		for _, row := range rows {
			key, _ := json.Marshal(row.Key) // strings always marshal
			w.add(history.Event{Op: history.OpRow, Phase: history.OK, Proc: name, Tag: tag, Key: string(key), Value: string(row.Value)})
		}
		return
	}
}

// sampleLag writes down the lag of each group that the document bounds, and goes on until the load and its settling are over.
func (w *world) sampleLag() {
	if w.lagTag == "" || w.cfg.NoLedger {
		return
	}
	for _, g := range w.cfg.Doc.Groups {
		if g.Lag != nil {
			w.add(history.Event{Op: history.OpLag, Phase: history.OK, Proc: g.Name, Tag: w.lagTag, Value: strconv.FormatInt(w.lag(g.Name, g.Reads), 10)})
		}
	}
	w.loop.After(w.time.Lag, w.sampleLag)
}

// lag is how many records of topics a group has not committed.
func (w *world) lag(name string, topics []string) int64 {
	g := w.group(name)
	n := int64(0)
	for _, t := range topics {
		if w.topics[t] == nil {
			continue
		}
		for _, p := range w.topics[t].parts {
			n += int64(len(p.Records)) - g.Offsets[port.Partition{Topic: t, Partition: p.n}]
		}
	}
	return n
}

func (w *world) roleEvent(i *instance, what, err string) {
	w.add(history.Event{Proc: i.door, Op: history.OpRole, Phase: history.OK, Key: what, Err: err})
}

// add writes an event to the history.
func (w *world) add(e history.Event) history.Seq {
	e.Seq, e.At = history.Seq(len(w.events)+1), w.loop.Now()
	w.events = append(w.events, e)
	return e.Seq
}

// phase notes that the run entered a phase.
func (w *world) phase(name string) {
	w.add(history.Event{Op: history.OpPhase, Phase: history.OK, Key: name})
}

// clock is what the roles' clocks show.
func (w *world) clock() time.Time { return w.cfg.Load.Base.Add(w.loop.Now() + w.elapsed) }
