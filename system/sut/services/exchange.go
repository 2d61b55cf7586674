package services

import (
	"context"
	"net/http"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"tahanuji/system/contract"
)

func (r *reader) ready(n *yaml.Node, what string) Ready {
	out := Ready{Within: ReadyWithin, Given: true}
	t, ok := r.table(n, what, []string{"http", "line", "port", "group", "within"})
	if !ok {
		return out
	}
	ways := 0
	for _, way := range []string{"http", "line", "port", "group"} {
		if t.has(way) {
			ways++
		}
	}
	if ways != 1 {
		r.fault(t.node, "%s: give one of http, line, port, group", what)
	}
	out.HTTP, out.Port, out.Group = t.text("http"), t.text("port"), t.text("group")
	if t.has("line") {
		line, err := regexp.Compile(t.text("line").Value)
		if err != nil {
			r.fault(t.items["line"], "%s.line: no regular expression (RE2): %s", what, err)
		}
		out.Line = line
	}
	out.Within = t.limit("within", ReadyWithin)
	return out
}

// variables reads a mapping of names to texts. ASCII names only; HTTP header names are more narrow than variables.
func (t table) variables(key string, headers bool) []Variable {
	if !t.has(key) {
		return nil
	}
	m, ok := t.r.table(t.items[key], t.path(key), nil)
	if !ok {
		return nil
	}
	form := envName
	if headers {
		form = headerName
	}
	var out []Variable
	for _, name := range m.keys {
		if !form.MatchString(name) {
			t.r.fault(m.names[name], "%s: %q is no name here", t.path(key), name)
		}
		v := m.text(name)
		if strings.ContainsAny(v.Value, "\x00") || headers && strings.ContainsAny(v.Value, "\r\n") {
			t.r.fault(m.items[name], "%s: a character that can't stand in a value", m.path(name))
		}
		out = append(out, Variable{name, v})
	}
	return out
}

var (
	envName    = regexp.MustCompile(`^[^=\x00]+$`)
	headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
)

func (r *reader) call(n *yaml.Node, what, method string, keys ...string) *Call {
	t, ok := r.table(n, what, append([]string{"method", "url", "headers"}, keys...))
	if !ok {
		return &Call{}
	}
	c := &Call{Method: method, URL: t.text("url"), Headers: t.variables("headers", true)}
	if t.has("method") {
		c.Method = strings.ToUpper(t.text("method").Value)
		if _, err := http.NewRequestWithContext(context.Background(), c.Method, "http://127.0.0.1/", nil); err != nil || c.Method == "" {
			r.fault(t.items["method"], "%s.method: %q is no HTTP method", what, c.Method)
		}
	}
	switch {
	case c.URL.Value == "":
		r.fault(t.node, "%s.url: missing", what)
	case !strings.HasPrefix(c.URL.Value, "http://") && !strings.HasPrefix(c.URL.Value, "https://"):
		r.fault(t.items["url"], "%s.url: begins with http:// or https://", what)
	}
	if t.has("body") {
		c.Data = t.choice("body", "envelope", "data") == "data"
	}
	return c
}

func (r *reader) accept(n *yaml.Node, what string) *Accept {
	a := &Accept{Within: AcceptWithin, Recorded: map[int]bool{}, Refused: map[int]bool{}}
	if n = plain(n); n.Kind == yaml.ScalarNode {
		if n.Value != "stdio" {
			r.fault(n, "%s: %q is neither stdio nor a mapping with http", what, n.Value)
		}
		a.stdio()
		return a
	}
	t, ok := r.table(n, what, []string{"http", "stdio", "recorded", "refused", "event-id", "position", "within", "concurrency"})
	if !ok {
		return a
	}
	a.Within = t.limit("within", AcceptWithin)
	r.concurrency(t, a)
	if t.has("http") == t.has("stdio") {
		r.fault(t.node, "%s: give one of http, stdio", what)
		return a
	}
	if t.has("stdio") {
		a.stdio()
		for _, key := range []string{"recorded", "refused", "event-id", "position"} {
			if t.has(key) {
				r.fault(t.names[key], "%s.%s: belongs to http; over stdio the answer's own form says it", what, key)
			}
		}
		return a
	}
	a.HTTP = r.call(t.items["http"], what+".http", http.MethodPost, "body")
	a.EventID = t.pointer("event-id")
	if t.has("position") {
		if p, ok := r.table(t.items["position"], what+".position", []string{"partition", "offset"}); ok {
			partition, offset := p.pointer("partition"), p.pointer("offset")
			if !p.has("partition") || !p.has("offset") {
				r.fault(p.node, "%s.position: give partition and offset", what)
			} else if partition != nil && offset != nil {
				a.Position = &Position{*partition, *offset}
			}
		}
	}
	r.statuses(t, a)
	return a
}

