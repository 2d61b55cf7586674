// Package strictjson reads a JSON text (RFC 8259) into Go values and tells what a lenient reader would let through: names given
// twice, NaN and Infinity, numbers too large to handle. It knows no schema.
package strictjson

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"tahanuji/system/contract/tree"
)

const maxDepth = 100

// Flaw is something in a text that a strict reader refuses.
type Flaw struct {
	Pointer string // JSON Pointer of the value; "" if the text as a whole is no JSON
	Why     string
	Twice   bool // a name given twice; the last value counts
}

// Parse reads a text. Numbers are json.Number. A value that is no JSON number is read as nil and told as a flaw, so that what is
// beside it can still be judged. When ok is false the text is no JSON, and the last flaw says where.
func Parse(text []byte) (value any, flaws []Flaw, ok bool) {
	r := reader{text: text}
	r.space()
	value = r.value(0)
	r.space()
	if r.stop == "" && r.at < len(text) {
		r.fail("text after the value")
	}
	if r.stop != "" {
		return nil, append(r.flaws, Flaw{Why: fmt.Sprintf("no JSON at byte %d: %s", r.at, r.stop)}), false
	}
	return value, r.flaws, true
}

type reader struct {
	text  []byte
	at    int
	path  []step
	flaws []Flaw
	stop  string // why reading ended, "" while it goes on
}

// step is one level of the way to the value being read: a name, or an index where isIndex.
type step struct {
	name  string
	index int
	list  bool
}

func (r *reader) fail(why string) {
	if r.stop == "" {
		r.stop = why
	}
}

func (r *reader) flaw(twice bool, why string) {
	var b strings.Builder
	for _, s := range r.path {
		b.WriteByte('/')
		if s.list {
			b.WriteString(strconv.Itoa(s.index))
		} else {
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(s.name, "~", "~0"), "/", "~1"))
		}
	}
	r.flaws = append(r.flaws, Flaw{Pointer: b.String(), Why: why, Twice: twice})
}

func (r *reader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// peek is the next byte, 0 at the end; a 0 inside a text begins no value either.
func (r *reader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *reader) value(depth int) any {
	if depth > maxDepth {
		r.fail(fmt.Sprintf("more than %d levels deep", maxDepth))
		return nil
	}
	switch c := r.peek(); c {
	case '{':
		return r.object(depth)
	case '[':
		return r.list(depth)
	case '"':
		return r.string()
	case 't':
		return r.word("true", true)
	case 'f':
		return r.word("false", false)
	case 'n':
		return r.word("null", nil)
	case 'N':
		return r.noNumber("NaN")
	case 'I':
		return r.noNumber("Infinity")
	case '-':
		if r.at+1 < len(r.text) && r.text[r.at+1] == 'I' {
			return r.noNumber("-Infinity")
		}
		return r.number()
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return r.number()
	case 0:
		r.fail("the text ends where a value should be")
	default:
		r.fail(fmt.Sprintf("%q begins no value", c))
	}
	return nil
}

func (r *reader) word(word string, value any) any {
	if !strings.HasPrefix(string(r.text[r.at:min(len(r.text), r.at+len(word))]), word) {
		r.fail("a word that is none of true, false and null")
		return nil
	}
	r.at += len(word)
	return value
}

func (r *reader) noNumber(word string) any {
	r.word(word, nil)
	if r.stop == "" {
		r.flaw(false, word+" is no number")
	}
	return nil
}

func (r *reader) number() any {
	end := r.at
	for end < len(r.text) && strings.IndexByte("+-.eE0123456789", r.text[end]) >= 0 {
		end++
	}
	text := string(r.text[r.at:end])
	if !tree.JSONNumber(text) {
		if !json.Valid(r.text[r.at:end]) {
			r.fail(fmt.Sprintf("%.40q is no number", text))
			return nil
		}
		r.flaw(false, "a number of more than 400 characters, or with an exponent of more than three digits")
		r.at = end
		return nil
	}
	r.at = end
	return json.Number(text)
}

func (r *reader) string() string {
	start := r.at
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			return r.unquote(r.text[start:r.at])
		case c == '\\':
			r.at++
		case c < 0x20:
			r.fail("a control character inside a text")
			return ""
		}
	}
	r.fail("a text without an end")
	return ""
}

func (r *reader) unquote(quoted []byte) string {
	inner := quoted[1 : len(quoted)-1]
	if !utf8.Valid(inner) {
		r.fail("a text that is no UTF-8")
		return ""
	}
	text := string(inner)
	if strings.IndexByte(text, '\\') >= 0 {
		if err := json.Unmarshal(quoted, &text); err != nil {
			r.fail("an escape that JSON does not know")
		}
	}
	return text
}

func (r *reader) list(depth int) any {
	r.at++
	items := []any{}
	r.path = append(r.path, step{list: true})
	defer func() { r.path = r.path[:len(r.path)-1] }()
	r.space()
	if r.peek() == ']' {
		r.at++
		return items
	}
	for r.stop == "" {
		r.path[len(r.path)-1].index = len(items)
		r.space()
		items = append(items, r.value(depth+1))
		if r.more(']') {
			return items
		}
	}
	return items
}

func (r *reader) object(depth int) any {
	r.at++
	fields := make(map[string]any, 4)
	r.path = append(r.path, step{})
	defer func() { r.path = r.path[:len(r.path)-1] }()
	r.space()
	if r.peek() == '}' {
		r.at++
		return fields
	}
	for r.stop == "" {
		r.space()
		if r.peek() != '"' {
			r.fail("a name should begin here")
			return fields
		}
		name := r.string()
		r.path[len(r.path)-1].name = name
		r.space()
		if r.stop == "" && r.peek() != ':' {
			r.fail("a colon should follow the name")
		}
		if r.stop != "" {
			return fields
		}
		r.at++
		r.space()
		if _, twice := fields[name]; twice {
			r.flaw(true, "the name is given twice")
		}
		fields[name] = r.value(depth + 1)
		if r.more('}') {
			return fields
		}
	}
	return fields
}

// more passes the comma before the next item and says false, or passes the end and says true.
func (r *reader) more(end byte) bool {
	r.space()
	switch {
	case r.stop != "":
	case r.peek() == ',':
		r.at++
	case r.peek() == end:
		r.at++
		return true
	default:
		r.fail(fmt.Sprintf("a comma or %c should be here", end))
	}
	return false
}
