package draw

import (
	"fmt"
	"math/rand"
	"strings"
	"time"
	"unicode/utf8"

	"tahanuji/system/contract"
)

const letters = "abcdefghijklmnopqrstuvwxyz"

// text draws a string: by pattern, else by format, else a word of a fitting length.
func (d *Drawer) text(rng *rand.Rand, s *Node, at contract.Pointer, wish Wish) (*Node, error) {
	least := whole(s, "minLength", 0)
	most := whole(s, "maxLength", max(least, 4)+8)
	if p := s.child("pattern"); p != nil {
		return d.patterned(rng, p.String(), least, s, at)
	}
	if f := s.child("format"); f != nil {
		if t := formatted(rng, f.String(), wish.Near); t != "" {
			return Text(t), nil
		}
	}
	least = max(least, min(most, 4))
	return Text(word(rng, least+rng.Intn(max(0, min(most-least, 8))+1))), nil
}

// patterned draws until the length fits too; a pattern whose strings are nearly always too long or short is an error.
func (d *Drawer) patterned(rng *rand.Rand, expr string, least int, s *Node, at contract.Pointer) (*Node, error) {
	p, err := d.pattern(expr)
	if err != nil {
		return nil, fmt.Errorf("%w (at %s)", err, place(at))
	}
	most := whole(s, "maxLength", 1<<20)
	if p.uuid {
		return Text(UUID(rng)), nil
	}
	for range 200 {
		t, err := p.draw(rng)
		if err != nil {
			return nil, fmt.Errorf("%w (at %s)", err, place(at))
		}
		if n := utf8.RuneCountInString(t); n >= least && n <= most {
			return Text(t), nil
		}
	}
	return nil, fmt.Errorf("draw: %s: 200 strings of pattern %q, and none is %d to %d long", place(at), expr, least, most)
}

// pattern reads a pattern once.
func (d *Drawer) pattern(expr string) (*pattern, error) {
	if p, ok := d.patterns.Load(expr); ok {
		return p.(*pattern), nil
	}
	p, err := readPattern(expr)
	if err == nil {
		d.patterns.Store(expr, p)
	}
	return p, err
}

func word(rng *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteByte(letters[rng.Intn(len(letters))])
	}
	return b.String()
}

// formatted draws a string of a format that JSON Schema names (2020-12, validation part 7.3), "" of one that it does not know.
func formatted(rng *rand.Rand, format string, near time.Time) string {
	at := near.Add(time.Duration(rng.Intn(86400)) * time.Second).UTC()
	switch format {
	case "uuid":
		return UUID(rng)
	case "date-time":
		return at.Format(time.RFC3339)
	case "date":
		return at.Format(time.DateOnly)
	case "time":
		return at.Format("15:04:05Z")
	case "duration":
		return fmt.Sprintf("PT%dM", 1+rng.Intn(59))
	case "email", "idn-email":
		return word(rng, 6) + "@example.org"
	case "hostname", "idn-hostname":
		return word(rng, 6) + ".example.org"
	case "ipv4":
		return fmt.Sprintf("192.0.2.%d", 1+rng.Intn(254))
	case "ipv6":
		return fmt.Sprintf("2001:db8::%x", 1+rng.Intn(65535))
	case "uri", "iri":
		return "https://example.org/" + word(rng, 6)
	case "uri-reference", "iri-reference":
		return "/" + word(rng, 6)
	case "json-pointer":
		return "/" + word(rng, 4)
	}
	return ""
}

// UUID draws a version 4 UUID (RFC 9562).
func UUID(rng *rand.Rand) string {
	b := make([]byte, 16)
	for i := range b {
		b[i] = byte(rng.Intn(256))
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
