package workload

import (
	"math/big"
	"strconv"
	"strings"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/workload/draw"
)

// wrong is a value that one keyword of a schema refuses.
type wrong struct {
	how   string
	value *draw.Node
}

// wrongValues lists values that break a scalar's schema. Some may turn out right under a lax schema: the caller checks.
func wrongValues(s, at *draw.Node) []wrong {
	var out []wrong
	add := func(how string, value *draw.Node) { out = append(out, wrong{how, value}) }
	switch draw.TypeOf(s) {
	case "integer":
		add("a text", draw.Text(at.Text))
		add("true", draw.Literal("true"))
		add("not whole", draw.Literal(strings.TrimSuffix(at.Text, ".0")+".5"))
	case "number":
		add("a text", draw.Text(at.Text))
		add("null", draw.Literal("null"))
		add("true", draw.Literal("true"))
	case "boolean":
		add("a text", draw.Text(at.Text))
	case "string":
		add("a number", draw.Literal("17"))
		add("null", draw.Literal("null"))
	}
	if draw.Keyword(s, "enum") != nil || draw.Keyword(s, "const") != nil {
		add("not one of the values", draw.Text("no-such-value"))
	}
	for _, b := range []struct {
		keyword, how string
		by           int64
	}{{"minimum", "too small", -1}, {"maximum", "too large", 1}, {"exclusiveMinimum", "at the bound", 0}, {"exclusiveMaximum", "at the bound", 0}} {
		if value, ok := moved(s, b.keyword, b.by); ok {
			add(b.how, value)
		}
	}
	if step := draw.Keyword(s, "multipleOf"); step != nil {
		x, okX := new(big.Rat).SetString(at.Text)
		y, okY := new(big.Rat).SetString(step.Text)
		if okX && okY {
			add("between the steps", draw.Literal(draw.Decimal(x.Add(x, y.Quo(y, big.NewRat(2, 1))))))
		}
	}
	return append(out, wrongTexts(s, at)...)
}

// moved is the bound that a keyword sets, moved by a whole number.
func moved(s *draw.Node, keyword string, by int64) (*draw.Node, bool) {
	n := draw.Keyword(s, keyword)
	if n == nil {
		return nil, false
	}
	r, ok := new(big.Rat).SetString(n.Text)
	if !ok {
		return nil, false
	}
	return draw.Literal(draw.Decimal(r.Add(r, big.NewRat(by, 1)))), true
}

func wrongTexts(s, at *draw.Node) []wrong {
	var out []wrong
	text := at.String()
	if draw.Keyword(s, "pattern") != nil {
		out = append(out, wrong{"against its pattern at the end", draw.Text(text + "#")}, wrong{"against its pattern at the start", draw.Text("#" + text)},
			wrong{"against its pattern in its letters", draw.Text(strings.ToUpper(text))}, wrong{"empty", draw.Text("")})
	}
	if f := draw.Keyword(s, "format"); f != nil {
		out = append(out, wrong{"no " + f.String(), draw.Text("no-" + f.String())})
		if f.String() == "date-time" && len(text) > 10 {
			out = append(out, wrong{"a date without a time", draw.Text(text[:10])})
		}
	}
	if least := draw.Keyword(s, "minLength"); least != nil {
		if n, err := strconv.Atoi(least.Text); err == nil && n > 0 {
			out = append(out, wrong{"too short", draw.Text(strings.Repeat("x", n-1))})
		}
	}
	if most := draw.Keyword(s, "maxLength"); most != nil {
		if n, err := strconv.Atoi(most.Text); err == nil && n < 1<<16 {
			out = append(out, wrong{"too long", draw.Text(strings.Repeat("x", n+1))})
		}
	}
	return out
}

// ruleEdits break what the document's rules say beside the schema, and JSON itself.
func (m *maker) ruleEdits(record *draw.Node) []edit {
	var out []edit
	if r := m.payload.Rules.Time; r != nil {
		out = append(out, zoneEdits(record, r.At)...)
	}
	leaf, number := m.lastLeaves(record)
	if leaf != "" && m.payload.Rules.UniqueNames {
		repeat := func(value *draw.Node) func(*draw.Node) {
			return func(n *draw.Node) {
				tokens := leaf.Tokens()
				parent := n.At(leaf[:len(leaf)-len(contract.Pointer("").Join(tokens[len(tokens)-1]))])
				if parent != nil {
					parent.Members = append(parent.Members, draw.Member{Name: tokens[len(tokens)-1], Value: value})
				}
			}
		}
		out = append(out,
			edit{field: leaf, how: "named twice with one value", apply: repeat(record.At(leaf).Clone()), syntax: true},
			edit{field: leaf, how: "named twice with two values", apply: repeat(draw.Literal("0")), syntax: true})
	}
	if number != "" {
		for _, text := range []string{"NaN", "Infinity"} {
			out = append(out, edit{field: number, how: text, apply: func(n *draw.Node) { n.Set(number, draw.Literal(text)) }, syntax: true})
		}
	}
	return out
}

// zoneEdits write the time in another zone, as the same instant, and without any.
func zoneEdits(record *draw.Node, p contract.Pointer) []edit {
	n := record.At(p)
	if n == nil {
		return nil
	}
	t, err := time.Parse(time.RFC3339Nano, n.String())
	if err != nil {
		return nil
	}
	other := time.FixedZone("", 7*3600)
	if _, offset := t.Zone(); offset == 7*3600 {
		other = time.UTC
	}
	put := func(form string) func(*draw.Node) {
		return func(n *draw.Node) { n.Set(p, draw.Text(form)) }
	}
	return []edit{
		{field: p, how: "in another zone", apply: put(t.In(other).Format(time.RFC3339))},
		{field: p, how: "without a zone", apply: put(t.Format("2006-01-02T15:04:05"))},
	}
}

// lastLeaves finds the last scalar inside the data, and the last number there.
func (m *maker) lastLeaves(record *draw.Node) (last, number contract.Pointer) {
	var walk func(n *draw.Node, p contract.Pointer)
	walk = func(n *draw.Node, p contract.Pointer) {
		for _, member := range n.Members {
			walk(member.Value, p.Join(member.Name))
		}
		if n.Shape == draw.Raw && m.doc.Envelope.Data.Under(p) && m.body.Under(p) {
			last = p
			if strings.ContainsAny(n.Text[:1], "-0123456789") {
				number = p
			}
		}
	}
	walk(record, "")
	return last, number
}
