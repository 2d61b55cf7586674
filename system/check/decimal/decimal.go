// Package decimal computes with the decimal numbers of JSON exactly: a checker that summed floats would blame a summarizer for
// its own rounding. It does not round and does not format for people.
package decimal

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxExponent bounds the exponents that are read, so that 1e999999999 in a record costs no memory.
const maxExponent = 4096

// Num is an exact decimal number; the zero value is 0. Small ones live in coef and scale, others in rat.
type Num struct {
	coef  int64
	scale int32 // the number is coef * 10^-scale
	rat   *big.Rat
}

// Int is the number n.
func Int(n int64) Num { return Num{coef: n} }

// Parse reads a JSON number. It is false for anything else and for exponents beyond 4096.
func Parse(s string) (Num, bool) {
	if n, ok := parseSmall(s); ok {
		return n, true
	}
	if s == "" || s[0] == '+' || strings.ContainsAny(s, "_/xXpPbBoOiI ") {
		return Num{}, false
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(s[i+1:])
		if err != nil || e > maxExponent || e < -maxExponent {
			return Num{}, false
		}
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return Num{}, false
	}
	return Num{rat: r}, true
}

// parseSmall reads up to 18 digits without an exponent.
func parseSmall(s string) (Num, bool) {
	i, negative := 0, false
	if i < len(s) && s[i] == '-' {
		negative = true
		i++
	}
	if len(s)-i > 19 || i == len(s) {
		return Num{}, false
	}
	var coef int64
	digits, scale, point := 0, int32(0), false
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point && digits > 0 && i+1 < len(s) {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			return Num{}, false
		}
		coef = coef*10 + int64(c-'0')
		digits++
		if point {
			scale++
		}
	}
	if digits == 0 || digits > 18 {
		return Num{}, false
	}
	if negative {
		coef = -coef
	}
	return Num{coef: coef, scale: scale}, true
}

// Rat is the number as a fraction; it may be shared and must not be changed.
func (a Num) Rat() *big.Rat {
	if a.rat != nil {
		return a.rat
	}
	r := new(big.Rat).SetInt64(a.coef)
	if a.scale > 0 {
		r.Quo(r, pow10(int(a.scale)))
	}
	return r
}

// Add is a + b.
func (a Num) Add(b Num) Num {
	if x, y, scale, ok := align(a, b); ok {
		if sum := x + y; (sum > x) == (y > 0) {
			return Num{coef: sum, scale: scale}
		}
	}
	return Num{rat: new(big.Rat).Add(a.Rat(), b.Rat())}
}

// Cmp is -1, 0 or 1 as a is less than, equal to or greater than b.
func (a Num) Cmp(b Num) int {
	if x, y, _, ok := align(a, b); ok {
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	return a.Rat().Cmp(b.Rat())
}

// Equal says that a and b are the same number: 24.50 is 24.5.
func (a Num) Equal(b Num) bool { return a.Cmp(b) == 0 }

// Int64 is the number when it is whole and fits.
func (a Num) Int64() (int64, bool) {
	r := a.Rat()
	if !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// String is the number without an exponent, with at most 20 digits after the point.
func (a Num) String() string {
	if a.rat != nil {
		s := a.rat.FloatString(20)
		return strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	s := a.Rat().FloatString(int(a.scale))
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// IsMean says whether shown is the mean sum/n to within half a unit of its last decimal: decimals digits after the point as the
// document says, or as many as shown has where it says none (-1), and then at least the 15 digits that a double carries count.
func IsMean(shown, sum Num, n int64, decimals int) bool {
	if n <= 0 {
		return false
	}
	exact := new(big.Rat).Quo(sum.Rat(), new(big.Rat).SetInt64(n))
	off := new(big.Rat).Sub(shown.Rat(), exact)
	off.Abs(off)
	limit := big.NewRat(1, 2)
	if decimals >= 0 {
		return off.Cmp(limit.Quo(limit, pow10(decimals))) <= 0
	}
	limit.Quo(limit, pow10(shown.digits()))
	double := new(big.Rat).Abs(exact)
	double.Quo(double, pow10(15))
	if double.Cmp(limit) > 0 {
		limit = double
	}
	return off.Cmp(limit) <= 0
}

// digits is the number of digits after the point as written, 20 at most.
func (a Num) digits() int {
	if a.rat == nil {
		return int(a.scale)
	}
	s := a.String()
	if i := strings.IndexByte(s, '.'); i >= 0 {
		return len(s) - i - 1
	}
	return 0
}

func pow10(n int) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil))
}

// align brings two small numbers to one scale; false when that does not fit.
func align(a, b Num) (x, y int64, scale int32, ok bool) {
	if a.rat != nil || b.rat != nil {
		return 0, 0, 0, false
	}
	x, y, scale = a.coef, b.coef, max(a.scale, b.scale)
	x, ok = shift(x, scale-a.scale)
	if !ok {
		return 0, 0, 0, false
	}
	y, ok = shift(y, scale-b.scale)
	return x, y, scale, ok
}

func shift(n int64, by int32) (int64, bool) {
	for ; by > 0; by-- {
		if n > math.MaxInt64/10 || n < math.MinInt64/10 {
			return 0, false
		}
		n *= 10
	}
	return n, true
}

// MultipleOf says that a is a whole multiple of step. It is false where that does not show in 18 digits.
func (a Num) MultipleOf(step Num) bool {
	x, y, _, ok := align(a, step)
	return ok && y != 0 && x%y == 0
}
