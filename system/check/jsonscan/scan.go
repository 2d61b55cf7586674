package jsonscan

import (
	"encoding/json"
	"errors"
	"strings"
)

// ErrSyntax says that a text is not one JSON value (RFC 8259).
var ErrSyntax = errors.New("jsonscan: no JSON")

// depthLimit bounds nesting, so that a hostile record can't exhaust the stack.
const depthLimit = 512

// Scan reads the plan's places of text into out, which has the plan's length. Of names that stand twice in an object the last
// counts, as in encoding/json. The error is ErrSyntax, and out is then worth nothing.
func (p *Plan) Scan(text string, out []Value) error {
	clear(out)
	s := scanner{text: text, out: out}
	s.space()
	if !s.value(&p.root, 0) {
		return ErrSyntax
	}
	s.space()
	if s.i != len(text) {
		return ErrSyntax
	}
	return nil
}

// Text is a string's content, a number's literal, "true", "false" or "null", and the raw text of arrays and objects.
func (v Value) Text() string {
	if v.Kind != String {
		return v.Raw
	}
	inner := v.Raw[1 : len(v.Raw)-1]
	if strings.IndexByte(inner, '\\') < 0 {
		return inner
	}
	var out string
	if json.Unmarshal([]byte(v.Raw), &out) != nil {
		return inner // unreachable: the scan checked the escapes
	}
	return out
}

type scanner struct {
	text string
	i    int
	out  []Value
}

func (s *scanner) space() {
	for s.i < len(s.text) {
		switch s.text[s.i] {
		case ' ', '\t', '\n', '\r':
			s.i++
		default:
			return
		}
	}
}

func (s *scanner) value(n *node, depth int) bool {
	if s.i >= len(s.text) || depth > depthLimit {
		return false
	}
	start := s.i
	var kind Kind
	var ok bool
	switch c := s.text[s.i]; {
	case c == '"':
		kind, ok = String, s.str()
	case c == '{':
		kind, ok = Object, s.object(n, depth)
	case c == '[':
		kind, ok = Array, s.array(n, depth)
	case c == '-' || c >= '0' && c <= '9':
		kind, ok = Number, s.number()
	case c == 't':
		kind, ok = Bool, s.word("true")
	case c == 'f':
		kind, ok = Bool, s.word("false")
	case c == 'n':
		kind, ok = Null, s.word("null")
	}
	if ok && n != nil {
		for _, at := range n.at {
			s.out[at] = Value{Kind: kind, Raw: s.text[start:s.i]}
		}
	}
	return ok
}

func (s *scanner) word(w string) bool {
	if !strings.HasPrefix(s.text[s.i:], w) {
		return false
	}
	s.i += len(w)
	return true
}

func (s *scanner) str() bool {
	for s.i++; s.i < len(s.text); s.i++ {
		switch c := s.text[s.i]; {
		case c == '"':
			s.i++
			return true
		case c < 0x20:
			return false
		case c == '\\':
			s.i++
			if !s.escape() {
				return false
			}
		}
	}
	return false
}

// escape checks the character after a backslash and leaves i on the escape's last byte.
func (s *scanner) escape() bool {
	if s.i >= len(s.text) {
		return false
	}
	if s.text[s.i] != 'u' {
		return strings.IndexByte(`"\/bfnrt`, s.text[s.i]) >= 0
	}
	if s.i+4 >= len(s.text) {
		return false
	}
	for _, c := range []byte(s.text[s.i+1 : s.i+5]) {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	s.i += 4
	return true
}

func (s *scanner) digits() bool {
	start := s.i
	for s.i < len(s.text) && s.text[s.i] >= '0' && s.text[s.i] <= '9' {
		s.i++
	}
	return s.i > start
}

func (s *scanner) number() bool {
	if s.text[s.i] == '-' {
		s.i++
	}
	if s.i < len(s.text) && s.text[s.i] == '0' {
		s.i++
	} else if !s.digits() {
		return false
	}
	if s.i < len(s.text) && s.text[s.i] == '.' {
		s.i++
		if !s.digits() {
			return false
		}
	}
	if s.i < len(s.text) && s.text[s.i]|0x20 == 'e' {
		s.i++
		if s.i < len(s.text) && (s.text[s.i] == '+' || s.text[s.i] == '-') {
			s.i++
		}
		return s.digits()
	}
	return true
}
