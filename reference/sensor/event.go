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

// reader reads events. Places are those of values that the checker notes while it checks. It is not safe for concurrent use.
type reader struct {
	check    *payload.Checker
	id, time int
	by, of   []int // place of each by-field, of each aggregate's field
	into     []fold.Aggregate
	cutter   *fold.Cutter
	found    []gjson.Result
}

func newReader(c Config) (*reader, error) {
	r := &reader{into: c.Fold.Into}
	var err error
	if r.check, err = payload.NewChecker(c.Events.Payload); err != nil {
		return nil, err
	}
	if r.cutter, err = fold.NewCutter(c.Fold.Window); err != nil {
		return nil, err
	}
	watch := func(p payload.Pointer) int {
		path, bad := payload.Compile(p)
		err = errors.Join(err, bad)
		return r.check.Watch(path)
	}
	r.id, r.time = watch(c.Dedupe.By), watch(c.Fold.Window.Of)
	for _, p := range c.Fold.By {
		r.by = append(r.by, watch(p))
	}
	for _, a := range c.Fold.Into {
		r.of = append(r.of, watch(a.Of))
	}
	return r, err
}

// read takes a record apart; a record that breaks its schema, or lacks what the fold needs, is poison.
func (r *reader) read(rec port.Record) event {
	e := event{at: Position{rec.Topic, rec.Partition, rec.Offset}}
	var valid bool
	if valid, r.found = r.check.Read(rec.Value, r.found); !valid {
		e.poison = "the record breaks its schema"
		return e
	}
	id, at := r.found[r.id], r.found[r.time]
	when, err := payload.Time(at)
	if err != nil || !id.Exists() {
		e.poison = "the record has no id or no time"
		return e
	}
	e.id, e.time = payload.Text(id), when.UnixMilli()
	e.by = make([]string, len(r.by))
	for i, p := range r.by {
		v := r.found[p]
		if !v.Exists() {
			e.poison = fmt.Sprintf("the record lacks by-field %d", i)
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
		if v := r.found[r.of[i]]; v.Type == gjson.Number {
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
