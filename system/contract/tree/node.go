// Package tree holds a parsed file as a tree whose nodes know where they stand: YAML read strictly, JSON laid over it. It
// knows nothing of what an architecture document means.
package tree

import (
	"strconv"
	"strings"
)

// Kind of a node.
type Kind int

// Kinds of nodes. The zero value is null.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Map
)

// String names the kind as messages do.
func (k Kind) String() string {
	return [...]string{"nothing", "true or false", "a number", "a text", "a list", "a mapping"}[k]
}

// Place is where a node stands. Line and Column count from 1; 0 is unknown.
type Place struct {
	File   string
	Line   int
	Column int
}

// Node is one value. Text holds a Bool ("true", "false"), a Number (its JSON form) or a String.
type Node struct {
	Kind  Kind
	Text  string
	Items []*Node // of a List
	Pairs []Pair  // of a Map, in the file's order, names unique
	Place Place
}

// Pair is one entry of a Map.
type Pair struct {
	Name  string
	At    Place // of the name
	Value *Node
}

// Trouble is something wrong with the form of a file.
type Trouble struct {
	Place Place
	Rule  string // syntax, duplicate-key, type or limit
	Text  string
	Hint  string
}

// Get returns the value of a name and whether the mapping has it. Of anything but a Map it is nil, false.
func (n *Node) Get(name string) (*Node, bool) {
	if n == nil {
		return nil, false
	}
	for _, p := range n.Pairs {
		if p.Name == name {
			return p.Value, true
		}
	}
	return nil, false
}

// At follows the unescaped tokens of a JSON Pointer. It returns the deepest node that is there, and whether all tokens led on.
func (n *Node) At(tokens []string) (*Node, bool) {
	for _, token := range tokens {
		var next *Node
		switch n.Kind {
		case Map:
			next, _ = n.Get(token)
		case List:
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(n.Items) && strconv.Itoa(i) == token {
				next = n.Items[i]
			}
		case Null, Bool, Number, String:
		}
		if next == nil {
			return n, false
		}
		n = next
	}
	return n, true
}

// Pointers calls visit for the node and everything below it with its JSON Pointer, in the file's order.
func (n *Node) Pointers(visit func(pointer string, at *Node)) { n.walk("", visit) }

func (n *Node) walk(pointer string, visit func(string, *Node)) {
	visit(pointer, n)
	for i, item := range n.Items {
		item.walk(pointer+"/"+strconv.Itoa(i), visit)
	}
	for _, p := range n.Pairs {
		p.Value.walk(pointer+"/"+escape.Replace(p.Name), visit)
	}
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")
