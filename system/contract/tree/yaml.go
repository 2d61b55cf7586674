package tree

import (
	"errors"
	"fmt"
	"strings"

	goccy "github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
	"go.yaml.in/yaml/v3"
)

// Limits of a file, so that a hostile one costs no more than an honest one.
const (
	MaxBytes = 4 << 20
	maxNodes = 200_000
	maxDepth = 100
)

// ParseYAML reads one YAML document. line is added to all lines, for a text that stands inside another file. The node is nil
// if the text can't be read at all; else it holds what could be read, beside the troubles.
func ParseYAML(file string, text []byte, line int) (*Node, []Trouble) {
	r := &yamlReader{file: file, line: line}
	if len(text) > MaxBytes {
		r.trouble(Place{File: file}, "limit", fmt.Sprintf("the file has %d bytes", len(text)), fmt.Sprintf("at most %d are read", MaxBytes))
		return nil, r.troubles
	}
	var top yaml.Node
	if err := unmarshal(text, &top); err != nil {
		r.troubles = append(r.troubles, r.syntax(text, err))
		return nil, r.troubles
	}
	if top.Kind == 0 || len(top.Content) == 0 {
		r.trouble(Place{File: file, Line: line + 1, Column: 1}, "syntax", "the file holds nothing", "start with a mapping")
		return nil, r.troubles
	}
	return r.node(top.Content[0], 0), r.troubles
}

// unmarshal turns a panic of the YAML library into an error: a file is input, and no input may end the program.
func unmarshal(text []byte, into *yaml.Node) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("yaml: %v", p)
		}
	}()
	return yaml.Unmarshal(text, into)
}

type yamlReader struct {
	file     string
	line     int
	nodes    int
	troubles []Trouble
}

func (r *yamlReader) trouble(at Place, rule, text, hint string) {
	r.troubles = append(r.troubles, Trouble{Place: at, Rule: rule, Text: text, Hint: hint})
}

// syntax finds the place of a syntax error with a second parser, since the first one tells it in its text only.
func (r *yamlReader) syntax(text []byte, cause error) (t Trouble) {
	t = Trouble{Place: Place{File: r.file}, Rule: "syntax", Text: "no YAML: " + cause.Error(), Hint: "check indentation, colons and quotes"}
	defer func() { _ = recover() }() // the second parser only helps; without it the trouble has no line
	_, err := parser.ParseBytes(text, 0)
	var located *goccy.SyntaxError
	if errors.As(err, &located) && located.Token != nil && located.Token.Position != nil {
		t.Place.Line, t.Place.Column = located.Token.Position.Line+r.line, located.Token.Position.Column
		t.Text = "no YAML: " + located.Message
	}
	return t
}

func (r *yamlReader) node(n *yaml.Node, depth int) *Node {
	at := Place{File: r.file, Line: n.Line + r.line, Column: n.Column}
	r.nodes++
	if depth > maxDepth || r.nodes > maxNodes {
		if r.nodes <= maxNodes || r.nodes == maxNodes+1 {
			r.trouble(at, "limit", "too much in one file", fmt.Sprintf("at most %d values, %d levels deep, aliases counted as what they stand for", maxNodes, maxDepth))
		}
		return &Node{Place: at}
	}
	switch n.Kind {
	case yaml.AliasNode:
		return r.node(n.Alias, depth+1)
	case yaml.SequenceNode:
		list := &Node{Kind: List, Place: at}
		for _, item := range n.Content {
			list.Items = append(list.Items, r.node(item, depth+1))
		}
		return list
	case yaml.MappingNode:
		return r.mapping(n, at, depth)
	case yaml.ScalarNode:
		return r.scalar(n, at)
	case yaml.DocumentNode:
	}
	r.trouble(at, "syntax", "a document inside a document", "one document a file")
	return &Node{Place: at}
}

func (r *yamlReader) mapping(n *yaml.Node, at Place, depth int) *Node {
	m := &Node{Kind: Map, Place: at}
	seen := map[string]Place{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		where := Place{File: r.file, Line: key.Line + r.line, Column: key.Column}
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
			r.trouble(where, "type", "a name that is no plain text", "write the name as text; << is not read")
			continue
		}
		if first, twice := seen[key.Value]; twice {
			r.trouble(where, "duplicate-key", fmt.Sprintf("%s is given twice", key.Value), fmt.Sprintf("it stands in line %d already; keep one", first.Line))
			continue
		}
		seen[key.Value] = where
		m.Pairs = append(m.Pairs, Pair{Name: key.Value, At: where, Value: r.node(value, depth+1)})
	}
	return m
}

func (r *yamlReader) scalar(n *yaml.Node, at Place) *Node {
	switch n.ShortTag() {
	case "!!null":
		return &Node{Kind: Null, Place: at}
	case "!!bool":
		return &Node{Kind: Bool, Text: strings.ToLower(n.Value), Place: at}
	case "!!int", "!!float":
		if JSONNumber(n.Value) {
			return &Node{Kind: Number, Text: n.Value, Place: at}
		}
		r.trouble(at, "type", fmt.Sprintf("%s is no number as JSON writes it", n.Value), "write it with decimal digits, or in quotes if it is a text")
		return &Node{Kind: Number, Text: "1", Place: at} // told already; 1 is in range everywhere
	case "!!str", "!!timestamp":
		return &Node{Kind: String, Text: n.Value, Place: at}
	}
	r.trouble(at, "type", fmt.Sprintf("the tag %s is not read", n.ShortTag()), "write plain text, numbers, true, false, lists and mappings")
	return &Node{Kind: String, Text: n.Value, Place: at}
}

// JSONNumber says whether a text is a number as JSON writes it (RFC 8259, section 6) and of a size that can be handled exactly:
// at most 400 characters, exponents up to 999.
func JSONNumber(text string) bool {
	if len(text) == 0 || len(text) > 400 {
		return false
	}
	rest := strings.TrimPrefix(text, "-")
	whole := digits(rest)
	if whole == 0 || whole > 1 && rest[0] == '0' {
		return false
	}
	rest = rest[whole:]
	if strings.HasPrefix(rest, ".") {
		fraction := digits(rest[1:])
		if fraction == 0 {
			return false
		}
		rest = rest[1+fraction:]
	}
	if rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		rest = rest[1:]
		if rest != "" && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		exponent := digits(rest)
		return exponent > 0 && exponent <= 3 && exponent == len(rest)
	}
	return rest == ""
}

func digits(text string) int {
	n := 0
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n
}
