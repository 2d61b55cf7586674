// Package payload reads records and says what is wrong with one: JSON Schema 2020-12 with formats asserted, and the rules
// that a schema can't say. It sends and stores nothing.
package payload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"github.com/tidwall/gjson"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Config is what a document says of one payload.
type Config struct {
	// Schema of the whole record, JSON Schema 2020-12. Empty accepts all JSON.
	Schema json.RawMessage `json:"schema,omitempty"`
	// UniqueNames refuses objects that hold a name twice.
	UniqueNames bool `json:"uniqueNames,omitempty"`
	// Time wants a zone designator; nil: no such rule.
	Time *TimeRule `json:"time,omitempty"`
	// Shared is a checker made of the same fields, for many roles in one process; nil compiles one.
	Shared *Checker `json:"-"`
}

// TimeRule wants the time at At to carry the zone designator Zone, such as "Z".
type TimeRule struct {
	At   Pointer `json:"at"`
	Zone string  `json:"zone"`
}

// Refusal names one wrong field of a record and says why. Field is a JSON Pointer, "" is the whole record.
type Refusal struct {
	Field Pointer `json:"field"`
	Why   string  `json:"why"`
}

// Checker checks records of one payload. It is safe for concurrent use.
type Checker struct {
	config Config
	schema *jsonschema.Schema
	fast   *node
	time   Path
	timeAt int  // place of the rule's time among the watched values, -1: none
	isDate bool // the schema says that it is a date-time
	watch  []Path
	known  []bool // the quick program finds the watched value
	print  *message.Printer
	before *before
}

// NewChecker compiles a payload's schema and rules.
func NewChecker(c Config) (*Checker, error) {
	if c.Shared != nil {
		return c.Shared.again(), nil
	}
	k := &Checker{config: c, print: message.NewPrinter(language.English), before: &before{}}
	if len(c.Schema) > 0 {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.Schema))
		if err != nil {
			return nil, fmt.Errorf("payload: schema: %w", err)
		}
		compiler := jsonschema.NewCompiler()
		compiler.AssertFormat()
		if err := compiler.AddResource("record.json", doc); err != nil {
			return nil, fmt.Errorf("payload: schema: %w", err)
		}
		if k.schema, err = compiler.Compile("record.json"); err != nil {
			return nil, fmt.Errorf("payload: schema: %w", err)
		}
		k.fast = compileNode(doc)
	}
	if c.Time != nil {
		var err error
		if k.time, err = Compile(c.Time.At); err != nil {
			return nil, fmt.Errorf("payload: time rule: %w", err)
		}
		k.timeAt = k.Watch(k.time)
		if k.fast != nil {
			at := k.fast.find(c.Time.At.Tokens())
			k.isDate = at != nil && at.dateTime && at.kinds&isString != 0
		}
	}
	return k, nil
}

// again is the checker for one more role: what was compiled is shared, what is watched is its own.
func (k *Checker) again() *Checker {
	c := *k
	c.watch, c.known = slices.Clone(k.watch), slices.Clone(k.known)
	if k.fast != nil {
		c.fast = k.fast.again()
	}
	return &c
}

// Watch makes Read note the value at a path; the place of it is returned. It is called before the first Read.
func (k *Checker) Watch(p Path) int {
	n := len(k.watch)
	k.watch = append(k.watch, p)
	k.known = append(k.known, false)
	if k.fast == nil {
		return n
	}
	at := k.fast.find(p.Pointer().Tokens())
	if at == nil {
		return n
	}
	if at.watch >= 0 {
		k.watch, k.known = k.watch[:n], k.known[:n]
		return at.watch
	}
	at.watch, k.known[n] = n, true
	return n
}

// Read says whether a record breaks nothing, and fills found with the watched values, which is made longer if need be.
func (k *Checker) Read(raw []byte, found []gjson.Result) (bool, []gjson.Result) {
	refused, found := k.Judge(raw, found)
	return len(refused) == 0, found
}

