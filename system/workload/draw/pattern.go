package draw

import (
	"fmt"
	"math/rand"
	"regexp/syntax"
	"strings"
	"unicode"
)

// repeats is how often an open repetition (x*, x+, x{2,}) is drawn beyond its minimum at most.
const repeats = 6

// Pattern draws a string that a regular expression (RE2 syntax) matches. Anchors are kept by drawing nothing around them;
// word boundaries are not planned for, so a caller checks what it got.
func Pattern(rng *rand.Rand, pattern string) (string, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", fmt.Errorf("draw: pattern %q: %w", pattern, err)
	}
	var b strings.Builder
	if err := write(&b, rng, re); err != nil {
		return "", fmt.Errorf("draw: pattern %q: %w", pattern, err)
	}
	return b.String(), nil
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
