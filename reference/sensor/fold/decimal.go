package fold

import (
	"fmt"

	"github.com/cockroachdb/apd/v3"
)

// exact rounds nothing: precision 0. Exponents stay within apd's limit of 100,000; a number beyond it is an error.
var exact = apd.BaseContext

// parse reads a JSON number into d.
func parse(d *apd.Decimal, text string) error {
	*d = apd.Decimal{}
	_, condition, err := d.SetString(text)
	if err != nil {
		return fmt.Errorf("decimal: %w", err)
	}
	if condition.Any() || d.Form != apd.Finite {
		return fmt.Errorf("decimal: %s: %s", text, condition)
	}
	return nil
}

// plain writes a number in one way only, whatever way it came: no zeros at the end, no exponent in the usual range.
func plain(d *apd.Decimal) string {
	var r apd.Decimal
	r.Reduce(d)
	if r.IsZero() {
		return "0"
	}
	if r.Exponent > 40 || r.Exponent < -400 {
		return r.Text('E')
	}
	return r.Text('f')
}

// quotient is sum/n with the given number of decimals, halves away from zero. It is computed in whole numbers, so it is
// rounded once.
func quotient(sum *apd.Decimal, n int64, decimals int) string {
	ten := apd.NewBigInt(10)
	over, under := new(apd.BigInt).Set(&sum.Coeff), apd.NewBigInt(n)
	if shift := int64(sum.Exponent) + int64(decimals); shift >= 0 {
		over.Mul(over, new(apd.BigInt).Exp(ten, apd.NewBigInt(shift), nil))
	} else {
		under.Mul(under, new(apd.BigInt).Exp(ten, apd.NewBigInt(-shift), nil))
	}
	q, rest := new(apd.BigInt).QuoRem(over, under, new(apd.BigInt))
	if rest.Mul(rest, apd.NewBigInt(2)).Cmp(under) >= 0 {
		q.Add(q, apd.NewBigInt(1))
	}
	out := apd.NewWithBigInt(q, int32(-decimals))
	out.Negative = sum.Negative && q.Sign() != 0
	return out.Text('f')
}
