package inside

import (
	"context"
	"net"
)

// Dial opens connections that a shut gate freezes, as SIGSTOP freezes those of a process: what the kernel took is on its way, and
// nothing more is sent or heard, no heartbeat either.
func Dial(g *Gate, dial func(ctx context.Context, network, address string) (net.Conn, error)) func(ctx context.Context, network,
	address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		g.Pass()
		c, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &frozenConn{c, g}, nil
	}
}

type frozenConn struct {
	net.Conn
	gate *Gate
}

func (c *frozenConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.gate.Pass() // what was read while the gate is shut is not looked at before it opens
	return n, err
}

func (c *frozenConn) Write(b []byte) (int, error) {
	c.gate.Pass()
	return c.Conn.Write(b)
}
