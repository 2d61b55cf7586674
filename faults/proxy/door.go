package proxy

import (
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"

	"tahanuji/faults/proxy/wire"
)

// anyNode is the node of a door's bootstrap listener: it leads to the first node that can be reached.
const anyNode = int32(-1)

// door is one role instance's way to the brokers: a listener for bootstrapping and one for each node. Guarded by Proxy.mu.
type door struct {
	name, role string
	instance   int
	lns        map[int32]net.Listener
	cut        bool
}

func (d *door) close() {
	for _, ln := range d.lns {
		_ = ln.Close() // it is ours and it is going; there is nobody to tell
	}
}

func name(role string, instance int) string { return role + "/" + strconv.Itoa(instance) }

// Open returns the bootstrap address of a role instance's door: one address, which leads to any node that is up, so that a
// client can start while a node is down. The same instance gets the same address.
func (p *Proxy) Open(role string, instance int) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d, err := p.door(role, instance)
	if err != nil {
		return "", fmt.Errorf("proxy: open %s: %w", name(role, instance), err)
	}
	return d.lns[anyNode].Addr().String(), nil
}

func (p *Proxy) door(role string, instance int) (*door, error) {
	if p.closed {
		return nil, errClosed
	}
	if d, ok := p.doors[name(role, instance)]; ok {
		return d, nil
	}
	d := &door{name: name(role, instance), role: role, instance: instance, lns: map[int32]net.Listener{}}
	if err := p.listen(d, anyNode); err != nil {
		return nil, err
	}
	for id := range p.nodes {
		if err := p.listen(d, id); err != nil {
			d.close()
			return nil, err
		}
	}
	p.doors[d.name] = d
	return d, nil
}

// listen opens the door's listener for a node. Proxy.mu is held.
func (p *Proxy) listen(d *door, node int32) error {
	ln, err := p.cfg.Listen("tcp", net.JoinHostPort(p.cfg.Host, "0"))
	if err != nil {
		return fmt.Errorf("listen for node %d: %w", node, err)
	}
	d.lns[node] = ln
	p.wg.Add(1)
	go func() {
		defer p.wg.Done()
		for {
			c, err := ln.Accept()
			if err != nil {
				return // closed: listeners of ours end in no other way that could be mended here
			}
			p.wg.Add(1)
			go func() {
				defer p.wg.Done()
				p.serve(d, node, c)
			}()
		}
	}()
	return nil
}

// Cut resets all connections of an instance and refuses new ones until Mend, by a reset after the accept. Requests that the
// proxy had not passed on are dropped; those passed on may be applied, and the ledger says whether they were.
func (p *Proxy) Cut(role string, instance int) {
	p.mu.Lock()
	if d, ok := p.doors[name(role, instance)]; ok {
		d.cut = true
	}
	var hit []*conn
	for _, c := range p.conns {
		if c.door.role == role && c.door.instance == instance {
			hit = append(hit, c)
		}
	}
	p.mu.Unlock()
	for _, c := range hit {
		c.end(rst)
	}
}

// Mend lets connections through a door again.
func (p *Proxy) Mend(role string, instance int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if d, ok := p.doors[name(role, instance)]; ok {
		d.cut = false
	}
}

// reroute gives the address of a door for a node, and opens it for a node that appears for the first time.
func (p *Proxy) reroute(d *door) wire.Reroute {
	return func(node int32, true wire.Address) (wire.Address, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if node < 0 {
			return true, fmt.Errorf("an address for no node")
		}
		p.nodes[node] = net.JoinHostPort(true.Host, strconv.Itoa(int(true.Port)))
		ln, ok := d.lns[node]
		if !ok {
			if p.closed {
				return true, errClosed
			}
			if err := p.listen(d, node); err != nil {
				return true, err
			}
			ln = d.lns[node]
		}
		host, port, err := net.SplitHostPort(ln.Addr().String())
		if err != nil {
			return true, fmt.Errorf("door %s: %w", d.name, err)
		}
		n, err := strconv.ParseInt(port, 10, 32)
		if err != nil {
			return true, fmt.Errorf("door %s: %w", d.name, err)
		}
		return wire.Address{Host: host, Port: int32(n)}, nil
	}
}

// targets are the addresses to try for a connection to a node, with the nodes that they belong to.
func (p *Proxy) targets(node int32) (ids []int32, addrs map[int32]string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if node != anyNode {
		return []int32{node}, map[int32]string{node: p.nodes[node]}
	}
	return slices.Sorted(maps.Keys(p.nodes)), maps.Clone(p.nodes)
}

// dial reaches a node, or the first of all nodes that can be reached.
func (p *Proxy) dial(ctx context.Context, node int32) (net.Conn, int32, error) {
	ids, addrs := p.targets(node)
	err := fmt.Errorf("no node is known")
	for _, id := range ids {
		var c net.Conn
		if c, err = p.connect(ctx, addrs[id]); err == nil {
			return c, id, nil
		}
	}
	return nil, node, fmt.Errorf("dial node %d: %w", node, err)
}

func (p *Proxy) connect(ctx context.Context, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	c, err := p.cfg.Dial(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	if p.cfg.TLS == nil {
		return c, nil
	}
	conf := p.cfg.TLS.Clone()
	if host, _, err := net.SplitHostPort(addr); err == nil && conf.ServerName == "" {
		conf.ServerName = host
	}
	t := tls.Client(c, conf)
	if err := t.HandshakeContext(ctx); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("connect: TLS: %w", err)
	}
	return t, nil
}

// serve takes one connection of a client through to the node.
func (p *Proxy) serve(d *door, node int32, client net.Conn) {
	p.mu.Lock()
	shut := d.cut || p.closed
	p.mu.Unlock()
	if shut {
		hangUp(client, rst)
		return
	}
	up, id, err := p.dial(p.ctx, node)
	if err != nil { // refused by the node: the client sees a reset instead, which clients retry alike
		hangUp(client, rst)
		return
	}
	c := newConn(p, d, id, client, up)
	p.mu.Lock()
	shut = d.cut || p.closed
	if !shut {
		p.lastID++
		c.id = p.lastID
		p.conns[c.id] = c
		p.ledger.met(c)
	}
	p.mu.Unlock()
	if shut {
		hangUp(client, rst)
		_ = up.Close()
		return
	}
	c.run()
	p.mu.Lock()
	delete(p.conns, c.id)
	p.mu.Unlock()
}
