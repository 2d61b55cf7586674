package checkers

import (
	"encoding/json"
	"fmt"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// play plays a whole run of about n events, with duplicates, late events, crashes, poison and replays, and returns what was seen.
func (w *world) play(n int) *history.History {
	w.phase("start")
	for _, f := range w.doc.Flows {
		w.add(history.Event{Proc: f.Role + "/1", Op: history.OpRole, Phase: history.OK, Key: "started"})
	}
	w.phase("load")
	w.load(n)
	w.phase("heal")
	w.refuse(n + 10)
	w.poison(n + 11)
	for _, key := range w.s.keys { // the last events close the windows before them, and follow the poison
		w.sendNew(len(w.events), key, w.base().Add(80*time.Hour))
	}
	w.phase("settle")
	for p := range w.in.Partitions {
		w.summarize(int32(p), false)
	}
	w.publish(w.fold.Role+"/1", false)
	w.publishAll()
	w.fetchedByDisplay()
	w.lag("healed", 0)
	w.phase("rest")
	w.scan(history.ScanRest)
	w.replay()
	w.phase("end")
	return w.h
}

func (w *world) base() time.Time { return time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC) }

func (w *world) phase(name string) {
	w.add(history.Event{Op: history.OpPhase, Phase: history.OK, Key: name})
}

func (w *world) lag(tag string, n int) {
	for _, g := range w.doc.Groups {
		w.add(history.Event{Proc: g.Name, Op: history.OpLag, Phase: history.OK, Value: fmt.Sprint(n), Tag: tag})
	}
}

func (w *world) sendNew(n int, key string, at time.Time) *event {
	e := w.makeEvent(n, key, at)
	w.events = append(w.events, e)
	w.send(e, "")
	return e
}

func (w *world) load(n int) {
	at := w.base()
	for i := range n {
		at = at.Add(time.Duration(w.draw(200)) * time.Minute / time.Duration(1+n/20))
		when := at
		if w.draw(8) == 0 {
			when = at.Add(-time.Duration(w.draw(30)) * time.Minute) // late
		}
		if w.roleSets && len(w.events) > 0 && w.draw(5) == 0 { // the same once more, as another event: without an id nobody can tell
			twin := *w.events[len(w.events)-1]
			twin.label = fmt.Sprintf("event:%d", i)
			w.events = append(w.events, &twin)
			w.send(&twin, "")
			continue
		}
		w.sendNew(i, w.s.keys[w.draw(len(w.s.keys))], when)
		if w.draw(6) == 0 {
			w.send(w.events[w.draw(len(w.events))], "duplicate-later")
		}
		if w.draw(4) == 0 {
			w.summarize(int32(w.draw(w.in.Partitions)), w.draw(4) == 0)
			w.lag("load", 0)
		}
	}
}

// publishAll writes each due summary that was published before once more, as a member does that died before it noted the first.
func (w *world) publishAll() { w.publish(w.fold.Role+"/2", true) }

func (w *world) fetchedByDisplay() {
	for p, log := range w.logs[w.out.Name] {
		w.exchange(history.Exchange{API: "Fetch", Door: w.display.Role + "/1", Items: []history.Item{{Topic: w.out.Name, Partition: int32(p), Records: len(log)}}})
		w.exchange(history.Exchange{API: "OffsetCommit", Door: w.display.Role + "/1", Group: w.display.Group, Items: []history.Item{{Topic: w.out.Name, Partition: int32(p), Offset: int64(len(log))}}})
	}
}

func (w *world) scan(tag string) {
	for _, t := range w.doc.Topics {
		live, err := json.Marshal(map[string]any{"partitions": t.Partitions, "config": t.Config})
		if err != nil {
			panic(err)
		}
		w.add(history.Event{Proc: "scan", Op: history.OpTopic, Phase: history.OK, Key: t.Name, Value: string(live), Tag: tag})
		for p, log := range w.logs[t.Name] {
			for o, r := range log {
				from := r.from
				w.add(history.Event{Proc: "scan", Op: history.OpRecord, Phase: history.OK, Tag: tag, Key: r.key, Value: r.value,
					Where: &history.Position{Topic: t.Name, Partition: int32(p), Offset: int64(o)}, Producer: &from})
			}
			end := &history.Position{Topic: t.Name, Partition: int32(p), Offset: int64(len(log))}
			w.add(history.Event{Proc: "scan", Op: history.OpEnd, Phase: history.OK, Tag: tag, Where: end})
			for _, g := range w.doc.Groups {
				if g.Reads[0] == t.Name {
					w.add(history.Event{Proc: g.Name, Op: history.OpCommitted, Phase: history.OK, Tag: tag, Where: end})
				}
			}
		}
	}
	w.rows(tag)
}

func (w *world) rows(tag string) {
	role := w.display.Role
	w.add(history.Event{Proc: role, Op: history.OpRow, Phase: history.OK, Tag: tag})
	last := map[string]string{}
	var order []string
	for _, log := range w.logs[w.out.Name] {
		for _, r := range log {
			if _, seen := last[r.label]; !seen {
				order = append(order, r.label)
			}
			last[r.label] = r.value
		}
	}
	for _, label := range order {
		var key []string
		for _, p := range w.write.OverwriteKey {
			text, _ := p.Text([]byte(last[label]))
			key = append(key, text)
		}
		values := map[contract.Pointer]json.RawMessage{}
		for _, a := range w.fold.Fold.Into {
			got, _ := a.Into.Get([]byte(last[label]))
			values[a.Into] = json.RawMessage(got.Raw)
		}
		keyText, _ := json.Marshal(key)
		value, _ := json.Marshal(values)
		w.add(history.Event{Proc: role, Op: history.OpRow, Phase: history.OK, Tag: tag, Key: string(keyText), Value: string(value)})
	}
}

// replay reads all again, first with the state kept, where some summaries come again as they were, then with the state emptied.
func (w *world) replay() {
	w.phase(history.ScanReplayKept)
	clear(w.next)
	for p := range w.in.Partitions {
		w.summarize(int32(p), false)
	}
	w.fetchedByDisplay()
	w.scan(history.ScanReplayKept)
	w.phase(history.ScanReplayEmptied)
	clear(w.next)
	clear(w.cells)
	clear(w.stored)
	clear(w.newest)
	for p := range w.in.Partitions {
		w.summarize(int32(p), false)
	}
	w.publishAll()
	w.fetchedByDisplay()
	w.scan(history.ScanReplayEmptied)
}

// input is a run of the model as checkers see it.
func (w *world) input() *check.Input { return &check.Input{Doc: w.doc, History: w.h} }
