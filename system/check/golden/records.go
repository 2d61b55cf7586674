package golden

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// day of times that are written without one.
const day = "2026-11-07"

func moment(text string) (time.Time, error) {
	if !strings.Contains(text, "T") {
		text = day + "T" + text + ":00Z"
	}
	return time.Parse(time.RFC3339, text)
}

// event NAME KEY TIME NUMBERS [id=ID] [noid] [set=/field:JSON]: names a record of the source. It is the payload's example with these in place.
func (p *parser) event(w *words) error {
	name, key, when, numbers := w.word("name"), w.word("key"), w.word("time"), w.word("numbers")
	given := w.options("id", "noid", "set")
	flow := p.foldFlow()
	if flow == nil {
		return fmt.Errorf("the document has no fold")
	}
	record, topic, err := p.example(flow.Reads)
	if err != nil {
		return err
	}
	t, err := moment(when)
	if err != nil {
		return err
	}
	env := p.doc.Envelope
	place(record, env.Time, t.UTC().Format(time.RFC3339))
	place(record, topic.Key.From, key)
	place(record, env.ID, name)
	if id, ok := given["id"]; ok {
		place(record, env.ID, id)
	}
	if _, ok := given["noid"]; ok {
		place(record, env.ID, nil)
	}
	if err := placeNumbers(record, sourceFields(flow.Fold), numbers); err != nil {
		return err
	}
	if set, ok := given["set"]; ok {
		field, text, _ := strings.Cut(set, ":")
		if !json.Valid([]byte(text)) {
			return fmt.Errorf("set: %q is no JSON", text)
		}
		place(record, contract.Pointer(field), json.RawMessage(text))
	}
	return p.define(name, record)
}

// raw NAME TEXT: names a record of any text.
func (p *parser) raw(w *words) error {
	name := w.word("name")
	if _, twice := p.records[name]; twice {
		return fmt.Errorf("%s stands twice", name)
	}
	p.records[name] = w.all()
	return nil
}

func (p *parser) define(name string, record map[string]any) error {
	if _, twice := p.records[name]; twice {
		return fmt.Errorf("%s stands twice", name)
	}
	text, err := json.Marshal(record)
	p.records[name] = string(text)
	return err
}

func (p *parser) named(name string) (string, error) {
	record, ok := p.records[name]
	if !ok {
		return "", fmt.Errorf("no line above names %s", name)
	}
	return record, nil
}

// record PLACE NAME [key=KEY] [nokey] [from=ID:EPOCH:SEQ] [scan=SCAN]: the scan found that record there.
func (p *parser) record(w *words) error {
	where, name := w.place(), w.word("name")
	given := w.options("key", "nokey", "from", "scan", "id")
	value, err := p.named(name)
	if err != nil {
		return err
	}
	if id, ok := given["id"]; ok {
		var record map[string]any
		if err := json.Unmarshal([]byte(value), &record); err != nil {
			return err
		}
		place(record, p.doc.Envelope.ID, id)
		text, err := json.Marshal(record)
		if err != nil {
			return err
		}
		value = string(text)
	}
	return p.scanned(where, value, given)
}

func (p *parser) scanned(where *history.Position, value string, given map[string]string) error {
	e := history.Event{Proc: "scan", Op: history.OpRecord, Phase: history.OK, Tag: history.ScanRest, Value: value, Where: where}
	for i := range p.doc.Topics {
		if t := &p.doc.Topics[i]; t.Name == where.Topic {
			e.Key, _ = t.Key.From.Text([]byte(value))
		}
	}
	if key, ok := given["key"]; ok {
		e.Key = key
	}
	if _, ok := given["nokey"]; ok {
		e.Key = ""
	}
	if scan, ok := given["scan"]; ok {
		e.Tag = scan
	}
	if from, ok := given["from"]; ok {
		n, err := numbers(from, 3)
		if err != nil {
			return err
		}
		e.Producer = &history.Producer{ID: n[0], Epoch: int16(n[1]), Seq: int32(n[2])}
	}
	p.add(e)
	return nil
}

