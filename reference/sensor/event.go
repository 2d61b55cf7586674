package sensor

import (
	"errors"
	"fmt"
	"strings"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor/fold"
	"tahanuji/reference/sensor/payload"

	"github.com/tidwall/gjson"
)

// event is what the summarizer takes out of a record.
type event struct {
	at      Position
	id      string
	group   string   // by-fields as JSON text, joined with ","
	by      []string // by-fields as JSON text
	time    int64    // milliseconds since 1970
	start   int64    // of its window
	end     int64
	numbers []string // one for each aggregate, "" where the event has none
	poison  string   // why the record can't be read; "" when it can
	skipped bool     // by a flaw
}

// reader reads events.
type reader struct {
	check  *payload.Checker
	id     payload.Path
	time   payload.Path
	by     []payload.Path
	of     []payload.Path
	into   []fold.Aggregate
	cutter *fold.Cutter
}

func newReader(c Config) (*reader, error) {
	r := &reader{into: c.Fold.Into}
	of := make([]payload.Pointer, len(c.Fold.Into))
	for i, a := range c.Fold.Into {
		of[i] = a.Of
	}
	var errs [6]error
	r.check, errs[0] = payload.NewChecker(c.Events.Payload)
	r.id, errs[1] = payload.Compile(c.Dedupe.By)
	r.time, errs[2] = payload.Compile(c.Fold.Window.Of)
	r.by, errs[3] = payload.CompileAll(c.Fold.By)
	r.of, errs[4] = payload.CompileAll(of)
	r.cutter, errs[5] = fold.NewCutter(c.Fold.Window)
	return r, errors.Join(errs[:]...)
}

// read takes a record apart; a record that breaks its schema, or lacks what the fold needs, is poison.
func (r *reader) read(rec port.Record) event {
	e := event{at: Position{rec.Topic, rec.Partition, rec.Offset}}
	if !r.check.Valid(rec.Value) {
		e.poison = "the record breaks its schema"
		return e
	}
	id, at := r.id.Get(rec.Value), r.time.Get(rec.Value)
	when, err := payload.Time(at)
	if err != nil || !id.Exists() {
		e.poison = "the record has no id or no time"
		return e
	}
	e.id, e.time = payload.Text(id), when.UnixMilli()
	e.by = make([]string, len(r.by))
	for i, p := range r.by {
		v := p.Get(rec.Value)
		if !v.Exists() {
			e.poison = fmt.Sprintf("the record has no %s", p.Pointer())
			return e
		}
		e.by[i] = jsonText(v)
	}
	e.group = strings.Join(e.by, ",")
	if len(e.by) == 1 {
		e.group = e.by[0]
	}
	start, end := r.cutter.Of(when)
	e.start, e.end = start.UnixMilli(), end.UnixMilli()
	e.numbers = make([]string, len(r.into))
	for i, a := range r.into {
		if a.Op == fold.Count {
			continue
		}
		if i > 0 && r.into[i-1].Of == a.Of {
			e.numbers[i] = e.numbers[i-1]
			continue
		}
		if v := r.of[i].Get(rec.Value); v.Type == gjson.Number {
			e.numbers[i] = v.Raw
		}
	}
	return e
}

// jsonText is a value as JSON text in one spelling for strings, so that a key is one key however it was escaped.
func jsonText(v gjson.Result) string {
	if v.Type == gjson.String && strings.Contains(v.Raw, `\`) {
		return fold.Quote(v.Str)
	}
	return v.Raw
}
