package checkers

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// subject is what the model has to know of a document beside the document: how ids and values look that its schema takes.
type subject struct {
	name, file string
	keys       []string
	id         func(n int) string
	numbers    func(draw func(limit int) int) []json.RawMessage // of the fold's fields, in order
	wrong      contract.Pointer                                 // a field of the event that refuses the text "wrong"
}

var subjects = []subject{
	{"golden", "../testdata/documents/golden.yaml", []string{"sensor-01", "sensor-02", "sensor-03"}, func(n int) string { return fmt.Sprintf("v%d", n) }, degrees, "/data/suhu"},
	{"sensor", "../../sensor/architecture.yaml", []string{"sensor-01", "sensor-02", "sensor-07", "sensor-19"}, func(n int) string { return uuid(fmt.Sprint("event", n)) }, degrees, "/data/suhu_c"},
	{"toko", "../../contract/testdata/toko/architecture.yaml", []string{"toko-melati", "toko-kenanga", "toko-dahlia"}, func(n int) string { return fmt.Sprintf("P-%010d", n) }, orders, "/isi/harga"},
}

func degrees(draw func(int) int) []json.RawMessage {
	return []json.RawMessage{json.RawMessage(fmt.Sprintf("%d.%02d", draw(50), draw(100)))}
}

func orders(draw func(int) int) []json.RawMessage {
	return []json.RawMessage{json.RawMessage(fmt.Sprintf("%d.%02d", draw(90000), 1+draw(99))), json.RawMessage(fmt.Sprint(1 + draw(400)))}
}

func uuid(seed string) string {
	h := fmt.Sprintf("%x", sha256.Sum256([]byte(seed)))
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:32]
}

// world is a small model of a correct system: it plays a run and writes down what would be seen.
type world struct {
	draw      func(limit int) int // a number from 0 up to, not including, limit
	s         subject
	doc       *contract.Document
	fold      *contract.Flow
	write     *contract.Flow
	source    *contract.Flow
	display   *contract.Flow
	in, out   *contract.Topic
	h         *history.History
	clock     time.Duration
	events    []*event
	logs      map[string][][]logged // by topic and partition
	next      []int64               // per partition what the group has committed
	seqs      map[string]int32      // per topic and partition the producer's next number
	cells     map[string]*cell
	stored    map[string]bool
	newest    map[string]time.Time // per key
	producers []string
	roleSets  bool // the role sets the ids of events, and the source sends none
	ids       int
}

type event struct {
	label, id, key, value string
	at                    time.Time
	numbers               []json.RawMessage
}

type logged struct {
	label, key, value string
	from              history.Producer
	event             *event // nil: poison or a summary
}

type cell struct {
	key       string
	start     time.Time
	of        []*event
	published int // events counted by the last publication
}

func (w *world) add(e history.Event) history.Seq {
	w.clock += time.Millisecond
	e.Seq, e.At = history.Seq(len(w.h.Events)+1), w.clock
	w.h.Events = append(w.h.Events, e)
	return e.Seq
}

func (w *world) exchange(x history.Exchange) *history.Exchange {
	w.clock += time.Millisecond
	x.Seq, x.At, x.Applied, x.Told = int64(len(w.h.Ledger)+1), w.clock, history.OK, history.OK
	w.h.Ledger = append(w.h.Ledger, x)
	return &w.h.Ledger[len(w.h.Ledger)-1]
}

func newWorld(s subject, doc *contract.Document, draw func(int) int) *world {
	w := &world{
		draw: draw, s: s, doc: doc, h: &history.History{}, logs: map[string][][]logged{}, seqs: map[string]int32{},
		cells: map[string]*cell{}, stored: map[string]bool{}, newest: map[string]time.Time{},
	}
	for i := range doc.Flows {
		f := &doc.Flows[i]
		switch {
		case f.Fold != nil:
			w.fold = f
		case len(f.OverwriteKey) > 0:
			w.write = f
		case f.Kind == contract.Recorder:
			w.source = f
		case f.View != "":
			w.display = f
		}
	}
	for i := range doc.Topics {
		t := &doc.Topics[i]
		w.logs[t.Name] = make([][]logged, t.Partitions)
		if t.Name == w.fold.Reads {
			w.in = t
		} else {
			w.out = t
		}
	}
	w.next = make([]int64, w.in.Partitions)
	return w
}

