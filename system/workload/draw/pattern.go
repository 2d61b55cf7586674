package draw

import (
	"fmt"
	"math/rand"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
)

// repeats is how often an open repetition (x*, x+, x{2,}) is drawn beyond its minimum at most.
const repeats = 6

// pattern is a regular expression to draw from.
type pattern struct {
	expr string
	tree *syntax.Regexp
	uuid bool // it takes UUIDs and no other text of their length
}

func readPattern(expr string) (*pattern, error) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("draw: pattern %q: %w", expr, err)
	}
	return &pattern{expr, tree, wantsUUID(expr)}, nil
}

func (p *pattern) draw(rng *rand.Rand) (string, error) {
	var b strings.Builder
	if err := write(&b, rng, p.tree); err != nil {
		return "", fmt.Errorf("draw: pattern %q: %w", p.expr, err)
	}
	return b.String(), nil
}

// wantsUUID says whether a pattern takes UUIDs and no other text of that length: some readers hold more than the pattern against
// them (RFC 9562, version and variant), so such a pattern gets real ones.
func wantsUUID(expr string) bool {
	re, err := regexp.Compile(expr)
	for _, id := range []string{"0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7"} {
		if err != nil || !re.MatchString(id) || re.MatchString("x"+id[1:]) || re.MatchString(strings.ReplaceAll(id, "-", "0")) {
			return false
		}
	}
	return true
}

// Pattern draws a string that a regular expression (RE2 syntax) matches. Anchors are kept by drawing nothing around them;
// word boundaries are not planned for, so a caller checks what it got.
func Pattern(rng *rand.Rand, expr string) (string, error) {
	p, err := readPattern(expr)
	if err != nil {
		return "", err
	}
	return p.draw(rng)
}

func write(b *strings.Builder, rng *rand.Rand, re *syntax.Regexp) error {
	switch re.Op {
	case syntax.OpNoMatch:
		return fmt.Errorf("%v matches nothing", re)
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return nil
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
		return nil
	case syntax.OpCharClass:
		b.WriteRune(pick(rng, re.Rune))
		return nil
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune(rune('a' + rng.Intn(26)))
		return nil
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			if err := write(b, rng, sub); err != nil {
				return err
			}
		}
		return nil
	case syntax.OpAlternate:
		return write(b, rng, re.Sub[rng.Intn(len(re.Sub))])
	case syntax.OpStar:
		return repeat(b, rng, re.Sub[0], 0, -1)
	case syntax.OpPlus:
		return repeat(b, rng, re.Sub[0], 1, -1)
	case syntax.OpQuest:
		return repeat(b, rng, re.Sub[0], 0, 1)
	case syntax.OpRepeat:
		return repeat(b, rng, re.Sub[0], re.Min, re.Max)
	}
	return fmt.Errorf("operation %v is not known", re.Op)
}

func repeat(b *strings.Builder, rng *rand.Rand, re *syntax.Regexp, least, most int) error {
	if most < 0 {
		most = least + repeats
	}
	for range least + rng.Intn(most-least+1) {
		if err := write(b, rng, re); err != nil {
			return err
		}
	}
	return nil
}

// pick draws from a character class (pairs of bounds): printable ASCII when the class has any, so that records stay readable.
func pick(rng *rand.Rand, bounds []rune) rune {
	var plain []rune
	for i := 0; i+1 < len(bounds); i += 2 {
		for r := max(bounds[i], ' '); r <= min(bounds[i+1], '~'); r++ {
			plain = append(plain, r)
		}
	}
	var neat []rune // of a negated class, letters and digits do
	for _, r := range plain {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			neat = append(neat, r)
		}
	}
	if len(neat) > 0 && len(plain) > 70 {
		plain = neat
	}
	if len(plain) > 0 {
		return plain[rng.Intn(len(plain))]
	}
	i := 2 * rng.Intn(len(bounds)/2)
	return bounds[i] + rune(rng.Intn(int(min(bounds[i+1]-bounds[i], 1000))+1))
}
