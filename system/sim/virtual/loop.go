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
	// tasks and timers are what entries of the heap refer to: an entry without pointers costs the collector nothing.
	tasks   []*Task
	done    []uint32 // places in tasks that are free
	timers  []slot
	free    []uint32 // places in timers that are free
	current *Task    // the task that runs, nil between tasks
	limit   time.Duration
	stopped func() bool
}

// Event is something that happens at a time.
type Event interface{ Happen() }

// Call makes a function an event.
type Call func()

// Happen implements Event.
func (c Call) Happen() { c() }

type slot struct {
	event Event
	gen   uint32 // counts uses of the place
}

// Timer is an event that is due. The zero value is one that is over.
type Timer struct {
	loop *Loop
	ref  uint32
	gen  uint32
}

// Stop forgets the timer; it is no error if its event has happened.
func (t Timer) Stop() {
	if t.loop != nil {
		t.loop.take(t.ref, t.gen)
	}
}

// take empties a timer's place and returns its event, nil if it is over.
func (l *Loop) take(ref, gen uint32) Event {
	s := &l.timers[ref]
	if s.gen != gen || s.event == nil {
		return nil
	}
	e := s.event
	s.event = nil
	s.gen++
	l.free = append(l.free, ref)
	return e
}

// Now is the virtual time since the loop's start.
func (l *Loop) Now() time.Duration { return l.now }

// Steps is how many callbacks and resumptions were run so far.
func (l *Loop) Steps() int { return l.steps }

// After lets fn be called once d from now. A callback never parks: what it calls is done at one instant.
func (l *Loop) After(d time.Duration, fn func()) Timer { return l.Due(d, Call(fn)) }

// Due lets e happen once d from now.
func (l *Loop) Due(d time.Duration, e Event) Timer {
	var ref uint32
	if n := len(l.free); n > 0 {
		ref = l.free[n-1]
		l.free = l.free[:n-1]
	} else {
		ref = uint32(len(l.timers))
		l.timers = append(l.timers, slot{})
	}
	s := &l.timers[ref]
	s.event = e
	l.push(entry{at: l.now + max(d, 0), ref: ref, gen: s.gen})
	return Timer{l, ref, s.gen}
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
		l.happen(e)
	}
}

func (l *Loop) happen(e entry) {
	if !e.task {
		if event := l.take(e.ref, e.gen); event != nil {
			l.steps++
			event.Happen()
		}
		return
	}
	if t := l.tasks[e.ref]; t != nil && e.gen == t.gen && !t.done {
		l.steps++
		t.resume()
	}
}

func (l *Loop) last(e entry) string {
	if e.task && l.tasks[e.ref] != nil {
		return l.tasks[e.ref].Name
	}
	return "a timer"
}

// Close ends every task that has not returned. After it the loop is of no use.
func (l *Loop) Close() {
	for _, t := range l.tasks {
		if t != nil {
			t.Drop()
		}
	}
	l.tasks, l.events, l.timers, l.free = nil, nil, nil, nil
}

type entry struct {
	at    time.Duration
	order uint64
	ref   uint32 // of a task or a timer
	gen   uint32
	task  bool
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
