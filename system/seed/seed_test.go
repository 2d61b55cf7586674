package seed_test

import (
	"slices"
	"strconv"
	"testing"

	"tahanuji/system/seed"
)

func TestDeriveStaysWhatRecordedRunsWereMadeWith(t *testing.T) {
	for _, c := range []struct {
		seed  uint64
		parts []string
		want  uint64
	}{
		{0, nil, 6603144262649002859},
		{42, []string{"event", "17"}, 3334263227934572643},
	} {
		if got := seed.Derive(c.seed, c.parts...); got != c.want {
			t.Errorf("Derive(%d, %q) = %d, want %d", c.seed, c.parts, got, c.want)
		}
	}
}

func TestPartsOfAnAddressAreKeptApart(t *testing.T) {
	if seed.Derive(1, "ab", "c") == seed.Derive(1, "a", "bc") {
		t.Error(`("ab","c") and ("a","bc") give the same number`)
	}
	if seed.Derive(1) == seed.Derive(1, "") {
		t.Error(`no part and an empty part give the same number`)
	}
	if seed.Derive(1, "a") == seed.Derive(2, "a") {
		t.Error("two seeds give the same number for one address")
	}
}

func TestPickReachesEveryNumberAboutEquallyOften(t *testing.T) {
	var seen [7]int
	for i := range 7000 {
		seen[seed.Pick(9, len(seen), "pick", strconv.Itoa(i))]++
	}
	for n, times := range seen {
		if times < 850 || times > 1150 {
			t.Errorf("%d was picked %d times of 7000", n, times)
		}
	}
}

func TestRandOfOneAddressDrawsTheSame(t *testing.T) {
	a, b := seed.Rand(3, "x"), seed.Rand(3, "x")
	for range 10 {
		if x, y := a.Int63(), b.Int63(); x != y {
			t.Fatalf("drew %d and %d", x, y)
		}
	}
}

func TestRandDrawsWhatRecordedRunsDrew(t *testing.T) {
	r := seed.Rand(42, "event", "17")
	var got []int
	for range 5 {
		got = append(got, r.Intn(1000))
	}
	if want := []int{586, 489, 54, 924, 854}; !slices.Equal(got, want) {
		t.Errorf("drew %v, want %v", got, want)
	}
}

func TestRandSpreadsItsDraws(t *testing.T) {
	r := seed.Rand(7, "spread")
	var low, high int
	for range 10000 {
		switch n := r.Intn(100); {
		case n < 10:
			low++
		case n >= 90:
			high++
		}
	}
	if low < 850 || low > 1150 || high < 850 || high > 1150 {
		t.Errorf("of 10000 draws %d are in the lowest tenth and %d in the highest", low, high)
	}
}

func TestSeedsSurviveTheirDecimalForm(t *testing.T) {
	for _, n := range []uint64{0, 1, 1 << 53, 1<<64 - 1} {
		got, err := seed.Parse(seed.Format(n))
		if err != nil || got != n {
			t.Errorf("%d came back as %d, %v", n, got, err)
		}
	}
	for _, bad := range []string{"", "-1", "0x10", "1.5", "18446744073709551616", " 7"} {
		if n, err := seed.Parse(bad); err == nil {
			t.Errorf("Parse(%q) = %d, want an error", bad, n)
		}
	}
}
