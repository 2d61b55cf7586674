package virtual

import (
	"fmt"
	"iter"
	"runtime/debug"
	"time"
)

// Never is a deadline that does not come.
const Never = time.Duration(1<<63 - 1)

// Task is a coroutine: sequential code that runs until it parks.
type Task struct {
	Name   string // for messages
	frozen bool   // not resumed: a wake-up is kept until Thaw
	woken  bool   // woken while frozen
	loop   *Loop
	next   func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	ref    uint32
	gen    uint32 // counts resumptions over all tasks of the place, so that a stale wake-up is known
	parked bool
	done   bool
}

// unwound is the panic value that ends a dropped task's code.
type unwound struct{}

// Go makes a task that begins at this instant, once the running one parks. A panic in fn fails the loop, with its stack.
func (l *Loop) Go(name string, fn func(t *Task)) *Task {
	t := &Task{Name: name, loop: l}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		defer func() {
			l.forget(t)
			if r := recover(); r != nil {
				if _, ok := r.(unwound); !ok {
					l.Fail(fmt.Errorf("virtual: %s panicked: %v\n%s", t.Name, r, debug.Stack()))
				}
			}
		}()
		fn(t)
	})
	l.remember(t)
	t.parked = true
	l.push(entry{at: l.now, task: true, ref: t.ref, gen: t.gen})
	return t
}

// remember gives a task a place.
func (l *Loop) remember(t *Task) {
	if n := len(l.done); n > 0 {
		t.ref = l.done[n-1]
		l.done = l.done[:n-1]
		t.gen = l.tasks[t.ref].gen + 1
		l.tasks[t.ref] = t
		return
	}
	t.ref = uint32(len(l.tasks))
	l.tasks = append(l.tasks, t)
}

// forget frees the place of a task that is done. The task stays there until the next one comes, for its count.
func (l *Loop) forget(t *Task) {
	if !t.done {
		t.done = true
		l.done = append(l.done, t.ref)
	}
}

func (t *Task) resume() {
	if t.frozen {
		t.woken = true
		return
	}
	outer := t.loop.current
	t.loop.current = t
	t.parked = false
	t.gen++
	t.next()
	t.loop.current = outer
}

// Park gives up the thread until Wake or the deadline (a time of the loop; Never is none). Only the task itself calls it.
func (t *Task) Park(deadline time.Duration) {
	l := t.loop
	if deadline <= l.now {
		deadline = l.now
	}
	// If nothing else is due before the deadline, the task may go on at once: nobody could tell the difference.
	if deadline != Never && !t.frozen && l.err == nil && deadline > l.now && deadline <= l.limit &&
		(len(l.events) == 0 || l.events[0].at > deadline) && !l.stopped() {
		l.now, l.idle = deadline, 0
		return
	}
	t.parked = true
	if deadline != Never {
		l.push(entry{at: deadline, task: true, ref: t.ref, gen: t.gen})
	}
	if !t.yield(struct{}{}) {
		panic(unwound{})
	}
}

// Wake lets a parked task go on at this instant; it does nothing to one that runs or is done.
func (t *Task) Wake() {
	if t == nil || t.done || !t.parked {
		return
	}
	t.loop.push(entry{at: t.loop.now, task: true, ref: t.ref, gen: t.gen})
}

// Freeze keeps the task from running until Thaw, whatever happens.
func (t *Task) Freeze() { t.frozen = true }

// Thaw undoes Freeze; a wake-up or deadline missed in between comes now.
func (t *Task) Thaw() {
	t.frozen = false
	if t.woken {
		t.woken = false
		t.Wake()
	}
}

// Current is the task that runs, nil while a callback does.
func (l *Loop) Current() *Task { return l.current }

// Done says that the task's code has returned.
func (t *Task) Done() bool { return t.done }

// Drop ends the task: its code unwinds from where it is parked and runs no further. A running task is dropped when it parks
// next, by its own code: Unwind.
func (t *Task) Drop() {
	if t.done || t == t.loop.current {
		return
	}
	t.stop()
	t.loop.forget(t)
}

// Unwind ends the running task from within.
func (t *Task) Unwind() { panic(unwound{}) }
