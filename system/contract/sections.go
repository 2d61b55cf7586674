package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"tahanuji/system/contract/tree"
)

// topicConfigs are the names of Kafka's topic configs (Kafka documentation 4.x, Topic configs).
var topicConfigs = [...]string{
	"cleanup.policy", "compression.gzip.level", "compression.lz4.level", "compression.type", "compression.zstd.level",
	"delete.retention.ms", "file.delete.delay.ms", "flush.messages", "flush.ms", "index.interval.bytes", "local.retention.bytes",
	"local.retention.ms", "max.compaction.lag.ms", "max.message.bytes", "message.timestamp.after.max.ms",
	"message.timestamp.before.max.ms", "message.timestamp.type", "min.cleanable.dirty.ratio", "min.compaction.lag.ms",
	"min.insync.replicas", "preallocate", "remote.log.copy.disable", "remote.log.delete.on.disable", "remote.storage.enable",
	"retention.bytes", "retention.ms", "segment.bytes", "segment.index.bytes", "segment.jitter.ms", "segment.ms",
	"unclean.leader.election.enable",
}

var (
	topicName  = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)
	plainName  = regexp.MustCompile(`^[^\s/]{1,64}$`)
	documentID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	sendTimes  = regexp.MustCompile(`^([0-9]{1,4}) times?$`)
)

func (r *reader) topics(root *tree.Node) []Topic {
	var topics []Topic
	for _, e := range r.entries(root, "topics", "the document") {
		what := "topic " + e.Name
		if !topicName.MatchString(e.Name) || e.Name == "." || e.Name == ".." {
			r.fault(pos(e.At), "value", fmt.Sprintf("%s is no topic name", quoted(e.Name)), "letters, digits, dot, underscore and hyphen, at most 249")
		}
		m := r.mapping(e.Value, "topic", what)
		t := Topic{Name: e.Name, Pos: pos(e.At), Config: map[string]string{}}
		t.Partitions = int(r.whole(m, "partitions", what, 1))
		t.Payload, t.Purpose = r.text(m, "payload", what), r.text(m, "purpose", what)
		for _, c := range r.entries(m, "config", what) {
			t.Config[c.Name] = r.config(c, what)
		}
		if key, ok := m.Get("key"); ok {
			k := r.mapping(key, "key", what+".key")
			t.Key.From = r.pointer(k, "from", what+".key")
			t.Key.Pattern, t.Key.re = r.pattern(k, "pattern", what+".key")
		}
		topics = append(topics, t)
	}
	return topics
}

func (r *reader) config(c tree.Pair, what string) string {
	if !slices.Contains(topicConfigs[:], c.Name) {
		hint := "take one of Kafka's topic configs"
		if near := Nearest(c.Name, topicConfigs[:]); near != "" {
			hint = "did you mean " + near + "?"
		}
		r.fault(pos(c.At), "unknown-key", fmt.Sprintf("%s: Kafka has no topic config %s", what, quoted(c.Name)), hint)
	}
	switch c.Value.Kind {
	case tree.Bool, tree.Number, tree.String:
	case tree.Null, tree.List, tree.Map:
		r.fault(pos(c.Value.Place), "type", fmt.Sprintf("%s.config.%s is %s", what, c.Name, c.Value.Kind), "write a number or a text")
		return ""
	}
	if strings.HasSuffix(c.Name, ".ms") || strings.HasSuffix(c.Name, ".bytes") {
		if v, err := strconv.ParseInt(c.Value.Text, 10, 64); err != nil || v < -1 {
			r.fault(pos(c.Value.Place), "value", fmt.Sprintf("%s.config.%s is %s", what, c.Name, quoted(c.Value.Text)), "write a whole number; -1 is without limit")
		}
	}
	return c.Value.Text
}

func (r *reader) envelope(root *tree.Node) Envelope {
	n, ok := root.Get("envelope")
	if !ok {
		return Envelope{}
	}
	m := r.mapping(n, "envelope", "envelope")
	at := func(name string) Pointer { return r.pointer(m, name, "envelope") }
	return Envelope{ID: at("id"), Type: at("type"), Time: at("time"), Data: at("data")}
}

func (r *reader) payloads(root *tree.Node) []*Payload {
	var payloads []*Payload
	for _, e := range r.entries(root, "payloads", "the document") {
		what := "payload " + e.Name
		m := r.mapping(e.Value, "payload", what)
		p := &Payload{Name: e.Name, Pos: pos(e.At)}
		if schema, ok := m.Get("schema"); ok {
			r.schema(p, schema, what)
		}
		for _, example := range r.list(m, "examples", what) {
			p.Examples = append(p.Examples, example.JSON())
		}
		if rules, ok := m.Get("rules"); ok {
			p.Rules = r.rules(rules, what+".rules")
		}
		payloads = append(payloads, p)
	}
	return payloads
}

