package workload

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"

	"tahanuji/system/contract"
	"tahanuji/system/workload/draw"
)

// subject is one source: a key and the fields that name its group.
type subject struct {
	fields    map[contract.Pointer]*draw.Node
	name      string // the fields' values, for telling subjects apart
	partition int
	templates []*draw.Node // in place of drawn records
}

// subjects draws sources until every partition has its share, or until the schema has no more to give.
func (s *shape) subjects(rng *rand.Rand, wanted int) ([]subject, error) {
	if templates := s.templates(); templates != nil {
		return s.fromTemplates(templates)
	}
	share := make([]int, max(1, s.topic.Partitions))
	limit := (wanted + len(share) - 1) / len(share)
	seen := map[string]bool{}
	var out, spare []subject
	for range 60 * wanted {
		if len(out) == wanted {
			return out, nil
		}
		one, err := s.subject(rng)
		if err != nil {
			return nil, err
		}
		if seen[one.name] {
			continue
		}
		seen[one.name] = true
		if s.keyed() && share[one.partition] >= limit {
			spare = append(spare, one)
			continue
		}
		share[one.partition]++
		out = append(out, one)
	}
	for len(out) < wanted && len(spare) > 0 {
		out, spare = append(out, spare[0]), spare[1:]
	}
	return out, nil
}

// keyed says whether a source has one key for all its events.
func (s *shape) keyed() bool { return s.topic.Key.From != "" && !s.own(s.topic.Key.From) }

func (s *shape) subject(rng *rand.Rand) (subject, error) {
	one := subject{fields: map[contract.Pointer]*draw.Node{}}
	var name []string
	for _, p := range append([]contract.Pointer{s.topic.Key.From}, s.by...) {
		if p == "" || s.own(p) || one.fields[p] != nil {
			continue
		}
		value, err := s.field(rng, p)
		if err != nil {
			return one, err
		}
		one.fields[p] = value
		name = append(name, value.String())
		if p == s.topic.Key.From {
			one.partition = s.partition(value.String())
		}
	}
	one.name = strings.Join(name, ",")
	return one, nil
}

// field draws a value for one place; a key also has to match the topic's pattern.
func (s *shape) field(rng *rand.Rand, p contract.Pointer) (*draw.Node, error) {
	for range 100 {
		value, err := s.drawer.ValueAt(rng, p, draw.Wish{})
		if err != nil {
			return nil, fmt.Errorf("workload: payload %s: %w", s.payload.Name, err)
		}
		if p != s.topic.Key.From || s.pattern == nil || s.pattern.MatchString(value.String()) {
			return value, nil
		}
	}
	text, err := draw.Pattern(rng, s.topic.Key.Pattern) // the schema is wider than the pattern: draw from that
	if err != nil || !s.pattern.MatchString(text) {
		return nil, fmt.Errorf("workload: topic %s: no key was drawn that matches %q; give templates or a file", s.topic.Name, s.topic.Key.Pattern)
	}
	return draw.Text(text), nil
}

// fromTemplates makes one source of all templates that share a key and a group.
func (s *shape) fromTemplates(templates []json.RawMessage) ([]subject, error) {
	var out []subject
	at := map[string]int{}
	for i, raw := range templates {
		record, err := draw.Parse(raw)
		if err != nil {
			return nil, fmt.Errorf("workload: template %d: %w", i+1, err)
		}
		one := subject{fields: map[contract.Pointer]*draw.Node{}}
		var name []string
		for _, p := range append([]contract.Pointer{s.topic.Key.From}, s.by...) {
			if p == "" || s.own(p) {
				continue
			}
			value := record.At(p)
			if value == nil {
				return nil, fmt.Errorf("workload: template %d has nothing at %s, which names its key or group", i+1, p)
			}
			name = append(name, value.String())
			if p == s.topic.Key.From {
				one.partition = s.partition(value.String())
			}
		}
		one.name = strings.Join(name, ",")
		k, ok := at[one.name]
		if !ok {
			k = len(out)
			at[one.name] = k
			out = append(out, one)
		}
		out[k].templates = append(out[k].templates, record)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("workload: the document's workload is from templates and has none")
	}
	return out, nil
}
