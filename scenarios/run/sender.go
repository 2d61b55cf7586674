package run

import (
	"context"
	"fmt"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sut"
	"tahanuji/system/workload"
)

// ahead is how many sends may be under way or waiting for their key at once: it keeps the source's keys together in event
// time, as real sources are, while one key waits for its answer.
const ahead = 32

// triesOfInvalid is how often an event that has to be refused is sent to a role that does not answer: nobody waits for it to be
// recorded, and a service that ends at it must not keep the good ones from being sent.
const triesOfInvalid = 3

// sender plays the document's source: it hands events to the recorder as the document's `source` says, and writes down what it
// was answered. It is the only writer of OpSend.
type sender struct {
	source contract.Source
	after  time.Duration // between a send without an answer and its resend
	system sut.System
	role   string
	handed func(workload.Event) []byte // what the role is given of an event
	rec    *history.Recorder
	pace   pace
	open   atomic.Int64 // sends without a final answer
	done   atomic.Int64 // sends that reached a final answer
	sent   sync.Map     // label -> true once the source was told "recorded"
	last   sync.Map     // label -> what the last answer that settled nothing was
}

// send plays the sends in order, each key in its own order, and returns when each has a final answer or ctx ends.
func (s *sender) send(ctx context.Context, sends []workload.Send) {
	slots := make(chan struct{}, s.pace.ahead())
	lanes := map[string]chan workload.Send{}
	var wg sync.WaitGroup
	for i, one := range sends {
		lane := one.Event.Key
		if !s.source.OnePerKey {
			lane = fmt.Sprint(i % max(1, s.source.Concurrency))
		}
		queue, ok := lanes[lane]
		if !ok {
			queue = make(chan workload.Send, len(sends))
			lanes[lane] = queue
			wg.Go(func() {
				for one := range queue {
					s.deliver(ctx, one)
					if one.Burst == 0 {
						<-slots
					}
				}
			})
		}
		if one.Burst == 0 {
			s.pace.keep(ctx, i)
			select {
			case slots <- struct{}{}:
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			break
		}
		s.open.Add(1)
		queue <- one
	}
	for _, queue := range lanes {
		close(queue)
	}
	wg.Wait()
}

// deliver sends one event until it has a final answer: recorded, refused, or no more resends.
func (s *sender) deliver(ctx context.Context, one workload.Send) {
	defer s.open.Add(-1)
	defer s.done.Add(1)
	if one.Step != "" {
		s.rec.Add(history.Event{Proc: "source", Op: history.OpFault, Phase: history.OK, Key: one.Step, Value: one.Event.Label})
	}
	for try := 0; ctx.Err() == nil; try++ {
		begun := s.rec.Add(one.History(s.role, s.handed(one.Event)))
		answer := s.system.Send(ctx, s.role, one.Event.Record)
		s.rec.Add(answer.History(s.role, one.Event.Label, begun))
		if answer.Phase == history.OK {
			s.sent.Store(one.Event.Label, true)
		}
		if answer.Phase != history.Unknown || !s.again(try) || !one.Event.Valid() && try+1 >= triesOfInvalid {
			return
		}
		s.last.Store(one.Event.Label, answer.Err)
		wait(ctx, s.after)
	}
}

// waiting names the events that have no final answer, with the last thing that was heard of each.
func (s *sender) waiting() string {
	var open []string
	s.last.Range(func(label, heard any) bool {
		if _, done := s.sent.Load(label); !done {
			open = append(open, fmt.Sprintf("%s (%s)", label, heard))
		}
		return true
	})
	sort.Strings(open)
	return strings.Join(first(open, 3), ", ")
}

// again says whether the document's source resends after try resends without an answer.
func (s *sender) again(try int) bool {
	switch s.source.Resend {
	case "until-recorded":
		return true
	case "never":
		return false
	}
	return try < s.source.Times
}

// wait sleeps for d or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