const draft = "https://json-schema.org/draft/2020-12/schema"

func (r *reader) schema(p *Payload, schema *tree.Node, what string) {
	if schema.Kind != tree.Map && schema.Kind != tree.Bool {
		r.is(schema, tree.Map, what+".schema")
		return
	}
	if named, ok := schema.Get("$schema"); ok && strings.TrimSuffix(named.Text, "#") != draft {
		r.fault(pos(named.Place), "schema", fmt.Sprintf("%s.schema is written in %s", what, quoted(named.Text)), "write it in "+draft+", or leave $schema out")
		return
	}
	p.Schema = schema.JSON()
	for _, old := range r.known {
		if bytes.Equal(old.Schema, p.Schema) && old.Compile() == nil {
			p.once.Do(func() { p.compiled = old.compiled })
		}
	}
	if err := p.Compile(); err != nil {
		r.fault(pos(schema.Place), "schema", strings.Join(strings.Fields(err.Error()), " "), "correct the schema (JSON Schema 2020-12)")
	}
}

func (r *reader) rules(n *tree.Node, what string) Rules {
	m := r.mapping(n, "rules", what)
	rules := Rules{UniqueNames: r.choice(m, "json-names", what, "", "unique") == "unique"}
	if t, ok := m.Get("time"); ok {
		tm := r.mapping(t, "time", what+".time")
		rules.Time = &TimeRule{At: r.pointer(tm, "at", what+".time"), Zone: r.text(tm, "zone", what+".time")}
		if zone, ok := tm.Get("zone"); ok && zone.Kind == tree.String && rules.Time.Zone != "Z" {
			if _, err := time.Parse("Z07:00", rules.Time.Zone); err != nil {
				r.fault(pos(zone.Place), "value", fmt.Sprintf("%s.time.zone is %s", what, quoted(zone.Text)), "write a zone designator, such as Z or +07:00")
			}
		}
	}
	return rules
}

func (r *reader) groups(root *tree.Node) []Group {
	var groups []Group
	for _, e := range r.entries(root, "groups", "the document") {
		what := "group " + e.Name
		m := r.mapping(e.Value, "group", what)
		g := Group{Name: e.Name, Pos: pos(e.At), Reads: r.texts(m, "reads", what), Members: int(r.whole(m, "members", what, 1))}
		if lag, ok := m.Get("lag"); ok {
			l := r.mapping(lag, "lag", what+".lag")
			g.Lag = &Lag{Max: r.whole(l, "max", what+".lag", 1), Within: r.duration(l, "within", what+".lag", time.Millisecond)}
			if len(l.Pairs) == 0 {
				r.fault(pos(lag.Place), "missing-key", what+".lag says nothing", "give max, within or both")
			}
		}
		if reads, ok := m.Get("reads"); ok && reads.Kind == tree.List && len(reads.Items) == 0 {
			r.fault(pos(reads.Place), "value", what+" reads nothing", "name the topics that it reads")
		}
		groups = append(groups, g)
	}
	return groups
}

func (r *reader) replay(root *tree.Node) *Replay {
	n, ok := root.Get("replay")
	if !ok {
		return nil
	}
	m := r.mapping(n, "replay", "replay")
	return &Replay{Topic: r.text(m, "topic", "replay"), Window: r.duration(m, "window", "replay", time.Second), Pos: pos(n.Place)}
}

func (r *reader) capacity(root *tree.Node) *Capacity {
	n, ok := root.Get("capacity")
	if !ok {
		return nil
	}
	m := r.mapping(n, "capacity", "capacity")
	c := &Capacity{Pos: pos(n.Place), Claims: map[string]string{}}
	c.Sources = int(r.whole(m, "sources", "capacity", 1))
	c.Interval = r.duration(m, "interval", "capacity", time.Millisecond)
	c.EventBytes = int(r.whole(m, "event-bytes", "capacity", 1))
	if claims, ok := m.Get("claims"); ok {
		cm := r.mapping(claims, "claims", "capacity.claims")
		for _, p := range cm.Pairs {
			if slices.Contains(forms["claims"].optional, p.Name) {
				c.Claims[p.Name] = r.text(cm, p.Name, "capacity.claims")
			}
		}
	}
	return c
}

