package kafka

import (
	"context"
	"sync"
	"time"
)

// Clock is the real clock, moved: it may start elsewhere and be pushed on. It may be shared by ports.
type Clock struct {
	mu     sync.Mutex
	offset time.Duration
	moved  chan struct{} // closed at the next Elapse
}

// NewClock is a clock that shows start now; the zero time: the real time.
func NewClock(start time.Time) *Clock {
	c := &Clock{moved: make(chan struct{})}
	if !start.IsZero() {
		c.offset = time.Until(start)
	}
	return c
}

// Elapse moves the clock on by d and wakes those whose sleep is over by it.
func (c *Clock) Elapse(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += d
	close(c.moved)
	c.moved = make(chan struct{})
}

func (c *Clock) look() (time.Time, chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset), c.moved
}

// Now is the clock's time.
func (c *Clock) Now() time.Time {
	now, _ := c.look()
	return now
}

// Sleep sleeps until d has passed on the clock, or ctx ends.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	begun, moved := c.look()
	until := begun.Add(d)
	for now := begun; now.Before(until); now, moved = c.look() {
		timer := time.NewTimer(until.Sub(now))
		select {
		case <-timer.C:
		case <-moved:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		timer.Stop()
	}
	return ctx.Err()
}
