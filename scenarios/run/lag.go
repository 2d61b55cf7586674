package run

import (
	"context"
	"strconv"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// sampleEvery is how often the lag of each group is written down.
const sampleEvery = 50 * time.Millisecond

// sampleLag writes down the lag of each group that the document bounds, until the returned function is called, which takes a
// last sample. The tag is "fault" instead of "load" while a step of the plan may act.
func (st *stage) sampleLag(ctx context.Context, tag string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	if tag == "load" && len(st.steps) > 0 {
		tag = "fault"
	}
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			st.lagOnce(ctx, tag)
			wait(ctx, sampleEvery)
		}
	}()
	return func() {
		cancel()
		<-done
		last, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		st.lagOnce(last, tag)
	}
}

func (st *stage) lagOnce(ctx context.Context, tag string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for _, g := range st.cell.Doc.Groups {
		if g.Lag == nil {
			continue
		}
		st.groupLag(ctx, tag, g)
	}
}

// groupLag records one sample. A look that fails is no sample: the next one comes soon.
func (st *stage) groupLag(ctx context.Context, tag string, g contract.Group) {
	byPartition, err := st.observer.Lag(ctx, g.Name, g.Reads...)
	if err != nil {
		return
	}
	var sum int64
	for _, n := range byPartition {
		sum += n
	}
	st.rec.Add(history.Event{
		Op: history.OpLag, Phase: history.OK, Proc: g.Name, Tag: tag, Value: strconv.FormatInt(sum, 10),
	})
}
