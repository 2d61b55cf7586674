package contract

import "fmt"

// pointers: places in records are places that an example has.
func (l *linter) pointers() {
	env := l.doc.Envelope
	for _, t := range l.doc.Topics {
		l.found(Pointer("/topics").Join(t.Name)+"/key/from", t.Name, t.Key.From)
		for name, p := range map[string]Pointer{"id": env.ID, "type": env.Type, "time": env.Time, "data": env.Data} {
			l.found(Pointer("/envelope").Join(name), t.Name, p)
		}
	}
	for _, f := range l.doc.Flows {
		at := f.Pointer()
		for i, p := range f.OverwriteKey {
			l.found((at + "/overwrite-key").JoinIndex(i), f.Writes, p)
		}
		if f.Dedupe != nil {
			l.found(at+"/dedupe/by", f.Reads, f.Dedupe.By)
		}
		if f.Fold == nil {
			continue
		}
		for i, p := range f.Fold.By {
			l.found((at + "/fold/by").JoinIndex(i), f.Reads, p)
		}
		l.found(at+"/fold/window/of", f.Reads, f.Fold.Window.Of)
		l.times(f)
		out := l.doc.Out(&f)
		if out == nil {
			continue
		}
		l.found(at+"/fold/window/into", out.Writes, f.Fold.Window.Into)
		for _, a := range f.Fold.Into {
			into := (at + "/fold/into").Join(string(a.Into))
			l.found(into, out.Writes, a.Into)
			if a.Op != "count" {
				l.found(into.Join(a.Op), f.Reads, a.Of)
			}
		}
	}
	l.unique()
}

// unique: what the workload makes unique is a place in the events of some recorder.
func (l *linter) unique() {
	for i, p := range l.doc.Workload.Unique {
		tried, topics := linter{doc: l.doc}, 0
		for _, f := range l.doc.Flows {
			if f.Kind == Recorder && f.Writes != "" {
				topics++
				tried.found(Pointer("/workload/unique").JoinIndex(i), f.Writes, p)
			}
		}
		if len(tried.faults) == topics {
			l.faults = append(l.faults, tried.faults...)
		}
	}
}

// times: event time is read from the examples as it will be from events.
func (l *linter) times(f Flow) {
	payload := l.doc.PayloadOf(f.Reads)
	if payload == nil {
		return
	}
	for i, example := range payload.Examples {
		value, there := f.Fold.Window.Of.Get(example)
		if _, err := ParseTime(value.Str); there && err != nil {
			l.fault(l.doc.PosOf((Pointer("/payloads").Join(payload.Name)+"/examples").JoinIndex(i)+f.Fold.Window.Of), "example-time",
				fmt.Sprintf("example %d of %s: %s is %.40s, which is no RFC 3339 time with a zone", i+1, payload.Name, f.Fold.Window.Of, value.Raw), "write the time such as 2026-11-07T08:30:00Z")
		}
	}
}

func (l *linter) found(at Pointer, topic string, p Pointer) {
	payload := l.doc.PayloadOf(topic)
	if payload == nil || len(payload.Examples) == 0 {
		return
	}
	for _, example := range payload.Examples {
		if _, ok := p.Get(example); ok {
			return
		}
	}
	l.fault(l.doc.PosOf(at), "pointer-example", fmt.Sprintf("%s names %s, which no example of %s has", at, quoted(string(p)), payload.Name), "correct the pointer, or show the field in an example")
}
