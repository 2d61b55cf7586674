package contract

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"tahanuji/system/contract/tree"
)

// form says which names a mapping of the document may have. The document's JSON Schema says the same; a test compares them.
type form struct {
	required, optional []string
}

var forms = map[string]form{
	"document": {[]string{"contract", "id", "topics", "envelope", "payloads", "flows"},
		[]string{"groups", "replay", "capacity", "source", "workload", "adrs", "waivers"}},
	"topic":    {[]string{"partitions"}, []string{"key", "config", "payload", "purpose"}},
	"key":      {[]string{"from"}, []string{"pattern"}},
	"envelope": {[]string{"id", "time", "data"}, []string{"type"}},
	"payload":  {[]string{"schema"}, []string{"examples", "rules"}},
	"rules":    {nil, []string{"json-names", "time"}},
	"time":     {[]string{"at", "zone"}, nil},
	"group":    {[]string{"reads"}, []string{"members", "lag"}},
	"lag":      {nil, []string{"max", "within"}},
	"flow": {[]string{"role"}, []string{"kind", "reads", "writes", "group", "semantics", "commit", "dedupe", "fold", "producer",
		"overwrite-key", "same-value", "view"}},
	"dedupe":      {[]string{"by", "window"}, nil},
	"producer":    {nil, []string{"acks", "idempotent"}},
	"fold":        {[]string{"by", "window", "into"}, []string{"emit", "close"}},
	"window":      {[]string{"of", "size", "into"}, []string{"zone", "as", "grace"}},
	"close":       {[]string{"silence"}, nil},
	"aggregate":   {nil, []string{"sum", "min", "max", "mean", "decimals"}},
	"replay":      {[]string{"topic", "window"}, nil},
	"capacity":    {[]string{"sources", "interval", "event-bytes"}, []string{"claims"}},
	"claims":      {nil, []string{"rate", "volume"}},
	"source":      {nil, []string{"resend", "after", "concurrency"}},
	"resend":      {[]string{"times"}, nil},
	"workload":    {nil, []string{"from", "file", "templates", "unique"}},
	"waiver":      {[]string{"clause", "owner", "reason", "expires"}, nil},
	"adr":         {[]string{"id", "status", "title"}, []string{"decides", "reasons", "alternatives", "supersedes", "superseded-by", "amends", "change", "expects", "variant"}},
	"expectation": {[]string{"clause", "phase", "verdict"}, nil},
}

// reader takes values out of a tree and gathers what is wrong with them. A value that is wrong is read as its zero value, so that
// reading goes on.
type reader struct {
	faults Faults
	known  []*Payload // of the document before a patch: their schemas are compiled already
}

func pos(at tree.Place) Pos { return Pos{File: at.File, Line: at.Line, Column: at.Column} }

func (r *reader) fault(at Pos, rule, text, hint string) {
	r.faults = append(r.faults, Fault{Pos: at, Rule: rule, Severity: severityOf(rule), Text: text, Hint: hint})
}

func (r *reader) troubles(ts []tree.Trouble) {
	for _, t := range ts {
		r.fault(pos(t.Place), t.Rule, t.Text, t.Hint)
	}
}

// is says whether n is of the kind, and tells a fault if not.
func (r *reader) is(n *tree.Node, kind tree.Kind, what string) bool {
	if n.Kind == kind {
		return true
	}
	r.fault(pos(n.Place), "type", fmt.Sprintf("%s is %s", what, n.Kind), fmt.Sprintf("write %s", kind))
	return false
}

// mapping holds n against a form: unknown and missing names are told. It returns an empty mapping where n is none.
func (r *reader) mapping(n *tree.Node, name, what string) *tree.Node {
	if !r.is(n, tree.Map, what) {
		return &tree.Node{Kind: tree.Map, Place: n.Place}
	}
	f := forms[name]
	all := slices.Concat(f.required, f.optional)
	var strange []string
	for _, p := range n.Pairs {
		if !slices.Contains(all, p.Name) {
			strange = append(strange, p.Name)
			r.fault(pos(p.At), "unknown-key", fmt.Sprintf("%s has no %s", what, quoted(p.Name)), known(p.Name, all))
		}
	}
	for _, want := range f.required {
		if _, there := n.Get(want); there || slices.ContainsFunc(strange, func(s string) bool { return Nearest(s, all) == want }) {
			continue // a misspelt name is one fault, not two
		}
		r.fault(pos(n.Place), "missing-key", fmt.Sprintf("%s lacks %s", what, want), "add it")
	}
	return n
}

func quoted(s string) string {
	if len(s) > 60 {
		s = s[:60] + "..."
	}
	return strconv.Quote(s)
}

func (r *reader) text(m *tree.Node, name, what string) string {
	n, ok := m.Get(name)
	if !ok || !r.is(n, tree.String, what+"."+name) {
		return ""
	}
	if n.Text == "" {
		r.fault(pos(n.Place), "value", fmt.Sprintf("%s.%s is empty", what, name), "write it, or leave it out")
	}
	return n.Text
}

