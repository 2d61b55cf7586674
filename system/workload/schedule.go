package workload

import (
	"fmt"
	"math/rand"
	"slices"
	"time"
)

// Styles of numbers.
const (
	stylePlain = ""
	styleLong  = "long"
	styleLarge = "large"
)

// slot is one event to be made and its place among the sends.
type slot struct {
	subject int
	window  int
	at      time.Time // event time
	when    time.Time // place: the event time of the slot that it follows, its own for most
	rank    int       // among slots of one place: on time 0, late ones after it
	tag     string
	style   string
	address string
}

// timetable lays out the events of all sources in event time.
type timetable struct {
	shape  *shape
	rng    *rand.Rand
	starts []time.Time // of the windows, and of the one after
	last   int         // number of the window after them
	slots  []slot
}

// layout plans about events slots for n sources. Each source gets two a window at least and one that closes.
func (s *shape) layout(rng *rand.Rand, base time.Time, n, windows, events int) []slot {
	t := &timetable{shape: s, rng: rng, last: windows}
	w := s.window()
	start := w.Start(base)
	if start.Before(base) {
		start = w.End(start)
	}
	for range windows + 1 {
		t.starts = append(t.starts, start)
		start = w.End(start)
	}
	extra := n + max(2, n/2) + max(1, n/3) // closing, late, in grace
	each := max(2*windows*n, events-extra)
	for i := range windows * n {
		count := each / (windows * n)
		if i < each%(windows*n) {
			count++
		}
		t.onTime(i%n, i/n, count)
	}
	t.closing(n)
	t.inGrace(max(1, n/3), n)
	t.late(max(2, n/2), n)
	for i := range t.slots {
		t.slots[i].address = fmt.Sprintf("%d/%d/%d", t.slots[i].subject, t.slots[i].window, i)
	}
	slices.SortStableFunc(t.slots, func(a, b slot) int {
		if c := a.when.Compare(b.when); c != 0 {
			return c
		}
		return a.rank - b.rank
	})
	return t.slots
}

// onTime spreads count events of a source over a window; by turns the first or the last lies on the window's edge.
func (t *timetable) onTime(subject, window, count int) {
	start, end := t.starts[window], t.starts[window+1]
	size := end.Sub(start)
	style := stylePlain
	switch {
	case window == 1 && subject%3 == 0:
		style = styleLong
	case window == 2 && subject%3 == 1 || window == 0 && subject == 0:
		style = styleLarge
	}
	for k := range count {
		part := size / time.Duration(count)
		at := start.Add(time.Duration(k)*part + part/10 + time.Duration(t.rng.Int63n(int64(part*8/10)+1))).Truncate(t.shape.unit())
		tag := TagPlain
		switch {
		case k == 0 && (subject+window)%2 == 0:
			at, tag = start, TagStart
		case k == count-1 && (subject+window)%2 == 1:
			at, tag = end.Add(-t.shape.tick()), TagEnd
		case at.Before(start):
			at = start
		}
		t.add(slot{subject: subject, window: window, at: at, when: at, tag: tag, style: style})
	}
}

func (t *timetable) add(s slot) { t.slots = append(t.slots, s) }

// closing gives every source an event that is late enough for all its windows to be due: by turns exactly then, or later.
func (t *timetable) closing(n int) {
	due := t.shape.due(t.starts[t.last])
	size := t.starts[t.last].Sub(t.starts[t.last-1])
	for subject := range n {
		at := due
		if subject%2 == 1 {
			at = due.Add(size * time.Duration(subject+1) / time.Duration(4*(n+1))).Truncate(t.shape.unit())
		}
		t.add(slot{subject: subject, window: t.last, at: at, when: at, tag: TagClosing})
	}
}

// inGrace adds events that come after their window's end, as far as event time shows, and before its grace passed.
func (t *timetable) inGrace(count, n int) {
	grace := t.shape.window().Grace
	for subject := range n {
		for window := range t.last {
			end := t.starts[window+1]
			if count == 0 || grace <= 0 {
				return
			}
			if at, ok := t.firstFrom(subject, end); ok && at.Before(end.Add(grace)) {
				t.after(at, slot{subject: subject, window: window, tag: TagInGrace})
				count--
				break
			}
		}
	}
}

// late adds events that come after their window closed: behind the first event of the same source that closed it.
func (t *timetable) late(count, n int) {
	for i := range count {
		subject, window := (i*2+1)%n, (i+1)%t.last
		if at, ok := t.firstFrom(subject, t.shape.due(t.starts[window+1])); ok {
			t.after(at, slot{subject: subject, window: window, tag: TagLate})
		}
	}
}

// after puts an event from the later part of its window behind the slot of its source at the given event time.
func (t *timetable) after(when time.Time, s slot) {
	start, end := t.starts[s.window], t.starts[s.window+1]
	size := end.Sub(start)
	s.at = start.Add(size/2 + time.Duration(t.rng.Int63n(int64(size/3)+1))).Truncate(t.shape.unit())
	if s.at.Before(start) {
		s.at = start
	}
	s.when, s.rank = when, 1
	t.add(s)
}

// firstFrom is the first event time of a source, among those sent on time, that is not before from.
func (t *timetable) firstFrom(subject int, from time.Time) (first time.Time, ok bool) {
	for _, s := range t.slots {
		if s.subject == subject && s.rank == 0 && !s.at.Before(from) && (!ok || s.at.Before(first)) {
			first, ok = s.at, true
		}
	}
	return first, ok
}
