package payload

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Pointer is a JSON Pointer (RFC 6901). "" is the whole value.
type Pointer string

// Path is a compiled Pointer.
type Path struct {
	pointer Pointer
	path    string
}

// Compile checks a pointer and makes a Path of it. Numbers in a pointer address array elements or names of objects.
func Compile(p Pointer) (Path, error) {
	if p == "" {
		return Path{}, nil
	}
	if p[0] != '/' || p == "/" {
		return Path{}, fmt.Errorf("pointer: %q: want \"\" or /name/name (RFC 6901)", p)
	}
	tokens := p.Tokens()
	for i, t := range tokens {
		tokens[i] = gjson.Escape(t)
	}
	return Path{pointer: p, path: strings.Join(tokens, ".")}, nil
}

// CompileAll compiles pointers in order.
func CompileAll(ps []Pointer) ([]Path, error) {
	out := make([]Path, len(ps))
	for i, p := range ps {
		c, err := Compile(p)
		if err != nil {
			return nil, err
		}
		out[i] = c
	}
	return out, nil
}

// Tokens splits a pointer into its reference tokens, unescaped.
func (p Pointer) Tokens() []string {
	if p == "" {
		return nil
	}
	tokens := strings.Split(string(p[1:]), "/")
	for i, t := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(t, "~1", "/"), "~0", "~")
	}
	return tokens
}

// Join is the pointer to a member of what p points to.
func (p Pointer) Join(token string) Pointer {
	return p + "/" + Pointer(strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1"))
}

// Pointer gives back what the path was compiled from.
func (p Path) Pointer() Pointer { return p.pointer }

// Get finds the value in a record that is known to be JSON; Exists() is false when it is not there.
func (p Path) Get(record []byte) gjson.Result {
	if p.path == "" {
		return gjson.ParseBytes(record)
	}
	return gjson.GetBytes(record, p.path)
}

// Text is a value as it stands in a key: a string's content, otherwise the JSON text.
func Text(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.Str
	}
	return v.Raw
}

// Time reads a time: RFC 3339, or a number of milliseconds since 1970. A leap second is the second after it.
func Time(v gjson.Result) (time.Time, error) {
	if v.Type == gjson.Number {
		return time.UnixMilli(int64(v.Num)).UTC(), nil
	}
	if v.Type != gjson.String {
		return time.Time{}, fmt.Errorf("time: %s is neither a string nor a number", v.Raw)
	}
	t, err := time.Parse(time.RFC3339, v.Str)
	if err == nil {
		return t, nil
	}
	text := strings.ToUpper(v.Str)
	leap := len(text) > 18 && text[16:19] == ":60"
	if leap {
		text = text[:16] + ":59" + text[19:]
	}
	t, err = time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("time: %w", err)
	}
	if leap {
		t = t.Add(time.Second)
	}
	return t, nil
}
