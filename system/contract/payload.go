package contract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"tahanuji/system/contract/strictjson"
)

// Payload is what a record of a topic must look like: the whole record, envelope and data. It must not be copied.
type Payload struct {
	Name     string
	Schema   json.RawMessage   // JSON Schema 2020-12 of the whole record
	Examples []json.RawMessage // whole records
	Rules    Rules
	Pos      Pos

	once     sync.Once
	compiled *jsonschema.Schema
	err      error
}

// Problem says what is wrong with one field of a record.
type Problem struct {
	Field Pointer `json:"field"` // the deepest field that is wrong; a missing field's own pointer; "" is the record
	Why   string  `json:"why"`
}

// Compile makes the schema ready. Validate does so by itself; Load calls it to refuse a broken schema early.
func (p *Payload) Compile() error {
	p.once.Do(func() { p.compiled, p.err = compile(p.Name, p.Schema) })
	return p.err
}

func compile(name string, schema json.RawMessage) (*jsonschema.Schema, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("payload %s: read schema: %w", name, err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(noFiles{})
	const url = "payload:///schema.json"
	if err := c.AddResource(url, value); err != nil {
		return nil, fmt.Errorf("payload %s: schema: %w", name, err)
	}
	compiled, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("payload %s: schema: %w", name, err)
	}
	return compiled, nil
}

// noFiles keeps a schema from reading files or the network: a document means the same wherever it is read.
type noFiles struct{}

var errOtherFile = errors.New("the schema refers to another file; put it under $defs")

func (noFiles) Load(url string) (any, error) { return nil, fmt.Errorf("%s: %w", url, errOtherFile) }

// Validate holds a whole record against the schema (formats asserted) and the rules. It returns one problem for each wrong field,
// ordered by field, and none for a valid record. It is safe for concurrent use.
func (p *Payload) Validate(record []byte) []Problem {
	if err := p.Compile(); err != nil {
		return []Problem{{Why: err.Error()}}
	}
	value, flaws, ok := strictjson.Parse(record)
	var found problems
	for _, f := range flaws {
		if !f.Twice || p.Rules.UniqueNames {
			found.add(Pointer(f.Pointer), f.Why)
		}
	}
	if !ok {
		return found.sorted()
	}
	if err := p.compiled.Validate(value); err != nil {
		var invalid *jsonschema.ValidationError
		if errors.As(err, &invalid) {
			found.collect(invalid)
		} else {
			found.add("", err.Error())
		}
	}
	if p.Rules.Time != nil {
		found.time(*p.Rules.Time, value)
	}
	if len(found) == 0 {
		return nil
	}
	return found.sorted()
}

type problems []Problem

// add keeps the first problem of a field.
func (ps *problems) add(field Pointer, why string) {
	for _, p := range *ps {
		if p.Field == field {
			return
		}
	}
	*ps = append(*ps, Problem{Field: field, Why: why})
}

func (ps problems) sorted() []Problem {
	slices.SortFunc(ps, func(a, b Problem) int { return cmp.Compare(a.Field, b.Field) })
	return ps
}

// time holds a time against its zone designator. That it is there, and a time at all, is the schema's to say; a time that can't be
// read is no time in that zone.
func (ps *problems) time(rule TimeRule, value any) {
	for _, token := range rule.At.Tokens() {
		fields, _ := value.(map[string]any)
		value = fields[token]
	}
	text, ok := value.(string)
	if !ok {
		return
	}
	if _, err := ParseTime(text); err != nil {
		ps.add(rule.At, "no RFC 3339 time with a zone")
	} else if !strings.HasSuffix(text, rule.Zone) {
		ps.add(rule.At, fmt.Sprintf("the time does not carry the zone designator %s", rule.Zone))
	}
}

// collect takes the leaves of a validation error: the deepest fields that are wrong.
func (ps *problems) collect(e *jsonschema.ValidationError) {
	for _, leaf := range leaves(e) {
		ps.add(leaf.Field, leaf.Why)
	}
}

func leaves(e *jsonschema.ValidationError) []Problem {
	at := Pointer("")
	for _, token := range e.InstanceLocation {
		at = at.Join(token)
	}
	var found []Problem
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			found = append(found, Problem{at.Join(name), "missing"})
		}
		return found
	case *kind.DependentRequired:
		for _, name := range k.Missing {
			found = append(found, Problem{at.Join(name), "missing, since " + k.Prop + " is there"})
		}
		return found
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			found = append(found, Problem{at.Join(name), "the schema has no such field"})
		}
		return found
	case *kind.AnyOf, *kind.OneOf:
		return closest(e, at)
	}
	if len(e.Causes) == 0 {
		return []Problem{{at, e.ErrorKind.LocalizedString(message.NewPrinter(language.English))}}
	}
	for _, cause := range e.Causes {
		found = append(found, leaves(cause)...)
	}
	return found
}

// closest takes, of alternatives that all failed, the one with the fewest wrong fields. Where that is not deeper than the value
// itself the value fits none of them.
func closest(e *jsonschema.ValidationError, at Pointer) []Problem {
	var best []Problem
	for _, cause := range e.Causes {
		found := leaves(cause)
		slices.SortFunc(found, func(a, b Problem) int { return cmp.Compare(a.Field, b.Field) })
		if best == nil || len(found) < len(best) || len(found) == len(best) && found[0].Field > best[0].Field {
			best = found
		}
	}
	if len(best) == 0 || best[0].Field == at {
		return []Problem{{at, "fits none of the alternatives, or more than one"}}
	}
	return best
}
