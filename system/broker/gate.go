package broker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
)

// gate owns one node's port for as long as the cluster lives. While the node is up, connections go to whoever listens
// behind it; while it is down, they are reset, and so are those that were open. The port is never given back in between,
// so a node comes back under its own address, as Kafka's nodes do.
type gate struct {
	ln   net.Listener
	done chan struct{}

	mu    sync.Mutex
	open  *inner // nil: down
	conns map[net.Conn]struct{}
}

// inner is the listener that the node behind a gate holds.
type inner struct {
	gate   *gate
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newGate(ctx context.Context) (*gate, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("gate: %w", err)
	}
	g := &gate{ln: ln, done: make(chan struct{}), conns: map[net.Conn]struct{}{}}
	go g.run()
	return g, nil
}

func (g *gate) port() int { return g.ln.Addr().(*net.TCPAddr).Port }

// listen gives the node behind the gate a new listener and opens the gate.
func (g *gate) listen() net.Listener {
	in := &inner{gate: g, conns: make(chan net.Conn), closed: make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = in
	return in
}

func (g *gate) run() {
	defer close(g.done)
	for {
		c, err := g.ln.Accept()
		if err != nil {
			return
		}
		g.mu.Lock()
		in := g.open
		t := &tracked{Conn: c, gate: g}
		if in != nil {
			g.conns[t] = struct{}{}
		}
		g.mu.Unlock()
		if in == nil {
			reset(c)
			continue
		}
		select {
		case in.conns <- t:
		case <-in.closed:
			g.drop(t)
			reset(c)
		}
	}
}

// shut resets what is connected and everything that comes until the next listen or reopen.
func (g *gate) shut() *inner {
	g.mu.Lock()
	defer g.mu.Unlock()
	was := g.open
	g.open = nil
	for c := range g.conns {
		reset(c.(*tracked).Conn)
	}
	clear(g.conns)
	return was
}

// reopen lets connections through to a listener that was never closed.
func (g *gate) reopen(in *inner) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = in
}

func (g *gate) drop(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.conns, c)
}

// close ends the gate for good and waits for its goroutine.
func (g *gate) close() error {
	err := g.ln.Close()
	g.shut()
	<-g.done
	g.shut()
	return err
}

// Accept waits for the next connection that the gate lets through.
func (in *inner) Accept() (net.Conn, error) {
	select {
	case c := <-in.conns:
		return c, nil
	case <-in.closed:
		return nil, net.ErrClosed
	}
}

// Close shuts the gate if this listener is the one behind it; the port stays taken.
func (in *inner) Close() error {
	err := errors.New("gate: listener closed twice")
	in.once.Do(func() {
		close(in.closed)
		in.gate.mu.Lock()
		if in.gate.open == in {
			in.gate.open = nil
		}
		in.gate.mu.Unlock()
		err = nil
	})
	return err
}

// Addr is the gate's own address.
func (in *inner) Addr() net.Addr { return in.gate.ln.Addr() }

// tracked is a connection that its gate can reset.
type tracked struct {
	net.Conn
	gate *gate
}

// Close ends the connection and forgets it.
func (t *tracked) Close() error {
	t.gate.drop(t)
	return t.Conn.Close()
}

// reset closes a connection so that the peer sees a reset and no orderly end.
func reset(c net.Conn) {
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetLinger(0) // fails on a connection that is gone already, which is what we want of it
	}
	_ = c.Close()
}
