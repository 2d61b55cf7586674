package kafka

import (
	"context"
	"errors"
	"net"
	"sync"

	"tahanuji/reference/port"
)

// Dialer opens a connection to a broker.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// connections are the open ones of a role, so that a kill can reset them: the broker hears nothing more, no LeaveGroup
// either.
type connections struct {
	open Dialer

	mu    sync.Mutex
	gone  bool
	conns map[*connection]bool
}

func newConnections(open Dialer) *connections {
	if open == nil {
		open = (&net.Dialer{}).DialContext
	}
	return &connections{open: open, conns: map[*connection]bool{}}
}

func (c *connections) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.open(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return nil, errors.Join(port.ErrGone, conn.Close())
	}
	k := &connection{Conn: conn, of: c}
	c.conns[k] = true
	return k, nil
}

// reset drops all connections with RST where the network knows it, and opens no more.
func (c *connections) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	for k := range c.conns {
		if tcp, ok := k.Conn.(*net.TCPConn); ok {
			// Best effort: without it the peer sees FIN instead of RST.
			_ = tcp.SetLinger(0)
		}
		_ = k.Conn.Close() // a connection that can't be closed is broken already
	}
	clear(c.conns)
}

type connection struct {
	net.Conn
	of *connections
}

func (k *connection) Close() error {
	k.of.mu.Lock()
	delete(k.of.conns, k)
	k.of.mu.Unlock()
	return k.Conn.Close()
}
