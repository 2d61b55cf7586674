package run

import (
	"context"
	"time"
)

// pace keeps the source of a run without faults from outrunning the bounds that the document sets to its groups: the load is sent
// a thousand times faster than its events happened, and a group that is not given the time to read is not behind. A group that
// does not go on at all is waited for once, and then the source goes on without it. The zero value keeps no pace.
type pace struct {
	bound int64 // the least bound of a group, in records; 0: none
	limit time.Duration
	lag   func(context.Context) (int64, error) // the greatest lag of a bounded group
	spent *bool                                // a wait ran out: nobody is waited for any more
}

func (st *stage) pace() pace {
	p := pace{limit: st.cell.Limits.Patience, spent: &st.outrun}
	if len(st.steps) > 0 {
		return p // lag beside faults is not judged
	}
	for _, g := range st.cell.Doc.Groups {
		if g.Lag != nil && g.Lag.Max > 0 && (p.bound == 0 || g.Lag.Max < p.bound) {
			p.bound = g.Lag.Max
		}
	}
	p.lag = st.mostLag
	return p
}

// part is a quarter of the bound: what is sent between two looks, and what is under way.
func (p pace) part() int { return int(max(1, p.bound/4)) }

// ahead is how many sends may be under way or waiting for their key.
func (p pace) ahead() int {
	if p.bound == 0 {
		return ahead
	}
	return min(ahead, p.part())
}

// keep waits before the i-th send until the groups are at most half their bound behind.
func (p pace) keep(ctx context.Context, i int) {
	if p.bound == 0 || *p.spent || i%p.part() != 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, p.limit)
	defer cancel()
	for ctx.Err() == nil {
		if lag, err := p.lag(ctx); err == nil && lag <= p.bound/2 {
			return
		}
		wait(ctx, look)
	}
	*p.spent = true
}

// mostLag is the greatest lag of the groups that the document bounds.
func (st *stage) mostLag(ctx context.Context) (int64, error) {
	var most int64
	for _, g := range st.cell.Doc.Groups {
		if g.Lag == nil || g.Lag.Max == 0 {
			continue
		}
		byPartition, err := st.observer.Lag(ctx, g.Name, g.Reads...)
		if err != nil {
			return 0, err
		}
		var sum int64
		for _, n := range byPartition {
			sum += n
		}
		most = max(most, sum)
	}
	return most, nil
}