// choice is a text out of a list; absent it is standard.
func (r *reader) choice(m *tree.Node, name, what, standard string, of ...string) string {
	n, ok := m.Get(name)
	if !ok {
		return standard
	}
	text := n.Text // acks: 1 is written as a number
	if n.Kind != tree.Number && !r.is(n, tree.String, what+"."+name) {
		return standard
	}
	if !slices.Contains(of, text) {
		r.fault(pos(n.Place), "value", fmt.Sprintf("%s.%s is %s", what, name, quoted(text)), known(text, of))
		return standard
	}
	return text
}

func (r *reader) truth(m *tree.Node, name, what string) bool {
	n, ok := m.Get(name)
	return ok && r.is(n, tree.Bool, what+"."+name) && n.Text == "true"
}

// whole is a whole number from least on; absent it is 0.
func (r *reader) whole(m *tree.Node, name, what string, least int64) int64 {
	n, ok := m.Get(name)
	if !ok || !r.is(n, tree.Number, what+"."+name) {
		return 0
	}
	v, err := strconv.ParseInt(n.Text, 10, 64)
	if err != nil || v < least || v > math.MaxInt32 && name != "max" {
		r.fault(pos(n.Place), "value", fmt.Sprintf("%s.%s is %s", what, name, n.Text), fmt.Sprintf("write a whole number from %d on", least))
		return 0
	}
	return v
}

func (r *reader) duration(m *tree.Node, name, what string, least time.Duration) time.Duration {
	n, ok := m.Get(name)
	if !ok || !r.is(n, tree.String, what+"."+name) {
		return 0
	}
	d, err := ParseDuration(n.Text)
	if err != nil {
		r.fault(pos(n.Place), "duration", fmt.Sprintf("%s.%s: %s", what, name, err), "an hour is PT1H, a week P7D")
		return 0
	}
	if d < least {
		r.fault(pos(n.Place), "value", fmt.Sprintf("%s.%s is %s", what, name, n.Text), "write at least "+FormatDuration(least))
	}
	return d
}

func (r *reader) pointer(m *tree.Node, name, what string) Pointer {
	n, ok := m.Get(name)
	if !ok {
		return ""
	}
	p := r.pointerAt(n, what+"."+name)
	if name != "data" { // the whole record may be its own data, and nothing else
		r.field(n, what+"."+name)
	}
	return p
}

// field says whether a place is one within the record: "" is the whole, which is no id, key or number.
func (r *reader) field(n *tree.Node, what string) {
	if n.Kind == tree.String && n.Text == "" {
		r.fault(pos(n.Place), "value", what+" is the whole record", "name a field of it, such as /data/id")
	}
}

func (r *reader) pointerAt(n *tree.Node, what string) Pointer {
	if !r.is(n, tree.String, what) {
		return ""
	}
	return r.pointerText(pos(n.Place), n.Text, what)
}

func (r *reader) pointerText(at Pos, text, what string) Pointer {
	p := Pointer(text)
	if err := p.Check(); err != nil {
		r.fault(at, "pointer", fmt.Sprintf("%s: %s", what, err), "places are written as JSON Pointers, such as /data/id")
		return ""
	}
	return p
}

func (r *reader) pattern(m *tree.Node, name, what string) (string, *regexp.Regexp) {
	text := r.text(m, name, what)
	if text == "" {
		return "", nil
	}
	re, err := regexp.Compile(text)
	if err != nil {
		n, _ := m.Get(name)
		r.fault(pos(n.Place), "pattern", fmt.Sprintf("%s.%s: %s", what, name, err), "write an RE2 expression")
	}
	return text, re
}

// list returns the items under name, none where it is absent or no list.
func (r *reader) list(m *tree.Node, name, what string) []*tree.Node {
	n, ok := m.Get(name)
	if !ok || !r.is(n, tree.List, what+"."+name) {
		return nil
	}
	return n.Items
}

func (r *reader) texts(m *tree.Node, name, what string) []string {
	var all []string
	for _, n := range r.list(m, name, what) {
		if r.is(n, tree.String, "an item of "+what+"."+name) {
			if slices.Contains(all, n.Text) {
				r.fault(pos(n.Place), "value", fmt.Sprintf("%s.%s names %s twice", what, name, quoted(n.Text)), "keep one")
				continue
			}
			all = append(all, n.Text)
		}
	}
	return all
}

func (r *reader) pointers(m *tree.Node, name, what string) []Pointer {
	var all []Pointer
	for _, n := range r.list(m, name, what) {
		p := r.pointerAt(n, "an item of "+what+"."+name)
		r.field(n, "an item of "+what+"."+name)
		if slices.Contains(all, p) {
			r.fault(pos(n.Place), "value", fmt.Sprintf("%s.%s names %s twice", what, name, quoted(string(p))), "keep one")
			continue
		}
		all = append(all, p)
	}
	return all
}

// entries returns the named entries of the mapping under name, in order.
func (r *reader) entries(m *tree.Node, name, what string) []tree.Pair {
	n, ok := m.Get(name)
	if !ok || !r.is(n, tree.Map, what+"."+name) {
		return nil
	}
	for _, p := range n.Pairs {
		if p.Name == "" {
			r.fault(pos(p.At), "value", what+"."+name+" has an entry without a name", "give it a name")
		}
	}
	return n.Pairs
}