// summary PLACE KEY WINDOW NUMBERS [id=ID] [key=KEY] [nokey] [from=...] [scan=SCAN]: the scan found that summary there.
func (p *parser) summary(w *words) error {
	where, key, window, values := w.place(), w.word("key"), w.word("window"), w.word("numbers")
	given := w.options("id", "key", "nokey", "from", "scan")
	flow := p.foldFlow()
	record, _, err := p.example(where.Topic)
	if err != nil {
		return err
	}
	start, err := moment(window)
	if err != nil {
		return err
	}
	place(record, p.doc.Envelope.ID, "s/"+key+"/"+window)
	if id, ok := given["id"]; ok {
		place(record, p.doc.Envelope.ID, id)
	}
	fields := strings.Split(key, ",")
	for i := range p.doc.Flows {
		if p.doc.Flows[i].Writes != where.Topic {
			continue
		}
		at := 0
		for _, f := range p.doc.Flows[i].OverwriteKey {
			if f == flow.Fold.Window.Into {
				place(record, f, flow.Fold.Window.Format(start))
			} else if at < len(fields) {
				place(record, f, fields[at])
				at++
			}
		}
	}
	var into []contract.Pointer
	for _, a := range flow.Fold.Into {
		into = append(into, a.Into)
	}
	if err := placeNumbers(record, into, values); err != nil {
		return err
	}
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return p.scanned(where, string(text), given)
}

func (p *parser) foldFlow() *contract.Flow {
	for i := range p.doc.Flows {
		if p.doc.Flows[i].Fold != nil {
			return &p.doc.Flows[i]
		}
	}
	return nil
}

func sourceFields(f *contract.Fold) []contract.Pointer {
	var fields []contract.Pointer
	seen := map[contract.Pointer]bool{}
	for _, a := range f.Into {
		if a.Op != "count" && !seen[a.Of] {
			seen[a.Of] = true
			fields = append(fields, a.Of)
		}
	}
	return fields
}

// example is the first example of a topic's payload.
func (p *parser) example(topic string) (map[string]any, *contract.Topic, error) {
	for i := range p.doc.Topics {
		t := &p.doc.Topics[i]
		if t.Name != topic {
			continue
		}
		for _, payload := range p.doc.Payloads {
			if payload.Name == t.Payload && len(payload.Examples) > 0 {
				var record map[string]any
				return record, t, json.Unmarshal(payload.Examples[0], &record)
			}
		}
	}
	return nil, nil, fmt.Errorf("the document has no example of topic %s", topic)
}

// place puts a value at a pointer, or takes away what is there if the value is nil.
func place(record map[string]any, at contract.Pointer, value any) {
	tokens := at.Tokens()
	for i, token := range tokens {
		if i < len(tokens)-1 {
			record, _ = record[token].(map[string]any)
			continue
		}
		if value == nil {
			delete(record, token)
		} else if record != nil {
			record[token] = value
		}
	}
}

func placeNumbers(record map[string]any, fields []contract.Pointer, list string) error {
	all := strings.Split(list, ",")
	if len(all) != len(fields) {
		return fmt.Errorf("%q has %d numbers, and the fold %d fields", list, len(all), len(fields))
	}
	for i, text := range all {
		if text == "-" {
			place(record, fields[i], nil)
			continue
		}
		if !json.Valid([]byte(text)) {
			return fmt.Errorf("%q is no number", text)
		}
		place(record, fields[i], json.RawMessage(text))
	}
	return nil
}

func numbers(list string, n int) ([]int64, error) {
	parts := strings.Split(list, ":")
	if len(parts) != n {
		return nil, fmt.Errorf("%q is not %d numbers with : between", list, n)
	}
	out := make([]int64, n)
	for i, text := range parts {
		var err error
		if out[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, fmt.Errorf("%q is no number", text)
		}
	}
	return out, nil
}
