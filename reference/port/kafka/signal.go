package kafka

import (
	"context"
	"sync"
	"time"

	"tahanuji/reference/port"
)

type signal struct {
	p    *Port
	once sync.Once
	ch   chan struct{}
}

// NewSignal is a signal that was not raised.
func (p *Port) NewSignal() port.Signal { return &signal{p: p, ch: make(chan struct{})} }

func (s *signal) Raise() { s.once.Do(func() { close(s.ch) }) }

func (s *signal) Wait(ctx context.Context, limit time.Duration) error {
	return s.p.await(ctx, s.ch, limit)
}

// await waits for a channel to be closed: nil, port.ErrGone, port.ErrWaiting after limit (0: only look), or the context's error.
func (p *Port) await(ctx context.Context, done <-chan struct{}, limit time.Duration) error {
	if p.life.Err() != nil {
		return port.ErrGone
	}
	select {
	case <-done:
		return nil
	default:
	}
	if limit <= 0 {
		return port.ErrWaiting
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return p.gone(nil)
	case <-p.life.Done():
		return port.ErrGone
	case <-ctx.Done():
		return p.gone(ctx.Err())
	case <-timer.C:
		return port.ErrWaiting
	}
}
