package tree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// JSON writes the node as compact JSON, names in the file's order, numbers as they were written.
func (n *Node) JSON() []byte {
	var b bytes.Buffer
	n.write(&b)
	return b.Bytes()
}

func (n *Node) write(b *bytes.Buffer) {
	switch n.Kind {
	case Null:
		b.WriteString("null")
	case Bool, Number:
		b.WriteString(n.Text)
	case String:
		text(b, n.Text)
	case List:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case Map:
		b.WriteByte('{')
		for i, p := range n.Pairs {
			if i > 0 {
				b.WriteByte(',')
			}
			text(b, p.Name)
			b.WriteByte(':')
			p.Value.write(b)
		}
		b.WriteByte('}')
	}
}

// text writes a JSON string without HTML escapes, so that an example keeps its measured size.
func text(b *bytes.Buffer, s string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(fmt.Sprintf("tree: a string that is no JSON: %v", err)) // Encode takes every string
	}
	b.Truncate(b.Len() - 1) // the newline that Encode adds
}

// ParseJSON reads JSON that a program wrote. A value that stands at the same pointer in like, with the same kind, takes its place
// from there; any other takes the place of the nearest value above it, or of fresh where that is given for its pointer.
func ParseJSON(raw []byte, like *Node, fresh func(pointer string) (Place, bool)) (*Node, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	r := &jsonReader{d: d, fresh: fresh}
	n, err := r.value("", like, Place{}, 0)
	if err != nil {
		return nil, fmt.Errorf("tree: read JSON: %w", err)
	}
	return n, nil
}

type jsonReader struct {
	d     *json.Decoder
	fresh func(string) (Place, bool)
}

func (r *jsonReader) value(pointer string, like *Node, above Place, depth int) (*Node, error) {
	token, err := r.d.Token()
	if err != nil {
		return nil, err
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("more than %d levels deep", maxDepth)
	}
	at := above
	if like != nil {
		at = like.Place
	}
	if place, ok := r.fresh(pointer); ok {
		at = place
	}
	n := &Node{Place: at}
	switch v := token.(type) {
	case nil:
	case bool:
		n.Kind, n.Text = Bool, strconv.FormatBool(v)
	case json.Number:
		if !JSONNumber(v.String()) {
			return nil, fmt.Errorf("the number %.40s is too large", v)
		}
		n.Kind, n.Text = Number, v.String()
	case string:
		n.Kind, n.Text = String, v
	case json.Delim:
		if v == '[' {
			return n, r.list(n, pointer, like, depth)
		}
		return n, r.object(n, pointer, like, depth)
	}
	return n, nil
}

func (r *jsonReader) list(n *Node, pointer string, like *Node, depth int) error {
	n.Kind = List
	for i := 0; r.d.More(); i++ {
		var old *Node
		if like != nil && i < len(like.Items) {
			old = like.Items[i]
		}
		item, err := r.value(pointer+"/"+strconv.Itoa(i), old, n.Place, depth+1)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, item)
	}
	_, err := r.d.Token()
	return err
}

func (r *jsonReader) object(n *Node, pointer string, like *Node, depth int) error {
	n.Kind = Map
	for r.d.More() {
		token, err := r.d.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // a name of a JSON object is a string, or Token has failed
		below := pointer + "/" + escape.Replace(name)
		old, _ := like.Get(name)
		at := n.Place
		for i := 0; like != nil && i < len(like.Pairs); i++ {
			if like.Pairs[i].Name == name {
				at = like.Pairs[i].At
			}
		}
		if place, ok := r.fresh(below); ok {
			at = place
		}
		value, err := r.value(below, old, n.Place, depth+1)
		if err != nil {
			return err
		}
		n.Pairs = append(n.Pairs, Pair{Name: name, At: at, Value: value})
	}
	_, err := r.d.Token()
	return err
}
