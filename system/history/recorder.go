package history

import (
	"sync"
	"time"
)

// Recorder collects a run's events from many goroutines. It numbers and times them; it drops none.
type Recorder struct {
	mu     sync.Mutex
	begun  time.Time
	clock  func() time.Duration
	events []Event
}

// NewRecorder starts a history now, by the process's monotonic clock.
func NewRecorder() *Recorder {
	r := &Recorder{begun: time.Now()}
	r.clock = func() time.Duration { return time.Since(r.begun) }
	return r
}

// NewRecorderWithClock starts a history whose times come from clock, such as a model's virtual time since the run's start.
func NewRecorderWithClock(clock func() time.Duration) *Recorder {
	return &Recorder{clock: clock}
}

// Elapsed is the time since the history's start.
func (r *Recorder) Elapsed() time.Duration { return r.clock() }

// Add records an event, sets its Seq and At, and returns its Seq.
func (r *Recorder) Add(e Event) Seq {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Seq = Seq(len(r.events) + 1)
	e.At = r.clock()
	r.events = append(r.events, e)
	return e.Seq
}

// Phase records that the run entered the phase name.
func (r *Recorder) Phase(name string) Seq {
	return r.Add(Event{Op: OpPhase, Phase: OK, Key: name})
}

// Len is the number of events so far.
func (r *Recorder) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events)
}

// Events copies what was recorded so far.
func (r *Recorder) Events() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Event, len(r.events))
	copy(out, r.events)
	return out
}
