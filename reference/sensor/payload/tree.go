package payload

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// oddities are what JSON allows and a record should not hold, by pointer.
type oddities struct {
	twice   []Pointer // names that stand twice in their object
	extreme []Pointer // numbers whose exponent has more than three digits: they cost memory without bound
}

// tree turns JSON text into maps, slices and json.Number, as the schema library wants it. The text is valid JSON.
func tree(v gjson.Result, at Pointer, odd *oddities) any {
	switch v.Type {
	case gjson.Null:
		return nil
	case gjson.False:
		return false
	case gjson.True:
		return true
	case gjson.Number:
		if extreme(v.Raw) {
			odd.extreme = append(odd.extreme, at)
		}
		return json.Number(v.Raw)
	case gjson.String:
		return v.Str
	case gjson.JSON:
		if v.IsArray() {
			return array(v, at, odd)
		}
		return object(v, at, odd)
	}
	return nil
}

func object(v gjson.Result, at Pointer, odd *oddities) any {
	members := make(map[string]any, 8)
	v.ForEach(func(name, value gjson.Result) bool {
		here := at.Join(name.Str)
		if _, had := members[name.Str]; had {
			odd.twice = append(odd.twice, here)
		}
		members[name.Str] = tree(value, here, odd)
		return true
	})
	return members
}

func array(v gjson.Result, at Pointer, odd *oddities) any {
	elements := []any{}
	v.ForEach(func(_, value gjson.Result) bool {
		elements = append(elements, tree(value, at, odd))
		return true
	})
	return elements
}

// extreme says whether a number's exponent has more than three digits.
func extreme(number string) bool {
	at := strings.IndexAny(number, "eE")
	return at >= 0 && len(strings.TrimLeft(number[at+1:], "+-0")) > 3
}

// sound says whether raw is one JSON value in UTF-8 (RFC 8259).
func sound(raw []byte) bool { return utf8.Valid(raw) && gjson.ValidBytes(raw) }
