package run

import (
	"context"
	"strings"
	"sync"

	"tahanuji/system/history"
)

// seen tells when a labelled record is in its topic: the proxy knows.
type seen interface {
	// Seen is closed once the record with the label is known to be in its topic.
	Seen(label string) <-chan struct{}
	// Mark tells the proxy that a named moment of the run was reached.
	Mark(name string)
	// Where is the first known position of a label.
	Where(label string) (history.Position, bool)
}

// marks answers when the moments that are no requests are reached: "start" and "rest" are told by the stage, a label's by the
// proxy.
type marks struct {
	wire seen
	mu   sync.Mutex
	made map[string]chan struct{}
	met  map[string]bool
}

func newMarks(wire seen) *marks {
	return &marks{wire: wire, made: map[string]chan struct{}{}, met: map[string]bool{}}
}

// Reached is closed once the moment after is reached.
func (m *marks) Reached(_ context.Context, after string) <-chan struct{} {
	if strings.Contains(after, ":") {
		return m.wire.Seen(after)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.channel(after)
}

func (m *marks) channel(name string) chan struct{} {
	if m.made[name] == nil {
		m.made[name] = make(chan struct{})
	}
	return m.made[name]
}

// Where is the position of a record that was reached.
func (m *marks) Where(label string) (history.Position, bool) { return m.wire.Where(label) }

// reach tells everybody that a named moment of the run was reached. A moment is reached once.
func (m *marks) reach(name string) {
	m.mu.Lock()
	if !m.met[name] {
		m.met[name] = true
		close(m.channel(name))
	}
	m.mu.Unlock()
	m.wire.Mark(name)
}
