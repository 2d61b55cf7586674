package check

import (
	"encoding/json"
	"strings"

	"tahanuji/system/check/decimal"
	"tahanuji/system/contract"
)

// shape says which parts of the envelope a source sends where the role sets the id: an event is then known by those parts alone.
type shape struct {
	data bool // false: the source sends the bare data
	kind bool // it sets the type
	time bool // it sets the time
}

// whole is the shape of a record that has all parts.
var whole = shape{data: true, kind: true, time: true}

func shapeOf(env contract.Envelope, record string) (shape, bool) {
	value, ok := parsed(record)
	if !ok {
		return shape{}, false
	}
	sh := shape{data: at(value, env.Data) != nil}
	if sh.data {
		sh.kind, sh.time = at(value, env.Type) != nil, at(value, env.Time) != nil
	}
	return sh, true
}

// body is the record reduced to the shape, in one spelling: names sorted, numbers as numbers. "" if it is no JSON.
func (sh shape) body(env contract.Envelope, record string) string {
	value, ok := parsed(record)
	if !ok {
		return ""
	}
	if !sh.data {
		if inner := at(value, env.Data); inner != nil && env.Data != "" {
			value = inner
		}
		return spelled(value)
	}
	remove(value, env.ID)
	if !sh.kind {
		remove(value, env.Type)
	}
	if !sh.time {
		remove(value, env.Time)
	}
	return spelled(value)
}

func parsed(record string) (any, bool) {
	d := json.NewDecoder(strings.NewReader(record))
	d.UseNumber()
	var value any
	if d.Decode(&value) != nil {
		return nil, false
	}
	return plain(value), true
}

// plain writes every number in one way: 24.50 as 24.5.
func plain(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = plain(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = plain(inner)
		}
	case json.Number:
		if n, ok := decimal.Parse(v.String()); ok {
			return json.Number(n.String())
		}
	}
	return value
}

func spelled(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "" // what was parsed can be written; a number out of range of String's digits can not
	}
	return string(text)
}

func at(value any, p contract.Pointer) any {
	for _, token := range p.Tokens() {
		object, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = object[token]
	}
	return value
}

func remove(value any, p contract.Pointer) {
	tokens := p.Tokens()
	if len(tokens) == 0 {
		return
	}
	for _, token := range tokens[:len(tokens)-1] {
		object, _ := value.(map[string]any)
		value = object[token]
	}
	if object, ok := value.(map[string]any); ok {
		delete(object, tokens[len(tokens)-1])
	}
}
