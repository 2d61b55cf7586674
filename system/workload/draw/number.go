package draw

import (
	"fmt"
	"math/big"
	"math/rand"
	"strconv"
	"strings"

	"tahanuji/system/contract"
)

// exact is the largest integer that JSON readers with binary64 numbers keep (RFC 8259, part 6).
var exact = big.NewRat(1<<53-1, 1)

// spread is how far a range reaches where the schema gives only one end.
var spread = big.NewRat(1000, 1)

// number draws step*k within the schema's bounds; one draw in twelve is a bound itself.
func number(rng *rand.Rand, s *Node, at contract.Pointer, wish Wish, integer bool) (*Node, error) {
	var how Digits
	how.Places = rng.Intn(3)
	if wish.Numbers != nil {
		how = wish.Numbers(at)
	}
	if integer {
		how.Places = 0
	}
	step := grain(s, how, integer)
	low, high := bounds(s, how)
	k0, k1 := ceil(new(big.Rat).Quo(low, step)), floor(new(big.Rat).Quo(high, step))
	if excludes(s, "exclusiveMinimum", k0, step) {
		k0.Add(k0, big.NewInt(1))
	}
	if excludes(s, "exclusiveMaximum", k1, step) {
		k1.Sub(k1, big.NewInt(1))
	}
	width := new(big.Int).Sub(k1, k0)
	if width.Sign() < 0 {
		if how.Places >= 6 || integer || s.child("multipleOf") != nil {
			return nil, fmt.Errorf("draw: %s: no number fits the range in steps of %s", place(at), step.RatString())
		}
		wish.Numbers = func(contract.Pointer) Digits { return Digits{Places: 6} } // a range narrower than the step that was wanted
		return number(rng, s, at, wish, integer)
	}
	k := new(big.Int).Add(k0, new(big.Int).Rand(rng, width.Add(width, big.NewInt(1))))
	switch {
	case how.Large:
		k.Sub(k1, big.NewInt(int64(rng.Intn(7))))
		if k.Cmp(k0) < 0 {
			k.Set(k1)
		}
	case rng.Intn(12) == 0 && s.child("minimum") != nil:
		k.Set(k0)
	case rng.Intn(12) == 0 && s.child("maximum") != nil:
		k.Set(k1)
	}
	return Literal(Decimal(step.Mul(step, new(big.Rat).SetInt(k)))), nil
}

// grain is the step between two numbers that may be drawn.
func grain(s *Node, how Digits, integer bool) *big.Rat {
	if m := rational(s, "multipleOf"); m != nil && m.Sign() > 0 {
		if integer {
			return new(big.Rat).SetInt(m.Num()) // the integers among the multiples of p/q are those of p
		}
		return m
	}
	if integer {
		return big.NewRat(1, 1)
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(how.Places)), nil)
	return new(big.Rat).SetFrac(big.NewInt(1), scale)
}

// bounds are the ends of the range; where the schema gives none, a short range near zero, or up to exact when large.
func bounds(s *Node, how Digits) (low, high *big.Rat) {
	low, high = tighter(s, "minimum", "exclusiveMinimum", 1), tighter(s, "maximum", "exclusiveMaximum", -1)
	switch {
	case low == nil && high == nil:
		low, high = new(big.Rat), spread
	case low == nil:
		low = new(big.Rat).Sub(high, spread)
	case high == nil:
		high = new(big.Rat).Add(low, spread)
	}
	if how.Large && rational(s, "maximum") == nil && rational(s, "exclusiveMaximum") == nil && exact.Cmp(low) > 0 {
		high = exact
		if how.Places > 0 { // leave room for the decimals in the 15 digits that binary64 keeps
			scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(1, 15-how.Places))), nil)
			high = new(big.Rat).Sub(new(big.Rat).SetInt(scale), big.NewRat(1, 1))
		}
	}
	return low, high
}

func tighter(s *Node, open, closed string, sign int) *big.Rat {
	a, b := rational(s, open), rational(s, closed)
	if a == nil || b != nil && b.Cmp(a) == sign {
		return b
	}
	return a
}

func excludes(s *Node, name string, k *big.Int, step *big.Rat) bool {
	b := rational(s, name)
	return b != nil && new(big.Rat).Mul(step, new(big.Rat).SetInt(k)).Cmp(b) == 0
}

func rational(s *Node, name string) *big.Rat {
	n := s.child(name)
	if n == nil {
		return nil
	}
	r, ok := new(big.Rat).SetString(n.Text)
	if !ok {
		return nil
	}
	return r
}

func floor(r *big.Rat) *big.Int {
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	_ = m // Euclidean: the remainder is never negative, so q is the floor
	return q
}

func ceil(r *big.Rat) *big.Int {
	q := floor(r)
	if !r.IsInt() {
		q.Add(q, big.NewInt(1))
	}
	return q
}

// Decimal writes a rational as a plain decimal, exactly where it has one of at most 40 places, without trailing zeros.
func Decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	if places, ok := places(r.Denom()); ok && places <= 40 {
		return r.FloatString(places)
	}
	return strings.TrimRight(r.FloatString(40), "0")
}

// places is how many decimals a fraction with the denominator d has, false when they never end: d has a factor beside 2 and 5.
func places(d *big.Int) (int, bool) {
	rest, quotient, remainder := new(big.Int).Set(d), new(big.Int), new(big.Int)
	count := func(prime int64) int {
		p := big.NewInt(prime)
		for n := 0; ; n++ {
			if quotient.QuoRem(rest, p, remainder); remainder.Sign() != 0 {
				return n
			}
			rest.Set(quotient)
		}
	}
	n := max(count(2), count(5))
	return n, rest.IsInt64() && rest.Int64() == 1
}

// Plain writes the text of a JSON number as a plain decimal, so that 24.50, 24.5 and 2.45e1 are one text. Any other text, and a
// number with an exponent beyond 400, stays as it is.
func Plain(text string) string {
	if text == "" || !strings.ContainsAny(text[:1], "-0123456789") {
		return text
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if e, err := strconv.Atoi(text[i+1:]); err != nil || e > 400 || e < -40 {
			return text
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return text
	}
	return Decimal(r)
}
