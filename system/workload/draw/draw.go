// Package draw draws JSON values from a JSON Schema (2020-12) and keeps them as ordered trees. It validates nothing: what a
// schema says beyond types, references, first branches, ranges, lengths, patterns, formats, enums and items is not planned
// for, so a caller has to check what it got.
package draw

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"sync"
	"time"

	"tahanuji/system/contract"
)

// depth bounds nested and recursive schemas.
const depth = 16

// Drawer draws values of one schema. It is safe for concurrent use.
type Drawer struct {
	root     *Node
	resolved sync.Map // *Node -> *Node, see Resolve
	patterns sync.Map // string -> *pattern
}

// Wish is what a caller wants of one value. The zero value wants nothing.
type Wish struct {
	// Given are values that are not drawn. They are not checked against the schema.
	Given map[contract.Pointer]*Node
	// Needed are optional properties that must be there; with a property also those around it.
	Needed []contract.Pointer
	// Numbers says how numbers at a place are drawn, nil as any.
	Numbers func(at contract.Pointer) Digits
	// Near is the time that dates and times are drawn near to.
	Near time.Time
}

// Digits says how a number is drawn.
type Digits struct {
	// Places are the decimal places where the schema sets no multipleOf and does not want an integer.
	Places int
	// Large draws from the upper end of the range; without a maximum from below 2^53, which is what JSON readers keep
	// exactly (RFC 8259, part 6).
	Large bool
}

// New reads a schema. References inside the document (#/... and #anchor) are followed, others are errors when met.
func New(schema json.RawMessage) (*Drawer, error) {
	root, err := Parse(schema)
	if err != nil {
		return nil, fmt.Errorf("draw: schema: %w", err)
	}
	return &Drawer{root: root}, nil
}

// Value draws a value of the whole schema.
func (d *Drawer) Value(rng *rand.Rand, wish Wish) (*Node, error) {
	return d.draw(rng, d.root, "", wish, 0)
}

// ValueAt draws a value for the place p of the record, from the part of the schema that describes it.
func (d *Drawer) ValueAt(rng *rand.Rand, p contract.Pointer, wish Wish) (*Node, error) {
	schema, err := d.SchemaAt(p)
	if err != nil {
		return nil, err
	}
	return d.draw(rng, schema, p, wish, 0)
}

// draw is one step down the schema. The order of the draws is the order of the schema's text, so that equal generators draw
// equal values.
func (d *Drawer) draw(rng *rand.Rand, schema *Node, at contract.Pointer, wish Wish, deep int) (*Node, error) {
	if given, ok := wish.Given[at]; ok {
		return given.Clone(), nil
	}
	if deep > depth {
		return nil, fmt.Errorf("draw: %s: the schema nests deeper than %d", place(at), depth)
	}
	s, err := d.Resolve(schema)
	if err != nil {
		return nil, fmt.Errorf("draw: %s: %w", place(at), err)
	}
	if c := s.child("const"); c != nil {
		return c.Clone(), nil
	}
	if e := s.child("enum"); e != nil && len(e.Items) > 0 {
		return e.Items[rng.Intn(len(e.Items))].Clone(), nil
	}
	switch TypeOf(s) {
	case "object":
		return d.object(rng, s, at, wish, deep)
	case "array":
		return d.array(rng, s, at, wish, deep)
	case "integer":
		return number(rng, s, at, wish, true)
	case "number":
		return number(rng, s, at, wish, false)
	case "boolean":
		return Literal([]string{"false", "true"}[rng.Intn(2)]), nil
	case "null":
		return Literal("null"), nil
	}
	return d.text(rng, s, at, wish)
}

func (d *Drawer) object(rng *rand.Rand, s *Node, at contract.Pointer, wish Wish, deep int) (*Node, error) {
	out := &Node{Shape: Object}
	required := map[string]bool{}
	for _, name := range names(s.child("required")) {
		required[name] = true
	}
	properties := s.child("properties")
	if properties == nil {
		properties = &Node{Shape: Object}
	}
	for _, p := range properties.Members {
		place := at.Join(p.Name)
		keep := required[p.Name] || wish.needs(place) || rng.Intn(4) > 0
		delete(required, p.Name)
		if !keep || p.Value.Text == "false" {
			continue
		}
		value, err := d.draw(rng, p.Value, place, wish, deep+1)
		if err != nil {
			return nil, err
		}
		out.Members = append(out.Members, Member{p.Name, value})
	}
	for _, name := range names(s.child("required")) { // those that "properties" does not describe
		if !required[name] {
			continue
		}
		rest := s.child("additionalProperties")
		if rest == nil || rest.Shape != Object {
			rest = &Node{Shape: Object}
		}
		value, err := d.draw(rng, rest, at.Join(name), wish, deep+1)
		if err != nil {
			return nil, err
		}
		out.Members = append(out.Members, Member{name, value})
	}
	return out, nil
}

// needs says whether something at p or below it has to be there.
func (w Wish) needs(p contract.Pointer) bool {
	for _, q := range w.Needed {
		if p.Under(q) {
			return true
		}
	}
	for q := range w.Given {
		if p.Under(q) {
			return true
		}
	}
	return false
}

func (d *Drawer) array(rng *rand.Rand, s *Node, at contract.Pointer, wish Wish, deep int) (*Node, error) {
	out := &Node{Shape: Array}
	prefix := s.child("prefixItems")
	if prefix == nil {
		prefix = &Node{Shape: Array}
	}
	least := whole(s, "minItems", 0)
	most := whole(s, "maxItems", max(least, 1)+2)
	count := max(least, len(prefix.Items))
	items := s.child("items")
	if items == nil {
		items = &Node{Shape: Object}
	}
	if items.Text != "false" && most > count {
		count += rng.Intn(min(most-count, 3) + 1)
	}
	unique := s.child("uniqueItems") != nil && s.child("uniqueItems").Text == "true"
	seen := map[string]bool{}
	for i := range count {
		schema := items
		if i < len(prefix.Items) {
			schema = prefix.Items[i]
		}
		for range 20 { // uniqueItems: try again a few times, then leave it to the caller's check
			item, err := d.draw(rng, schema, at.JoinIndex(i), wish, deep+1)
			if err != nil {
				return nil, err
			}
			if key := string(item.Bytes()); !unique || !seen[key] {
				seen[key] = true
				out.Items = append(out.Items, item)
				break
			}
		}
	}
	return out, nil
}

// place names a pointer for people.
func place(p contract.Pointer) string {
	if p == "" {
		return "the record"
	}
	return string(p)
}
