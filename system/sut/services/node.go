package services

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"tahanuji/system/contract"
)

// reader turns YAML nodes into values and collects what is wrong instead of stopping at it.
type reader struct {
	file   string
	faults Faults
}

func (r *reader) pos(n *yaml.Node) contract.Pos {
	if n == nil {
		return contract.Pos{File: r.file}
	}
	return contract.Pos{File: r.file, Line: n.Line, Column: n.Column}
}

func (r *reader) fault(n *yaml.Node, format string, args ...any) {
	r.faults = append(r.faults, Fault{r.pos(n), strings.TrimPrefix(fmt.Sprintf(format, args...), ": ")}) // the file itself has no name
}

// plain follows aliases, a few steps: an alias of an alias is no form that anybody writes.
func plain(n *yaml.Node) *yaml.Node {
	for range 8 {
		if n == nil || n.Kind != yaml.AliasNode {
			return n
		}
		n = n.Alias
	}
	return n
}

// table is a mapping whose keys are known.
type table struct {
	r     *reader
	node  *yaml.Node
	what  string
	keys  []string
	names map[string]*yaml.Node
	items map[string]*yaml.Node
}

// table reads a mapping. With known nil, any keys are allowed. ok is false when it is no mapping.
func (r *reader) table(n *yaml.Node, what string, known []string) (t table, ok bool) {
	n = plain(n)
	t = table{r: r, node: n, what: what, names: map[string]*yaml.Node{}, items: map[string]*yaml.Node{}}
	if n == nil || n.Kind != yaml.MappingNode {
		r.fault(n, "%s: must be a mapping (name: value)", what)
		return t, false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := plain(n.Content[i]), plain(n.Content[i+1])
		switch {
		case key.Kind != yaml.ScalarNode:
			r.fault(key, "%s: a name must be a plain word", what)
		case known != nil && !slices.Contains(known, key.Value):
			r.fault(key, "%s: unknown key %q%s", what, key.Value, hint(key.Value, known))
		case t.items[key.Value] != nil:
			r.fault(key, "%s: %q is given twice, first on line %d", what, key.Value, t.names[key.Value].Line)
		default:
			t.keys = append(t.keys, key.Value)
			t.names[key.Value], t.items[key.Value] = key, value
		}
	}
	return t, true
}

func (t table) has(key string) bool { return t.items[key] != nil }

func (t table) path(key string) string {
	if t.what == "" {
		return key
	}
	return t.what + "." + key
}

// text reads a scalar as it is written.
func (r *reader) text(n *yaml.Node, what string) (Text, bool) {
	n = plain(n)
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.fault(n, "%s: must be a text", what)
		return Text{}, false
	}
	return Text{n.Value, r.pos(n)}, true
}

func (t table) text(key string) Text {
	if !t.has(key) {
		return Text{}
	}
	v, _ := t.r.text(t.items[key], t.path(key))
	return v
}

// choice reads one of several words; the first is meant when the key is not there.
func (t table) choice(key string, words ...string) string {
	if !t.has(key) {
		return words[0]
	}
	v := t.text(key)
	if v.Value != "" && !slices.Contains(words, v.Value) {
		t.r.fault(t.items[key], "%s: unknown word %q%s", t.path(key), v.Value, hint(v.Value, words))
		return words[0]
	}
	return v.Value
}

// list reads a sequence of texts.
func (r *reader) list(n *yaml.Node, what string) []Text {
	n = plain(n)
	if n == nil || n.Kind != yaml.SequenceNode {
		r.fault(n, "%s: must be a list, such as [a, b]", what)
		return nil
	}
	var out []Text
	for i, item := range n.Content {
		if v, ok := r.text(item, what+"["+strconv.Itoa(i)+"]"); ok {
			out = append(out, v)
		}
	}
	return out
}

func (t table) list(key string) []Text {
	if !t.has(key) {
		return nil
	}
	return t.r.list(t.items[key], t.path(key))
}

func (t table) words(key string) []string {
	var out []string
	for _, v := range t.list(key) {
		out = append(out, v.Value)
	}
	return out
}

// number reads a whole number from least to most.
func (r *reader) number(n *yaml.Node, what string, least, most int) (int, bool) {
	v, ok := r.text(n, what)
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(v.Value)
	if err != nil || i < least || i > most {
		r.fault(plain(n), "%s: %q is no whole number from %d to %d", what, v.Value, least, most)
		return 0, false
	}
	return i, true
}

// limit reads a length of time: 20s, 1m30s, or PT20S as in the document.
func (t table) limit(key string, otherwise time.Duration) time.Duration {
	if !t.has(key) {
		return otherwise
	}
	v, ok := t.r.text(t.items[key], t.path(key))
	if !ok {
		return otherwise
	}
	d, err := time.ParseDuration(strings.ToLower(strings.TrimPrefix(v.Value, "PT")))
	if err != nil || d <= 0 || d > time.Hour {
		t.r.fault(t.items[key], "%s: %q is no length of time up to an hour, such as 20s or PT20S", t.path(key), v.Value)
		return otherwise
	}
	return d
}

// pointer reads a JSON Pointer (RFC 6901); nil when the key is not there.
func (t table) pointer(key string) *contract.Pointer {
	if !t.has(key) {
		return nil
	}
	v, ok := t.r.text(t.items[key], t.path(key))
	if !ok {
		return nil
	}
	return t.r.pointer(v, t.path(key))
}

func (r *reader) pointer(v Text, what string) *contract.Pointer {
	p := contract.Pointer(v.Value)
	if err := p.Check(); err != nil {
		r.faults = append(r.faults, Fault{v.Pos, fmt.Sprintf("%s: %s", what, err)})
		return nil
	}
	return &p
}
