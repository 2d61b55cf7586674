package run

import (
	"context"
	"testing"
	"time"
)

// lags gives one lag after another, the last one for ever, and counts the looks.
func lags(looks *int, all ...int64) func(context.Context) (int64, error) {
	return func(context.Context) (int64, error) {
		now := all[min(*looks, len(all)-1)]
		*looks++
		return now, nil
	}
}

func TestTheSourceWaitsForAGroupThatIsHalfItsBoundBehind(t *testing.T) {
	looks, spent := 0, false
	p := pace{bound: 40, limit: time.Minute, lag: lags(&looks, 0, 31, 21, 20, 3), spent: &spent}
	if p.ahead() != 10 {
		t.Errorf("%d sends are under way, of a bound of 40", p.ahead())
	}
	want := map[int]int{0: 1, 9: 1, 10: 4, 19: 4, 20: 5}
	for i := range 21 {
		p.keep(context.Background(), i)
		if n, ok := want[i]; ok && looks != n {
			t.Errorf("after send %d there were %d looks, want %d", i, looks, n)
		}
	}
	if spent {
		t.Error("a wait ran out")
	}
}

func TestAGroupThatDoesNotGoOnIsWaitedForOnce(t *testing.T) {
	looks, spent := 0, false
	p := pace{bound: 4, limit: time.Millisecond, lag: lags(&looks, 9), spent: &spent}
	p.keep(context.Background(), 0)
	once := looks
	for i := range 50 {
		p.keep(context.Background(), i)
	}
	if !spent || once == 0 || looks != once {
		t.Errorf("spent %v, %d looks at first, %d at last", spent, once, looks)
	}
}

func TestWithoutABoundNobodyIsLookedAt(t *testing.T) {
	spent := false
	p := pace{spent: &spent}
	p.keep(context.Background(), 0)
	if p.ahead() != ahead || spent {
		t.Errorf("%d ahead", p.ahead())
	}
}
