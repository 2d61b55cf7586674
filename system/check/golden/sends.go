package golden

import (
	"encoding/json"
	"fmt"
	"strings"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

var sendOptions = []string{"id", "where", "fields", "tag", "wrong", "as"}

// send NAME OUTCOME [id=ID] [where=PLACE] [fields=/a,/b] [tag=TAG] [wrong=/a,/b] [as=LABEL]: the source handed the event over and got
// that answer: ok, refused, unknown or not-reached.
func (p *parser) send(w *words) error {
	name, outcome := w.word("name"), w.word("outcome")
	given := w.options(sendOptions...)
	if err := p.invoke(name, given); err != nil {
		return err
	}
	return p.answered(name, outcome, given)
}

// begin NAME [tag=TAG] [wrong=...] [as=LABEL]: the send began; answer NAME OUTCOME ... ends it.
func (p *parser) begin(w *words) error { return p.invoke(w.word("name"), w.options(sendOptions...)) }

func (p *parser) answer(w *words) error {
	return p.answered(w.word("name"), w.word("outcome"), w.options(sendOptions...))
}

func (p *parser) invoke(name string, given map[string]string) error {
	value, err := p.named(name)
	if err != nil {
		return err
	}
	e := history.Event{Proc: p.recorder(), Op: history.OpSend, Phase: history.Invoke, Key: name, Value: value, Tag: given["tag"]}
	if label, ok := given["as"]; ok {
		e.Key = label
	}
	if wrong, ok := given["wrong"]; ok {
		if e.Err, err = pointerList(wrong); err != nil {
			return err
		}
		if e.Tag == "" {
			e.Tag = check.InvalidTag
		}
	}
	if p.open == nil {
		p.open = map[string]history.Seq{}
	}
	p.open[name] = p.add(e)
	return nil
}

func (p *parser) answered(name, outcome string, given map[string]string) error {
	of, ok := p.open[name]
	if !ok {
		return fmt.Errorf("no send of %s is open", name)
	}
	delete(p.open, name)
	e := history.Event{Proc: p.recorder(), Op: history.OpSend, Of: of, Key: name}
	if label, ok := given["as"]; ok {
		e.Key = label
	}
	switch outcome {
	case "ok":
		e.Phase, e.Value = history.OK, given["id"]
		if at, ok := given["where"]; ok {
			w := words{rest: at}
			if e.Where = w.place(); w.err != nil {
				return w.err
			}
		}
	case "refused":
		e.Phase = history.Fail
		var err error
		if e.Value, err = pointerList(given["fields"]); err != nil {
			return err
		}
	case "unknown":
		e.Phase = history.Unknown
	case "not-reached":
		e.Phase, e.Tag = history.Unknown, check.NotReached
	default:
		return fmt.Errorf("%q is not ok, refused, unknown or not-reached", outcome)
	}
	p.add(e)
	return nil
}

// poison NAME PLACE: the harness wrote the record to the topic.
func (p *parser) poison(w *words) error {
	name, where := w.word("name"), w.place()
	value, err := p.named(name)
	if err != nil {
		return err
	}
	of := p.add(history.Event{Proc: check.HarnessProc, Op: history.OpSend, Phase: history.Invoke, Key: name, Value: value, Tag: check.PoisonTag})
	p.add(history.Event{Proc: check.HarnessProc, Op: history.OpSend, Phase: history.OK, Of: of, Key: name, Tag: check.PoisonTag, Where: where})
	return nil
}

func (p *parser) recorder() string {
	for i := range p.doc.Flows {
		if p.doc.Flows[i].Kind == contract.Recorder {
			return p.doc.Flows[i].Role
		}
	}
	return "recorder"
}

func pointerList(list string) (string, error) {
	fields := []string{}
	if list != "" {
		fields = strings.Split(list, ",")
	}
	text, err := json.Marshal(fields)
	return string(text), err
}
