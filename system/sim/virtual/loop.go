// Package virtual is virtual time on one goroutine: a heap of timers and coroutines of ordinary sequential code. Same calls
// in the same order give the same run. It knows no Kafka, reads no real clock and is not safe for concurrent use.
package virtual

import (
	"fmt"
	"time"
)

// Loop owns virtual time, counted from 0. Its zero value is ready.
type Loop struct {
	now    time.Duration
	events heap
	order  uint64
	steps  int
	idle   int // steps taken since time last moved
	// Spin bounds the steps taken while time stands still; 0 is 1,000,000. Beyond it Run gives up: somebody spins.
	Spin int
	err  error
	all  []*Task
	// current is the task that runs, nil between tasks.
	current *Task
	limit   time.Duration
	stopped func() bool
}

// Timer is a callback that is due.
type Timer struct {
	fn   func()
	gone bool
}

// Stop forgets the timer; it is no error if it has run. A nil timer is stopped.
func (t *Timer) Stop() {
	if t != nil {
		t.gone, t.fn = true, nil
	}
}

// Now is the virtual time since the loop's start.
func (l *Loop) Now() time.Duration { return l.now }

// Steps is how many callbacks and resumptions were run so far.
func (l *Loop) Steps() int { return l.steps }

// After runs fn once d from now. A callback never parks: what it calls is done at one instant.
func (l *Loop) After(d time.Duration, fn func()) *Timer {
	t := &Timer{fn: fn}
	l.push(entry{at: l.now + max(d, 0), timer: t})
	return t
}

func (l *Loop) push(e entry) {
	l.order++
	e.order = l.order
	l.events.push(e)
}

// Fail ends Run with err, the first one wins.
func (l *Loop) Fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// Run takes steps until done says true, nothing is left to do, or time would pass limit (counted from the loop's start). It
// says whether done was reached. An error is what Fail was told, or that somebody spins without time passing.
func (l *Loop) Run(limit time.Duration, done func() bool) (bool, error) {
	l.limit, l.stopped = limit, done
	spin := l.Spin
	if spin == 0 {
		spin = 1_000_000
	}
	for {
		if l.err != nil {
			return false, l.err
		}
		if done() {
			return true, nil
		}
		if len(l.events) == 0 {
			return false, nil
		}
		if l.events[0].at > limit {
			l.now = max(l.now, limit)
			return false, nil
		}
		e := l.events.pop()
		if e.at > l.now {
			l.now, l.idle = e.at, 0
		}
		l.idle++
		if l.idle > spin {
			return false, fmt.Errorf("virtual: %d steps at %v without time passing; last to run: %s", l.idle, l.now, l.last(e))
		}
		l.take(e)
	}
}

func (l *Loop) take(e entry) {
	if e.task != nil {
		if e.gen == e.task.gen && !e.task.done {
			l.steps++
			e.task.resume()
		}
		return
	}
	if e.timer.gone {
		return
	}
	l.steps++
	fn := e.timer.fn
	e.timer.gone, e.timer.fn = true, nil
	fn()
}

func (l *Loop) last(e entry) string {
	if e.task != nil {
		return e.task.Name
	}
	return "a timer"
}

// Close ends every task that has not returned. After it the loop is of no use.
func (l *Loop) Close() {
	for _, t := range l.all {
		t.Drop()
	}
	l.all, l.events = nil, nil
}

type entry struct {
	at    time.Duration
	order uint64
	task  *Task
	gen   uint32
	timer *Timer
}

// heap is a binary heap by (at, order): container/heap boxes each entry.
type heap []entry

func (h heap) less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].order < h[j].order
}

func (h *heap) push(e entry) {
	*h = append(*h, e)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if !s.less(i, up) {
			return
		}
		s[i], s[up] = s[up], s[i]
		i = up
	}
}

func (h *heap) pop() entry {
	s := *h
	top := s[0]
	last := len(s) - 1
	s[0] = s[last]
	s[last] = entry{}
	s = s[:last]
	*h = s
	for i := 0; ; {
		least := i
		if left := 2*i + 1; left < last && s.less(left, least) {
			least = left
		}
		if right := 2*i + 2; right < last && s.less(right, least) {
			least = right
		}
		if least == i {
			return top
		}
		s[i], s[least] = s[least], s[i]
		i = least
	}
}