// stdio fixes the form of answers on standard output (interface.md).
func (a *Accept) stdio() {
	id := contract.Pointer("/event_id")
	a.EventID = &id
	a.Fields = &Fields{At: "", Field: "/field"}
	a.Position = &Position{Partition: "/partition", Offset: "/offset"}
}

func (r *reader) statuses(t table, a *Accept) {
	if !t.has("recorded") {
		r.fault(t.node, "%s.recorded: missing; the statuses with which the promise begins, such as [200, 201, 202]", t.what)
	}
	r.status(t.items["recorded"], t.path("recorded"), a.Recorded, nil)
	if !t.has("refused") {
		return
	}
	refused, ok := r.table(t.items["refused"], t.path("refused"), []string{"status", "fields"})
	if !ok {
		return
	}
	if !refused.has("status") {
		r.fault(refused.node, "%s.status: missing, such as [400, 422]", refused.what)
	}
	r.status(refused.items["status"], refused.path("status"), a.Refused, a.Recorded)
	if !refused.has("fields") {
		return
	}
	f, ok := r.table(refused.items["fields"], refused.path("fields"), []string{"at", "field"})
	if !ok {
		return
	}
	a.Fields = &Fields{}
	if at := f.pointer("at"); at != nil {
		a.Fields.At = *at
	}
	if field := f.pointer("field"); field != nil {
		a.Fields.Field = *field
	}
}

func (r *reader) status(n *yaml.Node, what string, into, other map[int]bool) {
	if n == nil {
		return
	}
	n = plain(n)
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		r.fault(n, "%s: must be a list of HTTP statuses, such as [200, 201]", what)
		return
	}
	for _, item := range n.Content {
		s, ok := r.number(item, what, 200, 599)
		if ok && other[s] {
			r.fault(item, "%s: status %d can't mean recorded and refused", what, s)
		}
		if ok {
			into[s] = true
		}
	}
}

func (r *reader) concurrency(t table, a *Accept) {
	if !t.has("concurrency") {
		return
	}
	if plain(t.items["concurrency"]).Value == "one-per-key" {
		a.OnePerKey = true
		return
	}
	if n, ok := r.number(t.items["concurrency"], t.path("concurrency"), 1, 1000); ok {
		a.Concurrency = n
	}
}

func (r *reader) rows(n *yaml.Node, what string) *Rows {
	out := &Rows{Within: RowsWithin, pos: r.pos(plain(n))}
	if n = plain(n); n.Kind == yaml.ScalarNode {
		if n.Value != "stdio" {
			r.fault(n, "%s: %q is neither stdio nor a mapping with http", what, n.Value)
		}
		return out
	}
	t, ok := r.table(n, what, []string{"http", "stdio", "at", "key", "value", "shape", "next", "within"})
	if !ok {
		return out
	}
	if t.has("http") == t.has("stdio") {
		r.fault(t.node, "%s: give one of http, stdio", what)
	}
	if t.has("http") {
		out.HTTP = r.call(t.items["http"], what+".http", http.MethodGet)
	}
	out.Within = t.limit("within", RowsWithin)
	if at := t.pointer("at"); at != nil {
		out.At = *at
	}
	out.Next = t.pointer("next")
	if out.Next != nil && out.HTTP == nil {
		r.fault(t.names["next"], "%s.next: pages are for http", what)
	}
	for _, v := range t.list("key") {
		if p := r.pointer(v, what+".key"); p != nil {
			out.Key = append(out.Key, *p)
		}
	}
	out.Nested = t.choice("shape", "list", "map") == "map"
	if out.Nested && t.has("key") {
		r.fault(t.names["key"], "%s.key: with shape: map the names of the map are the key", what)
	}
	r.value(t, out)
	return out
}

func (r *reader) value(t table, out *Rows) {
	if !t.has("value") {
		return
	}
	n := t.items["value"]
	if n.Kind == yaml.ScalarNode {
		if n.Value != "" {
			r.fault(n, `%s: give "" (a row is the record's data) or a map from the fold's fields to places in the row`, t.path("value"))
		}
		return
	}
	m, ok := r.table(n, t.path("value"), nil)
	if !ok {
		return
	}
	out.Value = map[contract.Pointer]contract.Pointer{}
	for _, name := range m.keys {
		if err := contract.Pointer(name).Check(); err != nil {
			r.fault(m.names[name], "%s: %s", t.path("value"), err)
			continue
		}
		if p := m.pointer(name); p != nil {
			out.Value[contract.Pointer(name)] = *p
		}
	}
	if len(m.keys) == 0 {
		r.fault(n, "%s: the map is empty", t.path("value"))
	}
}
