package payload

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// node is a schema compiled for the common case. ok must never say yes where the full check says no; it may say no to
// what it does not know, and then the full check decides. A schema with a keyword that is not known here has no node.
type node struct {
	kinds    kinds // none: any
	constant *string
	enum     map[string]bool
	pattern  *regexp.Regexp
	fixed    fixed // the pattern, when it has a fixed length
	watch    int   // where the value is noted, -1: nowhere
	dateTime bool
	min, max *float64
	decimals int // digits after the point, from multipleOf; -1: any number
	shortest int // runes
	names    map[string]int
	members  []*node
	required uint64
}

// kinds is a set of JSON Schema's types.
type kinds uint8

const (
	isNull kinds = 1 << iota
	isBoolean
	isInteger
	isNumber
	isString
	isArray
	isObject
)

// kindOf is the type with a name; none for a name that is no type.
func kindOf(name string) kinds {
	switch name {
	case "null":
		return isNull
	case "boolean":
		return isBoolean
	case "integer":
		return isInteger
	case "number":
		return isNumber
	case "string":
		return isString
	case "array":
		return isArray
	case "object":
		return isObject
	}
	return 0
}

// annotations are keywords that accept everything.
var annotations = map[string]bool{"title": true, "description": true, "examples": true, "default": true, "$comment": true}

// compileNode returns nil for a schema that only the full check understands.
func compileNode(doc any) *node {
	m, ok := doc.(map[string]any)
	if !ok {
		return nil
	}
	n := &node{decimals: -1, watch: -1}
	for keyword, v := range m {
		if annotations[keyword] {
			continue
		}
		if !n.keyword(keyword, v) {
			return nil
		}
	}
	if n.constant != nil && n.pattern != nil && n.pattern.MatchString(*n.constant) {
		n.pattern, n.fixed = nil, nil // the constant says it all
	}
	return n.require(m["required"])
}

// again is the same program with watched places of its own.
func (n *node) again() *node {
	c := *n
	c.members = make([]*node, len(n.members))
	for i, m := range n.members {
		c.members[i] = m.again()
	}
	return &c
}

// find is the node of a pointer's value, nil if the schema does not name it.
func (n *node) find(tokens []string) *node {
	for _, t := range tokens {
		at, ok := n.names[t]
		if !ok {
			return nil
		}
		n = n.members[at]
	}
	return n
}

// keyword takes one keyword into the node; false where it is not known.
func (n *node) keyword(keyword string, v any) bool {
	switch keyword {
	case "type":
		name, _ := v.(string)
		n.kinds = kindOf(name)
		return n.kinds != 0
	case "const":
		text, ok := v.(string)
		n.constant = &text
		return ok
	case "enum":
		return n.oneOf(v)
	case "pattern":
		text, ok := v.(string)
		re, err := regexp.Compile(text)
		n.pattern, n.fixed = re, compileFixed(text)
		return ok && err == nil
	case "format":
		n.dateTime = v == "date-time"
		return n.dateTime
	case "minimum":
		n.min = small(v)
		return n.min != nil
	case "maximum":
		n.max = small(v)
		return n.max != nil
	case "multipleOf":
		n.decimals = power(v)
		return n.decimals >= 0
	case "minLength":
		n.shortest = length(v)
		return n.shortest >= 0
	case "additionalProperties":
		_, ok := v.(bool) // names that are not listed are always left to the full check
		return ok
	case "properties":
		return n.properties(v)
	case "required":
		return true // after properties, in require
	}
	return false
}

func (n *node) oneOf(v any) bool {
	list, ok := v.([]any)
	n.enum = map[string]bool{}
	for _, e := range list {
		text, isText := e.(string)
		ok = ok && isText
		n.enum[text] = true
	}
	return ok
}

func (n *node) properties(v any) bool {
	m, ok := v.(map[string]any)
	if !ok || len(m) > 64 {
		return false
	}
	n.names = map[string]int{}
	for name, sub := range m {
		member := compileNode(sub)
		if member == nil {
			return false
		}
		n.names[name] = len(n.members)
		n.members = append(n.members, member)
	}
	return true
}

func (n *node) require(v any) *node {
	list, _ := v.([]any)
	for _, e := range list {
		name, _ := e.(string)
		at, ok := n.names[name]
		if !ok {
			return nil
		}
		n.required |= 1 << at
	}
	return n
}

// small is a bound that a float64 holds exactly enough to compare with numbers of at most 15 digits.
func small(v any) *float64 {
	number, ok := v.(json.Number)
	if !ok || len(number) > 15 || strings.ContainsAny(string(number), "eE") {
		return nil
	}
	f, err := number.Float64()
	if err != nil {
		return nil
	}
	return &f
}

// power is n for 10 to the power of -n, -1 for everything else.
func power(v any) int {
	number, _ := v.(json.Number)
	if number == "1" {
		return 0
	}
	if zeros, ok := strings.CutPrefix(string(number), "0."); ok && strings.Trim(zeros[:len(zeros)-1], "0") == "" && strings.HasSuffix(zeros, "1") {
		return len(zeros)
	}
	return -1
}

// length is a small whole number, -1 for everything else.
func length(v any) int {
	number, _ := v.(json.Number)
	n, err := strconv.Atoi(string(number))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

func (n *node) ok(v gjson.Result, found []gjson.Result) bool {
	if n.watch >= 0 {
		found[n.watch] = v
	}
	switch v.Type {
	case gjson.Null:
		return n.takes(isNull) && n.enum == nil && n.constant == nil
	case gjson.True, gjson.False:
		return n.takes(isBoolean) && n.enum == nil && n.constant == nil
	case gjson.Number:
		return n.number(v)
	case gjson.String:
		return n.text(v.Str)
	case gjson.JSON:
		return v.IsObject() && n.object(v, found)
	}
	return false
}

func (n *node) takes(kind kinds) bool { return n.kinds == 0 || n.kinds&kind != 0 }

func (n *node) number(v gjson.Result) bool {
	if len(v.Raw) > 15 || strings.ContainsAny(v.Raw, "eE") || n.constant != nil || n.enum != nil {
		return false
	}
	if !n.takes(isNumber) && (n.kinds&isInteger == 0 || strings.Contains(v.Raw, ".")) {
		return false
	}
	if _, fraction, _ := strings.Cut(v.Raw, "."); n.decimals >= 0 && len(fraction) > n.decimals {
		return false
	}
	return (n.min == nil || v.Num >= *n.min) && (n.max == nil || v.Num <= *n.max)
}

func (n *node) text(s string) bool {
	if !n.takes(isString) || n.constant != nil && *n.constant != s || n.enum != nil && !n.enum[s] {
		return false
	}
	if n.shortest > 0 && utf8.RuneCountInString(s) < n.shortest {
		return false
	}
	if n.dateTime {
		if _, err := time.Parse(time.RFC3339, s); err != nil || strings.Contains(s, ",") {
			return false
		}
	}
	if n.fixed != nil {
		return n.fixed.match(s)
	}
	return n.pattern == nil || n.pattern.MatchString(s)
}

func (n *node) object(v gjson.Result, found []gjson.Result) bool {
	if !n.takes(isObject) || n.constant != nil || n.enum != nil {
		return false
	}
	var seen uint64
	fine := true
	v.ForEach(func(name, value gjson.Result) bool {
		at, known := n.names[name.Str]
		// A name that is not listed, or stands twice, is for the full check.
		fine = known && seen&(1<<at) == 0 && n.members[at].ok(value, found)
		seen |= 1 << at
		return fine
	})
	return fine && seen&n.required == n.required
}