// source reads how events are sent. Without the part the source sends each event once, one at a time for each key.
func (r *reader) source(root *tree.Node) Source {
	s := Source{Resend: "never", OnePerKey: true, Concurrency: 1}
	n, ok := root.Get("source")
	if !ok {
		return s
	}
	m := r.mapping(n, "source", "source")
	if resend, ok := m.Get("resend"); ok {
		s.Resend, s.Times = r.resend(resend)
	}
	if s.Resend != "never" {
		s.After = time.Second
	}
	if _, ok := m.Get("after"); ok {
		s.After = r.duration(m, "after", "source", time.Millisecond)
	}
	if c, ok := m.Get("concurrency"); ok && (c.Kind != tree.String || c.Text != "one-per-key") {
		if c.Kind == tree.String {
			r.fault(pos(c.Place), "value", fmt.Sprintf("source.concurrency is %s", quoted(c.Text)), "write one-per-key, or a number of events in flight")
		}
		s.OnePerKey, s.Concurrency = false, max(1, int(r.whole(&tree.Node{Kind: tree.Map, Pairs: numberOnly(m)}, "concurrency", "source", 1)))
	}
	return s
}

// numberOnly leaves a text under concurrency out: it was told already.
func numberOnly(m *tree.Node) []tree.Pair {
	return slices.DeleteFunc(slices.Clone(m.Pairs), func(p tree.Pair) bool { return p.Value.Kind == tree.String })
}

func (r *reader) resend(n *tree.Node) (string, int) {
	if n.Kind == tree.Map {
		m := r.mapping(n, "resend", "source.resend")
		return "times", int(r.whole(m, "times", "source.resend", 1))
	}
	if n.Kind == tree.Number {
		r.fault(pos(n.Place), "value", "source.resend is a bare number", fmt.Sprintf("write %s times, until-recorded or never", n.Text))
		return "never", 0
	}
	if !r.is(n, tree.String, "source.resend") {
		return "never", 0
	}
	if times := sendTimes.FindStringSubmatch(n.Text); times != nil {
		count, _ := strconv.Atoi(times[1]) // the expression lets digits through only
		if count > 0 {
			return "times", count
		}
	}
	if n.Text != "until-recorded" && n.Text != "never" {
		r.fault(pos(n.Place), "value", fmt.Sprintf("source.resend is %s", quoted(n.Text)), "write until-recorded, never, or such as 3 times")
		return "never", 0
	}
	return n.Text, 0
}

func (r *reader) workload(root *tree.Node) Workload {
	w := Workload{From: "schema"}
	n, ok := root.Get("workload")
	if !ok {
		return w
	}
	m := r.mapping(n, "workload", "workload")
	file, hasFile := m.Get("file")
	_, hasTemplates := m.Get("templates")
	standard := "schema"
	if hasFile {
		standard = "file"
	} else if hasTemplates {
		standard = "templates"
	}
	w.From = r.choice(m, "from", "workload", standard, "schema", "file", "templates")
	w.File, w.Unique = r.text(m, "file", "workload"), r.pointers(m, "unique", "workload")
	for _, t := range r.list(m, "templates", "workload") {
		if r.is(t, tree.Map, "an item of workload.templates") {
			w.Templates = append(w.Templates, json.RawMessage(t.JSON()))
		}
	}
	if hasFile != (w.From == "file") || hasTemplates != (w.From == "templates") {
		r.fault(pos(n.Place), "value", fmt.Sprintf("workload is made from %s, and what it gives is for another way", w.From), "give file with from: file, templates with from: templates, neither with from: schema")
	}
	if hasFile && !localPath(w.File) {
		r.fault(pos(file.Place), "value", fmt.Sprintf("workload.file is %s", quoted(w.File)), "write a path below the document's folder")
	}
	return w
}

func (r *reader) waivers(root *tree.Node) []Waiver {
	var waivers []Waiver
	for _, n := range r.list(root, "waivers", "the document") {
		m := r.mapping(n, "waiver", "a waiver")
		w := Waiver{Pos: pos(n.Place), Clause: ID(r.text(m, "clause", "waiver")), Owner: r.text(m, "owner", "waiver"), Reason: r.text(m, "reason", "waiver")}
		if text := r.text(m, "expires", "waiver"); text != "" {
			var err error
			if w.Expires, err = time.Parse(time.DateOnly, text); err != nil {
				expires, _ := m.Get("expires")
				r.fault(pos(expires.Place), "value", fmt.Sprintf("waiver.expires is %s", quoted(text)), "write a date, such as 2026-12-31")
			}
		}
		waivers = append(waivers, w)
	}
	return waivers
}