// example fills the example of a topic's payload.
func (w *world) example(topic *contract.Topic, values map[contract.Pointer]any) string {
	var record map[string]any
	for _, p := range w.doc.Payloads {
		if p.Name == topic.Payload {
			if err := json.Unmarshal(p.Examples[0], &record); err != nil {
				panic(err)
			}
		}
	}
	for at, v := range values {
		into, tokens := record, at.Tokens()
		for _, t := range tokens[:len(tokens)-1] {
			into = into[t].(map[string]any)
		}
		into[tokens[len(tokens)-1]] = v
	}
	text, err := json.Marshal(record)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// fields are what the fold's aggregates read.
func (w *world) fields() []contract.Pointer {
	var out []contract.Pointer
	for _, a := range w.fold.Fold.Into {
		if a.Op != "count" && !slices.Contains(out, a.Of) {
			out = append(out, a.Of)
		}
	}
	return out
}

func (w *world) makeEvent(n int, key string, at time.Time) *event {
	e := &event{label: fmt.Sprintf("event:%d", n), id: w.s.id(n), key: key, at: at, numbers: w.s.numbers(w.draw)}
	values := map[contract.Pointer]any{w.doc.Envelope.ID: e.id, w.doc.Envelope.Time: at.UTC().Format(time.RFC3339), w.in.Key.From: key}
	for i, f := range w.fields() {
		values[f] = e.numbers[i]
	}
	e.value = w.example(w.in, values)
	return e
}

func (w *world) append(topic *contract.Topic, partition int32, role string, r logged) history.Position {
	log := w.logs[topic.Name][partition]
	at := history.Position{Topic: topic.Name, Partition: partition, Offset: int64(len(log))}
	number := fmt.Sprint(topic.Name, partition, role)
	r.from = history.Producer{ID: w.producer(role), Epoch: 0, Seq: w.seqs[number]}
	w.seqs[number]++
	w.logs[topic.Name][partition] = append(log, r)
	w.exchange(history.Exchange{API: "Produce", Door: role, Acks: -1, Items: []history.Item{{
		Topic: at.Topic, Partition: partition, Offset: at.Offset, ToldOffset: at.Offset, Labels: []string{r.label}, Records: 1,
		ProducerID: r.from.ID, Epoch: r.from.Epoch, FirstSeq: r.from.Seq,
	}}})
	return at
}

// producer is the id of an instance's producer.
func (w *world) producer(instance string) int64 {
	at := slices.Index(w.producers, instance)
	if at < 0 {
		at = len(w.producers)
		w.producers = append(w.producers, instance)
	}
	return int64(at)
}

func (w *world) home(key string, partitions int) int32 {
	sum := sha256.Sum256([]byte(key))
	return int32(int(sum[0]) % partitions)
}

// send plays the source: one event, with or without an answer lost, until it is recorded.
func (w *world) send(e *event, tag string) {
	role := w.source.Role
	given, named := e.value, e.id
	if w.roleSets {
		given = w.without(e.value)
	}
	record := func() history.Position {
		made := e
		if w.roleSets {
			made = w.identified(e)
			if named = made.id; w.draw(2) == 0 {
				named = "" // the answer need not name it
			}
		}
		return w.append(w.in, w.home(e.key, w.in.Partitions), role+"/1", logged{label: e.label, key: e.key, value: made.value, event: made})
	}
	invoke := func() history.Seq {
		return w.add(history.Event{Proc: role, Op: history.OpSend, Phase: history.Invoke, Key: e.label, Value: given, Tag: tag})
	}
	switch w.draw(6) {
	case 0: // the answer is lost, the event is not
		of := invoke()
		record()
		w.add(history.Event{Proc: role, Op: history.OpSend, Phase: history.Unknown, Of: of, Key: e.label})
	case 1: // nothing reached the role
		of := invoke()
		w.add(history.Event{Proc: role, Op: history.OpSend, Phase: history.Unknown, Of: of, Key: e.label, Tag: check.NotReached})
	}
	of := invoke()
	at := record()
	answer := history.Event{Proc: role, Op: history.OpSend, Phase: history.OK, Of: of, Key: e.label, Value: named}
	if w.draw(2) == 0 {
		answer.Where = &at
	}
	w.add(answer)
}

// identified is the event under an id that the role sets: a new one for each send that it accepts.
func (w *world) identified(e *event) *event {
	w.ids++
	made := *e
	made.id = w.s.id(100_000 + w.ids)
	var record map[string]any
	if err := json.Unmarshal([]byte(e.value), &record); err != nil {
		panic(err)
	}
	record[w.doc.Envelope.ID.Name()] = made.id
	text, err := json.Marshal(record)
	if err != nil {
		panic(err)
	}
	made.value = string(text)
	return &made
}

// without is a record as a source sends it that leaves the id to the role.
func (w *world) without(value string) string {
	var record map[string]any
	if err := json.Unmarshal([]byte(value), &record); err != nil {
		panic(err)
	}
	delete(record, w.doc.Envelope.ID.Name())
	text, err := json.Marshal(record)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// refuse plays an invalid event.
func (w *world) refuse(n int) {
	role, label := w.source.Role, fmt.Sprintf("event:%d", n)
	values := map[contract.Pointer]any{w.doc.Envelope.ID: w.s.id(n), w.s.wrong: "wrong"}
	fields, _ := json.Marshal([]contract.Pointer{w.s.wrong})
	of := w.add(history.Event{Proc: role, Op: history.OpSend, Phase: history.Invoke, Key: label, Value: w.example(w.in, values), Tag: "invalid", Err: string(fields)})
	w.add(history.Event{Proc: role, Op: history.OpSend, Phase: history.Fail, Of: of, Key: label, Value: string(fields)})
}

func (w *world) poison(n int) {
	value := w.example(w.in, map[contract.Pointer]any{w.doc.Envelope.ID: w.s.id(n), w.s.wrong: "wrong"})
	p := int32(w.draw(w.in.Partitions))
	where := &history.Position{Topic: w.in.Name, Partition: p, Offset: int64(len(w.logs[w.in.Name][p]))}
	w.logs[w.in.Name][p] = append(w.logs[w.in.Name][p], logged{label: "", key: "", value: value, from: history.Producer{ID: -1, Seq: -1}})
	of := w.add(history.Event{Proc: check.HarnessProc, Op: history.OpSend, Phase: history.Invoke, Key: "poison", Value: value, Tag: check.PoisonTag})
	w.add(history.Event{Proc: check.HarnessProc, Op: history.OpSend, Phase: history.OK, Of: of, Key: "poison", Tag: check.PoisonTag, Where: where})
}

// summarize plays a member of the group on one partition: store, publish, commit, or die before the commit.
func (w *world) summarize(p int32, dies bool) {
	log := w.logs[w.in.Name][p]
	from := w.next[p]
	if from == int64(len(log)) {
		return
	}
	member := fmt.Sprintf("%s/%d", w.fold.Role, 1+w.draw(2))
	w.exchange(history.Exchange{API: "Fetch", Door: member, Items: []history.Item{{Topic: w.in.Name, Partition: p, Offset: from, Records: len(log) - int(from)}}})
	for o := from; o < int64(len(log)); o++ {
		if e := log[o].event; e != nil {
			w.store(member, e, history.Position{Topic: w.in.Name, Partition: p, Offset: o})
		}
	}
	w.publish(member, false)
	if dies {
		return
	}
	w.next[p] = int64(len(log))
	w.exchange(history.Exchange{API: "OffsetCommit", Door: member, Group: w.fold.Group, Items: []history.Item{{Topic: w.in.Name, Partition: p, Offset: w.next[p]}}})
}

func (w *world) store(member string, e *event, at history.Position) {
	of := w.add(history.Event{Proc: member, Op: history.OpStored, Phase: history.Invoke, Key: e.id, Where: &at})
	w.add(history.Event{Proc: member, Op: history.OpStored, Phase: history.OK, Of: of, Key: e.id, Where: &at})
	if w.stored[e.id] {
		return
	}
	w.stored[e.id] = true
	start := w.fold.Fold.Window.Start(e.at)
	name := e.key + "|" + w.fold.Fold.Window.Label(start)
	if w.cells[name] == nil {
		w.cells[name] = &cell{key: e.key, start: start}
	}
	w.cells[name].of = append(w.cells[name].of, e)
	if e.at.After(w.newest[e.key]) {
		w.newest[e.key] = e.at
	}
}

// publish writes the summaries that are due and changed; again: also those that did not change.
func (w *world) publish(member string, again bool) {
	names := make([]string, 0, len(w.cells))
	for name := range w.cells {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		c := w.cells[name]
		fold := w.fold.Fold
		due := fold.Emit == "on-change" || !w.newest[c.key].Before(fold.Window.End(c.start).Add(fold.Window.Grace))
		if !due || c.published == len(c.of) && !again && w.draw(8) > 0 {
			continue
		}
		c.published = len(c.of)
		w.append(w.out, w.home(c.key, w.out.Partitions), member, logged{label: "summary:" + name, key: c.key, value: w.summary(name, c)})
	}
}

func (w *world) summary(name string, c *cell) string {
	fold := w.fold.Fold
	values := map[contract.Pointer]any{w.doc.Envelope.ID: uuid(name), fold.Window.Into: fold.Window.Format(c.start)}
	for _, p := range w.write.OverwriteKey {
		if p != fold.Window.Into {
			values[p] = c.key
		}
	}
	for _, a := range fold.Into {
		values[a.Into] = w.aggregate(a, c)
	}
	return w.example(w.out, values)
}

func (w *world) aggregate(a contract.Aggregate, c *cell) json.RawMessage {
	if a.Op == "count" {
		return json.RawMessage(fmt.Sprint(len(c.of)))
	}
	at := slices.Index(w.fields(), a.Of)
	result := new(big.Rat)
	for i, e := range c.of {
		n, _ := new(big.Rat).SetString(string(e.numbers[at]))
		switch {
		case i == 0, a.Op == "min" && n.Cmp(result) < 0, a.Op == "max" && n.Cmp(result) > 0:
			result = n
		case a.Op == "sum", a.Op == "mean":
			result = new(big.Rat).Add(result, n)
		}
	}
	if a.Op == "mean" {
		result.Quo(result, big.NewRat(int64(len(c.of)), 1))
	}
	return json.RawMessage(result.FloatString(2))
}
