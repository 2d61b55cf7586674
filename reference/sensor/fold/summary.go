package fold

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"tahanuji/reference/sensor/payload"
)

// Shape lays out JSON objects whose members stand at pointers: literal text with a hole for each pointer.
type Shape struct {
	root *branch
}

type branch struct {
	name    string
	hole    int // -1: an object
	members []*branch
}

// NewShape makes a shape with one hole for each pointer, in their order. Two pointers may not be the same, nor one within
// another. Tokens are names of objects, never elements of arrays.
func NewShape(ps []payload.Pointer) (*Shape, error) {
	root := &branch{hole: -1}
	for i, p := range ps {
		if _, err := payload.Compile(p); err != nil {
			return nil, err
		}
		tokens := p.Tokens()
		if len(tokens) == 0 {
			return nil, fmt.Errorf("shape: pointer %d is the whole record", i)
		}
		at := root
		for _, t := range tokens {
			if at.hole >= 0 {
				return nil, fmt.Errorf("shape: %q lies within another field", p)
			}
			at = at.member(t)
		}
		if at.hole >= 0 || len(at.members) > 0 {
			return nil, fmt.Errorf("shape: %q stands twice, or holds another field", p)
		}
		at.hole = i
	}
	return &Shape{root: root}, nil
}

func (b *branch) member(name string) *branch {
	for _, m := range b.members {
		if m.name == name {
			return m
		}
	}
	m := &branch{name: name, hole: -1}
	b.members = append(b.members, m)
	return m
}

// Fill writes the object; values hold JSON text, and a member whose value is "" is left out.
func (s *Shape) Fill(values []string) []byte {
	return s.root.fill(make([]byte, 0, 256), values)
}

func (b *branch) fill(out []byte, values []string) []byte {
	out = append(out, '{')
	first := true
	for _, m := range b.members {
		if m.hole >= 0 && values[m.hole] == "" {
			continue
		}
		if !first {
			out = append(out, ',')
		}
		first = false
		out = append(out, Quote(m.name)...)
		out = append(out, ':')
		if m.hole >= 0 {
			out = append(out, values[m.hole]...)
			continue
		}
		out = m.fill(out, values)
	}
	return append(out, '}')
}

// Quote writes a JSON string. It escapes what JSON demands and nothing else.
func Quote(s string) string {
	plain := true
	for i := range len(s) {
		if s[i] < 0x20 || s[i] == '"' || s[i] == '\\' {
			plain = false
			break
		}
	}
	if plain {
		return `"` + s + `"`
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// DerivedID is a UUID version 5 (RFC 9562) made of the parts: the same parts give the same id.
func DerivedID(parts ...string) string {
	h := sha1.New()
	for _, p := range parts {
		h.Write(strconv.AppendInt(nil, int64(len(p)), 10))
		h.Write([]byte{':'})
		h.Write([]byte(p))
	}
	u := h.Sum(nil)[:16]
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	x := hex.EncodeToString(u)
	return x[:8] + "-" + x[8:12] + "-" + x[12:16] + "-" + x[16:20] + "-" + x[20:]
}
