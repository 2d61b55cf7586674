package decimal

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func number(t *testing.T, s string) Num {
	t.Helper()
	n, ok := Parse(s)
	if !ok {
		t.Fatalf("%q is not read", s)
	}
	return n
}

func TestNumbersAreComparedAsNumbers(t *testing.T) {
	for _, pair := range [][2]string{{"24.50", "24.5"}, {"-0", "0"}, {"1e2", "100"}, {"123456789012345678901234567890.0", "123456789012345678901234567890"}} {
		if !number(t, pair[0]).Equal(number(t, pair[1])) {
			t.Errorf("%s is not %s", pair[0], pair[1])
		}
	}
}

func TestWhatIsNoNumberIsRefused(t *testing.T) {
	for _, s := range []string{"", "-", "abc", "NaN", "Infinity", "1e999999999", "0x10", "1_000", "1/3", "+1", " 1", "true"} {
		if n, ok := Parse(s); ok {
			t.Errorf("%q is read as %s", s, n)
		}
	}
}

func TestSumsAreExactWhateverTheSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sum Num
		want := new(big.Rat)
		for range rapid.IntRange(1, 30).Draw(t, "n") {
			s := fmt.Sprintf("%d.%d", rapid.Int64().Draw(t, "whole"), rapid.Uint32().Draw(t, "part"))
			n, ok := Parse(s)
			r, _ := new(big.Rat).SetString(s)
			if !ok || n.Rat().Cmp(r) != 0 {
				t.Fatalf("%s is read as %s", s, n)
			}
			sum = sum.Add(n)
			want.Add(want, r)
		}
		if sum.Rat().Cmp(want) != 0 {
			t.Fatalf("sum %s, want %s", sum, want.FloatString(10))
		}
	})
}

func TestAMeanIsRightWithinHalfAUnitOfItsLastDecimal(t *testing.T) {
	for _, c := range []struct {
		shown, sum string
		n          int64
		decimals   int
		right      bool
	}{
		{"24.50", "48.99", 2, 2, true}, {"24.49", "48.99", 2, 2, true}, {"24.48", "48.99", 2, 2, false}, {"24.51", "48.99", 2, 2, false},
		{"0.33", "1", 3, 2, true}, {"0.34", "1", 3, 2, false}, {"0.3333333333333333", "1", 3, -1, true}, {"0.3", "1", 3, -1, true}, {"0.4", "1", 3, -1, false},
		{"2.4499999999999997", "4.9", 2, -1, true}, {"2.44999", "4.9", 2, -1, false}, {"1", "1", 0, 2, false},
	} {
		if got := IsMean(number(t, c.shown), number(t, c.sum), c.n, c.decimals); got != c.right {
			t.Errorf("%s for %s/%d with %d decimals: %v", c.shown, c.sum, c.n, c.decimals, got)
		}
	}
}
