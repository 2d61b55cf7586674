package workload

import (
	"slices"
	"strings"

	"tahanuji/system/contract"
	"tahanuji/system/workload/draw"
)

// How a field is broken, where code asks for it.
const (
	howMissing = "missing"
	howOther   = "of another type" // a text in place of an object or a list
)

// edit breaks one field of a record.
type edit struct {
	field contract.Pointer
	how   string
	apply func(record *draw.Node)
	// syntax: the record is no longer one JSON value that readers agree on, so the field that a validator names may be another.
	syntax bool
}

// variant is a record that the document refuses.
type variant struct {
	how    string
	wrong  []contract.Pointer
	record *draw.Node
}

// breaks are the edits, alone or two together, that the document refuses for a record: of one known field each, of two, and
// some that leave no proper JSON. What it does not refuse, or refuses for other fields, is left out.
func (m *maker) breaks(record *draw.Node) [][]edit {
	var out [][]edit
	var two []edit
	for _, e := range m.edits(record) {
		if !m.body.Under(e.field) || m.body != "" && e.field == m.body {
			continue // what the source does not hand over, it can't break
		}
		if _, ok := m.verified(record, e); !ok {
			continue
		}
		out = append(out, []edit{e})
		apart := len(two) == 0 || !two[0].field.Under(e.field) && !e.field.Under(two[0].field)
		if !e.syntax && len(two) < 2 && apart && leafEdit(record, e) {
			two = append(two, e)
		}
	}
	if len(two) == 2 {
		if v, ok := m.verified(record, two...); ok && len(v.wrong) > 1 {
			out = append(out, two)
		}
	}
	return out
}

// like finds in a record the edits that broke another record of the schema, false if one of them is not possible there.
func (m *maker) like(record *draw.Node, edits []edit) (variant, bool) {
	var found []edit
	for _, e := range m.edits(record) {
		if slices.ContainsFunc(edits, func(o edit) bool { return o.field == e.field && o.how == e.how }) {
			found = append(found, e)
		}
	}
	if len(found) != len(edits) {
		return variant{}, false
	}
	return m.verified(record, found...)
}

func leafEdit(record *draw.Node, e edit) bool {
	n := record.At(e.field)
	return n != nil && n.Shape == draw.Raw
}

// verified applies edits and asks the document which fields are wrong.
func (m *maker) verified(record *draw.Node, edits ...edit) (variant, bool) {
	v := variant{record: record.Clone()}
	for i, e := range edits {
		if i > 0 {
			v.how += " and "
		}
		v.how += strings.TrimSpace(string(e.field) + " " + e.how)
		e.apply(v.record)
	}
	for _, p := range m.payload.Validate(v.record.Bytes()) {
		if !slices.Contains(v.wrong, p.Field) {
			v.wrong = append(v.wrong, p.Field)
		}
	}
	slices.Sort(v.wrong)
	if len(v.wrong) == 0 {
		return v, false
	}
	for _, e := range edits {
		if !e.syntax && !slices.Contains(v.wrong, e.field) {
			return v, false
		}
	}
	return v, true
}

// edits lists the ways to break a record, in the order of the schema.
func (m *maker) edits(record *draw.Node) []edit {
	var out []edit
	if root, err := m.drawer.SchemaAt(""); err == nil {
		out = m.below(root, record, "")
	}
	out = append(out, m.ruleEdits(record)...)
	if m.body == "" {
		whole := func(text string) func(*draw.Node) {
			return func(n *draw.Node) { *n = *draw.Literal(text) }
		}
		raw := string(record.Bytes())
		out = append(out,
			edit{how: "cut short", apply: whole(raw[:len(raw)/2]), syntax: true},
			edit{how: "a list of records", apply: whole("[" + raw + "]"), syntax: true})
	}
	return out
}

func (m *maker) below(s, at *draw.Node, p contract.Pointer) []edit {
	var out []edit
	put := func(how string, value *draw.Node) {
		out = append(out, edit{field: p, how: how, apply: func(n *draw.Node) { n.Set(p, value.Clone()) }})
	}
	switch at.Shape {
	case draw.Object:
		out = append(out, m.objectEdits(s, at, p)...)
		if p != "" {
			put(howOther, draw.Text("x"))
		}
	case draw.Array:
		put(howOther, draw.Text("x"))
		if draw.Keyword(s, "minItems") != nil {
			put("too short", &draw.Node{Shape: draw.Array})
		}
		if items := draw.Keyword(s, "items"); items != nil && len(at.Items) > 0 && draw.Keyword(s, "prefixItems") == nil {
			if resolved, err := m.drawer.Resolve(items); err == nil {
				out = append(out, m.below(resolved, at.Items[0], p.JoinIndex(0))...)
			}
		}
	case draw.Raw:
		for _, w := range wrongValues(s, at) {
			put(w.how, w.value)
		}
	}
	return out
}

func (m *maker) objectEdits(s, at *draw.Node, p contract.Pointer) []edit {
	var out []edit
	if required := draw.Keyword(s, "required"); required != nil {
		for _, name := range required.Items {
			field := p.Join(name.String())
			out = append(out, edit{field: field, how: howMissing, apply: func(n *draw.Node) { n.Remove(field) }})
		}
	}
	if more := draw.Keyword(s, "additionalProperties"); more != nil && more.Text == "false" {
		field := p.Join("not-in-schema")
		out = append(out, edit{field: field, how: "not in the schema", apply: func(n *draw.Node) { n.Set(field, draw.Literal("1")) }})
	}
	properties := draw.Keyword(s, "properties")
	if properties == nil {
		return out
	}
	for _, member := range properties.Members {
		value := at.At(contract.Pointer("").Join(member.Name))
		resolved, err := m.drawer.Resolve(member.Value)
		if value != nil && err == nil {
			out = append(out, m.below(resolved, value, p.Join(member.Name))...)
		}
	}
	return out
}
