package contract

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Tokens are the unescaped names of the pointer, in order; none for the whole value.
func (p Pointer) Tokens() []string {
	if p == "" {
		return nil
	}
	tokens := strings.Split(strings.TrimPrefix(string(p), "/"), "/")
	if strings.Contains(string(p), "~") {
		for i, t := range tokens {
			tokens[i] = unescape.Replace(t)
		}
	}
	return tokens
}

// Join is the pointer to the value under name below p.
func (p Pointer) Join(name string) Pointer { return p + "/" + Pointer(escape.Replace(name)) }

// JoinIndex is the pointer to item i of the list at p.
func (p Pointer) JoinIndex(i int) Pointer { return p + "/" + Pointer(strconv.Itoa(i)) }

// Under says whether q lies under p, or is p.
func (p Pointer) Under(q Pointer) bool {
	return q == p || strings.HasPrefix(string(q), string(p)+"/")
}

// Name is the last token, "" for the whole.
func (p Pointer) Name() string {
	tokens := p.Tokens()
	if len(tokens) == 0 {
		return ""
	}
	return tokens[len(tokens)-1]
}

var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)

// Check says why a text is no JSON Pointer (RFC 6901), and what to write instead. "/" is legal there, but it names the empty name
// and is always a slip for the whole, so it is refused.
func (p Pointer) Check() error {
	switch {
	case p == "":
		return nil
	case p == "/":
		return fmt.Errorf(`pointer "/": it names a field with an empty name; write "" for the whole`)
	case p[0] != '/':
		return fmt.Errorf("pointer %q: it does not begin with /; write %q", string(p), "/"+strings.ReplaceAll(string(p), ".", "/"))
	}
	for i := range len(p) {
		if p[i] == '~' && (i+1 == len(p) || p[i+1] != '0' && p[i+1] != '1') {
			return fmt.Errorf("pointer %q: ~ stands alone; write ~0 for ~ and ~1 for /", string(p))
		}
	}
	return nil
}

// Get returns what stands at the pointer in a JSON text, and whether anything does (null does). Of a name that stands twice the
// first counts. The text is not validated: of a broken one the result is unspecified, but Get does not panic.
func (p Pointer) Get(raw []byte) (gjson.Result, bool) {
	at := gjson.ParseBytes(raw)
	for rest := string(p); rest != ""; {
		token := rest[1:]
		end := strings.IndexByte(token, '/')
		if end < 0 {
			rest = ""
		} else {
			token, rest = token[:end], token[end:]
		}
		if strings.IndexByte(token, '~') >= 0 {
			token = unescape.Replace(token)
		}
		next, found := below(at, token)
		if !found {
			return gjson.Result{}, false
		}
		at = next
	}
	return at, at.Exists()
}

func below(at gjson.Result, token string) (next gjson.Result, found bool) {
	switch {
	case at.IsObject():
		at.ForEach(func(key, value gjson.Result) bool {
			if key.Str == token {
				next, found = value, true
			}
			return !found
		})
	case at.IsArray():
		want, err := strconv.Atoi(token)
		if err != nil || want < 0 || strconv.Itoa(want) != token {
			return next, false
		}
		i := 0
		at.ForEach(func(_, value gjson.Result) bool {
			if i == want {
				next, found = value, true
			}
			i++
			return !found
		})
	}
	return next, found
}

// Text returns what stands at the pointer as a key is made of it: a string's content, any other scalar as it is written. A list,
// an object, null or nothing has no text.
func (p Pointer) Text(raw []byte) (string, bool) {
	at, ok := p.Get(raw)
	if !ok {
		return "", false
	}
	switch at.Type {
	case gjson.String:
		return at.Str, true
	case gjson.Number, gjson.True, gjson.False:
		return at.Raw, true
	case gjson.Null, gjson.JSON:
	}
	return "", false
}