// Judge is Check for a caller who wants the watched values as well, and is quick where the record is valid.
func (k *Checker) Judge(raw []byte, found []gjson.Result) ([]Refusal, []gjson.Result) {
	found = append(found[:0], make([]gjson.Result, len(k.watch))...)
	if k.fast != nil && sound(raw) && k.fast.ok(gjson.ParseBytes(raw), found) {
		for i, known := range k.known {
			if !known {
				found[i] = k.watch[i].Get(raw)
			}
		}
		if k.inZone(raw, found) {
			return nil, found
		}
	}
	refused, had := k.before.find(raw)
	if !had {
		if refused = k.Check(raw); len(refused) > 0 {
			k.before.keep(raw, slices.Clip(refused))
		}
	}
	for i, p := range k.watch {
		found[i] = p.Get(raw)
	}
	return refused, found
}

// inZone is the time rule for a record that the quick program accepted.
func (k *Checker) inZone(raw []byte, found []gjson.Result) bool {
	if k.config.Time == nil {
		return true
	}
	if at := found[k.timeAt]; k.isDate {
		// A time that may be missing, and is, breaks no rule of the time.
		return !at.Exists() || strings.HasSuffix(at.Str, k.config.Time.Zone)
	}
	return k.zone(raw) == nil
}

// Valid says whether a record breaks nothing. It is the quick way: nothing is named.
func (k *Checker) Valid(raw []byte) bool {
	ok, _ := k.Read(raw, nil)
	return ok
}

// Check returns every field that is wrong, sorted by pointer; none means that the record is valid.
func (k *Checker) Check(raw []byte) []Refusal {
	if !sound(raw) {
		return []Refusal{{Why: "the record is no JSON text in UTF-8"}}
	}
	var found []Refusal
	var odd oddities
	value := tree(gjson.ParseBytes(raw), "", &odd)
	if k.config.UniqueNames {
		for _, at := range odd.twice {
			found = append(found, Refusal{Field: at, Why: "the name stands twice in its object"})
		}
	}
	for _, at := range odd.extreme {
		found = append(found, Refusal{Field: at, Why: "the number's exponent has more than three digits"})
	}
	if k.schema != nil && len(odd.extreme) == 0 {
		found = append(found, k.broken(k.schema.Validate(value))...)
	}
	if r := k.zone(raw); r != nil {
		found = append(found, *r)
	}
	slices.SortStableFunc(found, func(a, b Refusal) int { return strings.Compare(string(a.Field), string(b.Field)) })
	return slices.CompactFunc(found, func(a, b Refusal) bool { return a == b })
}

func (k *Checker) zone(raw []byte) *Refusal {
	rule := k.config.Time
	if rule == nil {
		return nil
	}
	v := k.time.Get(raw)
	if v.Type != gjson.String {
		return nil // the schema says whether it must be there, and be a string
	}
	if _, err := Time(v); err != nil {
		return &Refusal{Field: rule.At, Why: "no date and time with a zone (RFC 3339)"}
	}
	if !strings.HasSuffix(v.Str, rule.Zone) {
		return &Refusal{Field: rule.At, Why: fmt.Sprintf("the time does not end in the zone designator %q", rule.Zone)}
	}
	return nil
}

// broken lists the leaves of a validation error: where several alternatives failed, each of them.
func (k *Checker) broken(err error) []Refusal {
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Refusal{{Why: err.Error()}}
	}
	var found []Refusal
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, c := range e.Causes {
			walk(c)
		}
		if len(e.Causes) > 0 {
			return
		}
		at := Pointer("")
		for _, t := range e.InstanceLocation {
			at = at.Join(t)
		}
		why := e.ErrorKind.LocalizedString(k.print)
		for _, name := range inner(e.ErrorKind) {
			found = append(found, Refusal{Field: at.Join(name), Why: why})
		}
		if len(inner(e.ErrorKind)) == 0 {
			found = append(found, Refusal{Field: at, Why: why})
		}
	}
	walk(invalid)
	return found
}

// inner names the members that a keyword of an object is about: those that are missing or should not be there.
func inner(k jsonschema.ErrorKind) []string {
	switch k := k.(type) {
	case *kind.Required:
		return k.Missing
	case *kind.AdditionalProperties:
		return k.Properties
	}
	return nil
}
