package inside

import (
	"context"
	"sync"
)

// Gate freezes a role: while it is shut, nothing that passes it goes on. A role that is killed passes at once, for good.
type Gate struct {
	mu   sync.Mutex
	open chan struct{} // closed: open
	gone chan struct{}
	once sync.Once
}

// NewGate is open.
func NewGate() *Gate {
	open := make(chan struct{})
	close(open)
	return &Gate{open: open, gone: make(chan struct{})}
}

// Shut freezes.
func (g *Gate) Shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.open:
		g.open = make(chan struct{})
	default: // it is shut
	}
}

// Open thaws.
func (g *Gate) Open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.open:
	default:
		close(g.open)
	}
}

// Kill lets everybody through for good.
func (g *Gate) Kill() { g.once.Do(func() { close(g.gone) }) }

// Pass waits while the gate is shut. A frozen process does not hear that its caller gave up: only a thaw or a kill ends the wait.
func (g *Gate) Pass() {
	for {
		g.mu.Lock()
		open := g.open
		g.mu.Unlock()
		select {
		case <-open:
			return
		case <-g.gone:
			return
		}
	}
}

// PassOr is Pass for somebody outside of the frozen process, who may give up.
func (g *Gate) PassOr(ctx context.Context) error {
	g.mu.Lock()
	open := g.open
	g.mu.Unlock()
	select {
	case <-open:
		return nil
	case <-g.gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
