package draw

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"tahanuji/system/contract"
)

// SchemaAt is the part of the schema that describes the place p of a record, with references followed.
func (d *Drawer) SchemaAt(p contract.Pointer) (*Node, error) {
	s, err := d.Resolve(d.root)
	if err != nil {
		return nil, err
	}
	for _, step := range p.Tokens() {
		next := s.child("properties").member(step)
		if next == nil {
			next = item(s, step)
		}
		if next == nil {
			return nil, fmt.Errorf("draw: the schema does not describe %s", place(p))
		}
		if s, err = d.Resolve(next); err != nil {
			return nil, fmt.Errorf("draw: %s: %w", place(p), err)
		}
	}
	return s, nil
}

func item(s *Node, step string) *Node {
	i, err := strconv.Atoi(step)
	if err != nil {
		return nil
	}
	if prefix := s.child("prefixItems"); prefix != nil && i < len(prefix.Items) {
		return prefix.Items[i]
	}
	return s.child("items")
}

// member is child for an object that may be missing.
func (n *Node) member(name string) *Node {
	if n == nil {
		return nil
	}
	return n.child(name)
}

// Resolve follows references, joins allOf and takes the first branch of oneOf and anyOf, until a plain schema is left. The result
// is shared: it must not be changed.
func (d *Drawer) Resolve(s *Node) (*Node, error) {
	if plain, ok := d.resolved.Load(s); ok {
		return plain.(*Node), nil
	}
	plain, err := d.resolve(s)
	if err == nil {
		d.resolved.Store(s, plain)
	}
	return plain, err
}

func (d *Drawer) resolve(s *Node) (*Node, error) {
	for range depth {
		plain := &Node{Shape: Object}
		var more []*Node
		for _, m := range s.Members {
			switch m.Name {
			case "$ref":
				to, err := d.reference(m.Value.String())
				if err != nil {
					return nil, err
				}
				more = append(more, to)
			case "allOf":
				more = append(more, m.Value.Items...)
			case "oneOf", "anyOf":
				if len(m.Value.Items) > 0 {
					more = append(more, m.Value.Items[0])
				}
			case "$defs", "$id", "$schema", "$anchor", "title", "description", "$comment":
			default:
				plain.Members = append(plain.Members, m)
			}
		}
		if len(more) == 0 {
			return plain, nil
		}
		for _, other := range more {
			plain = join(plain, other)
		}
		s = plain
	}
	return nil, fmt.Errorf("references and branches nest deeper than %d", depth)
}

func (d *Drawer) reference(to string) (*Node, error) {
	if to == "#" {
		return d.root, nil
	}
	if pointer, ok := strings.CutPrefix(to, "#/"); ok {
		if n := d.root.At(contract.Pointer("/" + pointer)); n != nil {
			return n, nil
		}
		return nil, fmt.Errorf("$ref %q points nowhere", to)
	}
	if anchor, ok := strings.CutPrefix(to, "#"); ok {
		if n := find(d.root, anchor); n != nil {
			return n, nil
		}
	}
	return nil, fmt.Errorf("$ref %q leads out of the schema", to)
}

func find(n *Node, anchor string) *Node {
	if a := n.child("$anchor"); a != nil && a.String() == anchor {
		return n
	}
	for _, m := range n.Members {
		if found := find(m.Value, anchor); found != nil {
			return found
		}
	}
	for _, it := range n.Items {
		if found := find(it, anchor); found != nil {
			return found
		}
	}
	return nil
}

// join makes one schema of two that both hold: properties together, the narrower bounds, and else the first that says it.
func join(a, b *Node) *Node {
	out := a.Clone()
	for _, m := range b.Members {
		have := out.child(m.Name)
		switch {
		case have == nil:
			out.Members = append(out.Members, m)
		case m.Name == "properties":
			for _, p := range m.Value.Members {
				if old := have.child(p.Name); old != nil {
					have.put(p.Name, &Node{Shape: Object, Members: []Member{{"allOf", &Node{Shape: Array, Items: []*Node{old, p.Value}}}}})
				} else {
					have.Members = append(have.Members, p)
				}
			}
		case m.Name == "required":
			have.Items = append(have.Items, m.Value.Items...)
		case strings.HasPrefix(m.Name, "min") || m.Name == "exclusiveMinimum":
			out.put(m.Name, bound(have, m.Value, 1))
		case strings.HasPrefix(m.Name, "max") || m.Name == "exclusiveMaximum":
			out.put(m.Name, bound(have, m.Value, -1))
		}
	}
	return out
}

func bound(a, b *Node, sign int) *Node {
	x, okX := new(big.Rat).SetString(a.Text)
	y, okY := new(big.Rat).SetString(b.Text)
	if okX && okY && y.Cmp(x) == sign {
		return b
	}
	return a
}

// TypeOf is the type that a resolved schema wants: the first that is not null, else what its keywords speak of, else "".
func TypeOf(s *Node) string {
	if t := s.child("type"); t != nil {
		if t.Shape != Array {
			return t.String()
		}
		for _, it := range t.Items {
			if it.String() != "null" {
				return it.String()
			}
		}
		return "null"
	}
	for _, m := range s.Members {
		switch m.Name {
		case "properties", "required", "additionalProperties":
			return "object"
		case "items", "prefixItems", "minItems":
			return "array"
		case "minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum":
			return "number"
		case "pattern", "format", "minLength", "maxLength":
			return "string"
		}
	}
	return ""
}

// Keyword is the value of a resolved schema's keyword, nil if it is not there.
func Keyword(s *Node, name string) *Node { return s.child(name) }

func names(list *Node) []string {
	if list == nil {
		return nil
	}
	var out []string
	for _, n := range list.Items {
		out = append(out, n.String())
	}
	return out
}

// whole reads a keyword that is a count.
func whole(s *Node, name string, otherwise int) int {
	if n := s.child(name); n != nil {
		if i, err := strconv.Atoi(n.Text); err == nil {
			return i
		}
	}
	return otherwise
}
