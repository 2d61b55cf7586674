package draw

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// Shape says which JSON value a Node is.
type Shape string

// Shapes of nodes. A Raw node is written as it stands, even where that is no JSON (NaN).
const (
	Object Shape = "object"
	Array  Shape = "array"
	Raw    Shape = "raw"
)

// Node is a JSON value whose members keep their order and their numbers' digits, and in which a name may stand twice.
type Node struct {
	Shape   Shape
	Members []Member // of an object
	Items   []*Node  // of an array
	Text    string   // of a raw node: JSON text of a string, number, true, false or null
}

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value *Node
}

// Text is a node that is a JSON string.
func Text(s string) *Node {
	if plain(s) {
		return Literal(`"` + s + `"`)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil { // a string always encodes
		return Literal(strconv.Quote(s))
	}
	return Literal(strings.TrimSuffix(b.String(), "\n"))
}

// plain says whether a string is written in JSON as it is: printable ASCII without quotes and backslashes.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// Literal is a node that is written as it stands.
func Literal(text string) *Node { return &Node{Shape: Raw, Text: text} }

// Parse reads one JSON value. It keeps what encoding/json would lose: order, digits and repeated names.
func Parse(data []byte) (*Node, error) {
	if bytes.IndexByte(data, '\\') < 0 && utf8.Valid(data) && json.Valid(data) {
		return known(gjson.ParseBytes(data)), nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	n, err := read(d)
	if err != nil {
		return nil, fmt.Errorf("draw: parse: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("draw: parse: something follows the value at byte %d", d.InputOffset())
	}
	return n, nil
}

// known makes a node of valid JSON without escapes, whose texts need no decoding. It is what read makes, at a fraction of the cost.
func known(v gjson.Result) *Node {
	switch {
	case v.IsObject():
		n := &Node{Shape: Object, Members: make([]Member, 0, 4)}
		v.ForEach(func(name, value gjson.Result) bool {
			n.Members = append(n.Members, Member{name.Str, known(value)})
			return true
		})
		return n
	case v.IsArray():
		n := &Node{Shape: Array}
		v.ForEach(func(_, item gjson.Result) bool {
			n.Items = append(n.Items, known(item))
			return true
		})
		return n
	case v.Type == gjson.String:
		return Text(v.Str)
	}
	return Literal(v.Raw)
}

func read(d *json.Decoder) (*Node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := t.(type) {
	case json.Delim:
		if v == '{' {
			return readObject(d)
		}
		return readArray(d)
	case string:
		return Text(v), nil
	case json.Number:
		return Literal(v.String()), nil
	case bool:
		return Literal(strconv.FormatBool(v)), nil
	}
	return Literal("null"), nil
}

func readObject(d *json.Decoder) (*Node, error) {
	n := &Node{Shape: Object}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("a name is %v", t)
		}
		value, err := read(d)
		if err != nil {
			return nil, err
		}
		n.Members = append(n.Members, Member{name, value})
	}
	_, err := d.Token()
	return n, err
}

func readArray(d *json.Decoder) (*Node, error) {
	n := &Node{Shape: Array}
	for d.More() {
		item, err := read(d)
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, item)
	}
	_, err := d.Token()
	return n, err
}

// Bytes writes the node without white space.
func (n *Node) Bytes() []byte {
	if n.Shape == Raw {
		return []byte(n.Text)
	}
	var b bytes.Buffer
	b.Grow(256) // a usual record
	n.write(&b)
	return b.Bytes()
}

func (n *Node) write(b *bytes.Buffer) {
	switch n.Shape {
	case Raw:
		b.WriteString(n.Text)
	case Array:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		for i, m := range n.Members {
			if i > 0 {
				b.WriteByte(',')
			}
			writeName(b, m.Name)
			b.WriteByte(':')
			m.Value.write(b)
		}
		b.WriteByte('}')
	}
}

func writeName(b *bytes.Buffer, name string) {
	if !plain(name) {
		b.WriteString(Text(name).Text)
		return
	}
	b.WriteByte('"')
	b.WriteString(name)
	b.WriteByte('"')
}

// Clone is a deep copy.
func (n *Node) Clone() *Node {
	c := &Node{Shape: n.Shape, Text: n.Text}
	if len(n.Members) > 0 {
		c.Members = make([]Member, 0, len(n.Members)+1) // one may be added
	}
	for _, m := range n.Members {
		c.Members = append(c.Members, Member{m.Name, m.Value.Clone()})
	}
	for _, item := range n.Items {
		c.Items = append(c.Items, item.Clone())
	}
	return c
}

// String is the value of a JSON string, and the JSON text of any other node: how a key's field becomes a key.
func (n *Node) String() string {
	if n.Shape == Raw && strings.HasPrefix(n.Text, `"`) {
		if inner, ok := strings.CutSuffix(n.Text[1:], `"`); ok && plain(inner) {
			return inner
		}
		var s string
		if json.Unmarshal([]byte(n.Text), &s) == nil {
			return s
		}
	}
	if n.Shape == Raw {
		return n.Text
	}
	return string(n.Bytes())
}
