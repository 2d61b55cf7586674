package workload

import (
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/workload/draw"
)

// maker makes records. It remembers what has to be unique.
type maker struct {
	*shape
	seed   uint64
	body   contract.Pointer // what the source hands over
	summed map[contract.Pointer]bool
	need   []contract.Pointer
	used   map[contract.Pointer]map[string]bool
	bodies map[string]bool
	near   time.Time
	typed  *draw.Node // the example's event type, nil if the schema says it or there is no example
}

func newMaker(s *shape, o Options) *maker {
	m := &maker{shape: s, seed: o.Seed, body: o.Body, summed: s.summed(), need: s.needed(), near: o.Base,
		used: map[contract.Pointer]map[string]bool{}, bodies: map[string]bool{}}
	p := s.doc.Envelope.Type
	schema, err := s.drawer.SchemaAt(p)
	said := err == nil && (draw.Keyword(schema, "const") != nil || draw.Keyword(schema, "enum") != nil)
	if p != "" && !said && len(s.payload.Examples) > 0 {
		if example, err := draw.Parse(s.payload.Examples[0]); err == nil {
			m.typed = example.At(p)
		}
	}
	return m
}

// digits is how the numbers of a slot are drawn: most as people write them, some with many digits, some as large as JSON
// readers keep, so that sums grow longer than a binary64 number.
func (m *maker) digits(rng *rand.Rand, style string) func(contract.Pointer) draw.Digits {
	return func(p contract.Pointer) draw.Digits {
		if !m.summed[p] {
			return draw.Digits{Places: rng.Intn(2)}
		}
		switch style {
		case styleLong:
			return draw.Digits{Places: 9}
		case styleLarge:
			return draw.Digits{Places: 2, Large: true}
		}
		return draw.Digits{Places: 1 + rng.Intn(2)}
	}
}

// record makes the record of a slot. address names the slot, so that its draws depend on no other slot's.
func (m *maker) record(one subject, at time.Time, style, address string) (*draw.Node, error) {
	var last *draw.Node
	for try := range 8 { // a body that stands for one event alone lets events be told apart where the role sets the id
		rng := seed.Rand(m.seed, "record", address, strconv.Itoa(try))
		record, err := m.once(rng, one, at, style)
		if err != nil {
			return nil, err
		}
		last = record
		if body := m.bodyOf(record); !m.bodies[body] {
			m.bodies[body] = true
			break
		}
	}
	if err := m.stampOwn(last, address); err != nil {
		return nil, err
	}
	return last, m.check(last)
}

// bodyOf is the record's data: what is left where a role sets id and time.
func (m *maker) bodyOf(record *draw.Node) string {
	if n := record.At(m.doc.Envelope.Data); n != nil {
		return string(n.Bytes())
	}
	return string(record.Bytes())
}

func (m *maker) once(rng *rand.Rand, one subject, at time.Time, style string) (*draw.Node, error) {
	elsewhere := rng.Intn(6) == 0
	given := map[contract.Pointer]*draw.Node{}
	for p, st := range m.stamps {
		given[p] = st.write(at, elsewhere)
	}
	if len(one.templates) > 0 {
		record := one.templates[rng.Intn(len(one.templates))].Clone()
		for p, value := range given {
			record.Set(p, value)
		}
		return record, nil
	}
	for p, value := range one.fields {
		given[p] = value
	}
	if m.typed != nil {
		given[m.doc.Envelope.Type] = m.typed
	}
	record, err := m.drawer.Value(rng, draw.Wish{Given: given, Needed: m.need, Numbers: m.digits(rng, style), Near: m.near})
	if err != nil {
		return nil, fmt.Errorf("workload: payload %s: %w; give templates or a file", m.payload.Name, err)
	}
	return record, nil
}

// stampOwn gives the record its own id and whatever the document wants unique.
func (m *maker) stampOwn(record *draw.Node, address string) error {
	places := m.unique()
	if id := m.doc.Envelope.ID; id != "" && !slices.Contains(places, id) {
		places = append([]contract.Pointer{id}, places...)
	}
	for _, p := range places {
		if m.used[p] == nil {
			m.used[p] = map[string]bool{}
		}
		found := false
		for try := 0; try < 200 && !found; try++ {
			value, err := m.field(seed.Rand(m.seed, "own", string(p), address, strconv.Itoa(try)), p)
			if err != nil {
				return err
			}
			if text := value.String(); !m.used[p][text] {
				m.used[p][text], found = true, true
				record.Set(p, value)
			}
		}
		if !found {
			return fmt.Errorf("workload: payload %s: 200 draws for %s gave no value that is new; the schema has too few for this many events", m.payload.Name, p)
		}
	}
	return nil
}

// check holds a made record against the document. What a schema says beyond what is drawn shows here.
func (m *maker) check(record *draw.Node) error {
	raw := record.Bytes()
	problems := m.payload.Validate(raw)
	if len(problems) == 0 {
		return nil
	}
	var why []string
	for _, p := range problems[:min(3, len(problems))] {
		why = append(why, fmt.Sprintf("%s: %s", fieldName(p.Field), p.Why))
	}
	return fmt.Errorf("workload: payload %s: a made record breaks a rule that can't be drawn from (%s); give templates or a file: %.300s", m.payload.Name, strings.Join(why, "; "), raw)
}

// fieldName names a pointer for people.
func fieldName(p contract.Pointer) string {
	if p == "" {
		return "the record"
	}
	return string(p)
}
