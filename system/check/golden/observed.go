package golden

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tahanuji/system/history"
)

// topic NAME PARTITIONS [CONFIG=VALUE ...]: a describe of the live topic.
func (p *parser) topic(w *words) error {
	name, partitions := w.word("name"), w.number("partitions")
	config := map[string]string{}
	for w.rest != "" {
		key, value, ok := strings.Cut(w.word("config"), "=")
		if !ok {
			return fmt.Errorf("%q is no CONFIG=VALUE", key)
		}
		config[key] = value
	}
	text, err := json.Marshal(map[string]any{"partitions": partitions, "config": config})
	p.add(history.Event{Proc: "scan", Op: history.OpTopic, Phase: history.OK, Key: name, Value: string(text), Tag: history.ScanRest})
	return err
}

func scanTag(given map[string]string) string {
	if scan, ok := given["scan"]; ok {
		return scan
	}
	return history.ScanRest
}

// committed GROUP PLACE [scan=SCAN]: the group's committed offset, -1 if none.
func (p *parser) committed(w *words) error {
	group, where := w.word("group"), w.place()
	p.add(history.Event{Proc: group, Op: history.OpCommitted, Phase: history.OK, Where: where, Tag: scanTag(w.options("scan"))})
	return nil
}

// end PLACE [scan=SCAN]: the partition's end offset.
func (p *parser) end(w *words) error {
	where := w.place()
	p.add(history.Event{Proc: "scan", Op: history.OpEnd, Phase: history.OK, Where: where, Tag: scanTag(w.options("scan"))})
	return nil
}

// rows ROLE [scan=SCAN]: the display was asked and answered.
func (p *parser) rows(w *words) error {
	role := w.word("role")
	p.add(history.Event{Proc: role, Op: history.OpRow, Phase: history.OK, Tag: scanTag(w.options("scan"))})
	return nil
}

// row ROLE KEY NUMBERS [scan=SCAN]: a row that a display shows; KEY are the key's fields with / between, in the order of the overwrite
// key, of which the window may be written as an hour.
func (p *parser) row(w *words) error {
	role, key, values := w.word("role"), w.word("key"), w.word("numbers")
	scan := scanTag(w.options("scan"))
	fields := strings.Split(key, "/")
	for i, f := range fields {
		if at, err := moment(f); err == nil {
			fields[i] = at.UTC().Format("2006-01-02T15:04:05Z07:00")
		}
	}
	record := map[string]any{}
	all := strings.Split(values, ",")
	into := p.foldFlow().Fold.Into
	if len(all) != len(into) {
		return fmt.Errorf("%q has %d numbers, and the fold %d fields", values, len(all), len(into))
	}
	for i, text := range all {
		if text != "-" {
			record[string(into[i].Into)] = json.RawMessage(text)
		}
	}
	keyText, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	value, err := json.Marshal(record)
	p.add(history.Event{Proc: role, Op: history.OpRow, Phase: history.OK, Key: string(keyText), Value: string(value), Tag: scan})
	return err
}

// stored INSTANCE NAME PLACE [begun]: the store took the record; begun: the transaction began, and nobody knows whether it ended.
func (p *parser) stored(w *words) error {
	instance, name, where := w.word("instance"), w.word("name"), w.place()
	given := w.options("begun")
	value, err := p.named(name)
	if err != nil {
		return err
	}
	id, _ := p.doc.Envelope.ID.Text([]byte(value))
	e := history.Event{Proc: instance, Op: history.OpStored, Phase: history.Invoke, Key: id, Where: where}
	e.Of = p.add(e)
	if _, begun := given["begun"]; !begun {
		e.Phase = history.OK
		p.add(e)
	}
	return nil
}

// lag GROUP RECORDS TAG: a sample of a group's lag.
func (p *parser) lag(w *words) error {
	group, records, tag := w.word("group"), w.number("records"), w.word("tag")
	p.add(history.Event{Proc: group, Op: history.OpLag, Phase: history.OK, Value: strconv.FormatInt(records, 10), Tag: tag})
	return nil
}

// phase NAME [VALUE]: the run entered a phase.
func (p *parser) phase(w *words) error {
	p.add(history.Event{Op: history.OpPhase, Phase: history.OK, Key: w.word("name"), Value: w.all()})
	return nil
}

// role INSTANCE STATE [TAG]: what became of a role's process.
func (p *parser) role(w *words) error {
	instance, state := w.word("instance"), w.word("state")
	p.add(history.Event{Proc: instance, Op: history.OpRole, Phase: history.OK, Key: state, Tag: w.all()})
	return nil
}

// fault STEP begin|end: a step of the plan.
func (p *parser) fault(w *words) error {
	step, what := w.word("step"), w.word("begin or end")
	switch what {
	case "begin":
		p.add(history.Event{Op: history.OpFault, Phase: history.Invoke, Key: step})
	case "end":
		p.add(history.Event{Op: history.OpFault, Phase: history.OK, Key: step})
	default:
		return fmt.Errorf("%q is neither begin nor end", what)
	}
	return nil
}
