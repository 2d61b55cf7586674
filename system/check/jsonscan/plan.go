// Package jsonscan reads chosen places out of JSON texts in one strict pass, without building values, and proves of most valid
// texts that they are valid: a history holds hundreds of thousands of records and a checker wants five fields of each. It refuses no
// record (package contract does) and reports no line numbers.
package jsonscan

import (
	"strconv"
	"strings"
)

// Kind is what stands at a place.
type Kind uint8

// Kinds. Missing is the zero value: nothing stands there.
const (
	Missing Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Value is what stands at a place: its kind and its raw text, quotes included.
type Value struct {
	Kind Kind
	Raw  string
}

// Plan names the places to read, as JSON Pointers (RFC 6901).
type Plan struct {
	root node
	n    int
}

type node struct {
	at       []int // places that end here
	names    []string
	children []*node
}

// Compile makes a plan; a Value's index is its pointer's. A pointer that is neither "" nor begins with "/" matches nothing.
func Compile(pointers ...string) *Plan {
	p := &Plan{n: len(pointers)}
	for i, text := range pointers {
		if text != "" && text[0] != '/' {
			continue
		}
		at := &p.root
		if text != "" {
			for _, token := range strings.Split(text[1:], "/") {
				at = at.descend(unescapeToken(token))
			}
		}
		at.at = append(at.at, i)
	}
	return p
}

// Len is the number of places.
func (p *Plan) Len() int { return p.n }

func (n *node) descend(name string) *node {
	if c := n.child(name); c != nil {
		return c
	}
	c := &node{}
	n.names = append(n.names, name)
	n.children = append(n.children, c)
	return c
}

func (n *node) child(name string) *node {
	for i, have := range n.names {
		if have == name {
			return n.children[i]
		}
	}
	return nil
}

func (n *node) element(i int) *node {
	if len(n.names) == 0 {
		return nil
	}
	return n.child(strconv.Itoa(i))
}

func unescapeToken(t string) string {
	if !strings.Contains(t, "~") {
		return t
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(t)
}
