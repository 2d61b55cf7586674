package jsonscan

import (
	"slices"
	"strings"
	"time"

	"tahanuji/system/check/decimal"
)

// Proves says that a text is certainly valid. It proves nothing of texts with escapes or beyond ASCII, with names that the schema
// does not list or that stand twice, or with numbers of more than 18 digits or with exponents.
func (s *Schema) Proves(text string) bool {
	if s == nil {
		return false
	}
	in := scanner{text: text}
	in.space()
	if !in.proves(s) {
		return false
	}
	in.space()
	return in.i == len(text)
}

func (in *scanner) proves(s *Schema) bool {
	if in.i >= len(in.text) {
		return false
	}
	start := in.i
	switch c := in.text[in.i]; {
	case c == '{':
		return s.takes(Object) && s.allowed == nil && in.provesObject(s)
	case c == '[':
		return s.takes(Array) && s.allowed == nil && in.provesArray(s)
	case c == '"':
		return s.takes(String) && in.plain() && s.takesText(in.text[start:in.i])
	case c == '-' || c >= '0' && c <= '9':
		return s.takes(Number) && in.number() && s.takesNumber(in.text[start:in.i])
	case c == 't':
		return s.takes(Bool) && s.allowed == nil && in.word("true")
	case c == 'f':
		return s.takes(Bool) && s.allowed == nil && in.word("false")
	case c == 'n':
		return s.takes(Null) && s.allowed == nil && in.word("null")
	}
	return false
}

func (s *Schema) takes(k Kind) bool { return s.kinds == nil || slices.Contains(s.kinds, k) }

// plain steps over a string that is written as it reads.
func (in *scanner) plain() bool {
	for in.i++; in.i < len(in.text); in.i++ {
		switch c := in.text[in.i]; {
		case c == '"':
			in.i++
			return true
		case c < 0x20 || c >= 0x7f || c == '\\':
			return false
		}
	}
	return false
}

func (in *scanner) provesObject(s *Schema) bool {
	in.i++
	in.space()
	seen := uint64(0)
	if in.peek('}') {
		return s.required == 0
	}
	for {
		start := in.i
		if in.i >= len(in.text) || in.text[in.i] != '"' || !in.plain() {
			return false
		}
		at := slices.Index(s.names, in.text[start+1:in.i-1])
		if at < 0 || seen&(1<<at) != 0 {
			return false
		}
		seen |= 1 << at
		in.space()
		if !in.peek(':') {
			return false
		}
		in.space()
		if !in.proves(s.members[at]) {
			return false
		}
		in.space()
		if in.peek('}') {
			return seen&s.required == s.required
		}
		if !in.peek(',') {
			return false
		}
		in.space()
	}
}

func (in *scanner) provesArray(s *Schema) bool {
	in.i++
	in.space()
	if in.peek(']') {
		return true
	}
	for s.items != nil {
		if !in.proves(s.items) {
			return false
		}
		in.space()
		if in.peek(']') {
			return true
		}
		if !in.peek(',') {
			return false
		}
		in.space()
	}
	return false
}

func (s *Schema) takesText(raw string) bool {
	text := raw[1 : len(raw)-1]
	return (s.allowed == nil || slices.Contains(s.allowed, raw)) &&
		len(text) >= s.minLength && (s.maxLength < 0 || len(text) <= s.maxLength) &&
		(!s.time || isTime(text)) && (!s.date || isDate(text)) &&
		(s.pattern == nil || s.pattern.MatchString(text))
}

func (s *Schema) takesNumber(raw string) bool {
	if s.allowed != nil && !slices.Contains(s.allowed, raw) || s.integer && strings.IndexByte(raw, '.') >= 0 {
		return false
	}
	if len(raw) > 18 || strings.ContainsAny(raw, "eE") {
		return false
	}
	if s.least == nil && s.most == nil && s.step == nil {
		return true
	}
	n, ok := decimal.Parse(raw)
	if !ok {
		return false
	}
	if s.least != nil {
		if c := n.Cmp(*s.least); c < 0 || c == 0 && s.openLeast {
			return false
		}
	}
	if s.most != nil {
		if c := n.Cmp(*s.most); c > 0 || c == 0 && s.openMost {
			return false
		}
	}
	return s.step == nil || n.MultipleOf(*s.step)
}

// isTime is true for the usual spellings of RFC 3339 alone: capital letters, seconds below 60, an offset below a day.
func isTime(t string) bool {
	if len(t) < 20 || t[10] != 'T' || t[13] != ':' || t[16] != ':' || !isDate(t[:10]) {
		return false
	}
	if !within(t[11:13], 23) || !within(t[14:16], 59) || !within(t[17:19], 59) {
		return false
	}
	rest := t[19:]
	if rest[0] == '.' {
		n := 1
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n == 1 || n > 10 {
			return false
		}
		rest = rest[n:]
	}
	return rest == "Z" || len(rest) == 6 && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':' && within(rest[1:3], 23) && within(rest[4:6], 59)
}

func isDate(d string) bool {
	if len(d) != 10 || d[4] != '-' || d[7] != '-' || !within(d[:2], 99) || !within(d[2:4], 99) || !within(d[5:7], 12) || !within(d[8:], 31) {
		return false
	}
	if day := d[8:]; day >= "01" && day <= "28" && d[5:7] != "00" {
		return true
	}
	_, err := time.Parse(time.DateOnly, d)
	return err == nil
}

// within says that a text is two digits and at most limit.
func within(two string, limit int) bool {
	return two[0] >= '0' && two[0] <= '9' && two[1] >= '0' && two[1] <= '9' && int(two[0]-'0')*10+int(two[1]-'0') <= limit
}
