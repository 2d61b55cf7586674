package proxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"tahanuji/faults/proxy/wire"
)

// How a connection ends, or an answer is withheld.
const (
	silence = "silence"
	fin     = "fin"
	rst     = "rst"
)

// ahead is how many requests of a client are read before they are looked at, so that the end of a connection is noticed
// while a request is held. Clients have up to five in flight.
const ahead = 8

// hangUp closes a connection with a FIN or a reset. (franz-go takes a FIN before the first answer for a configuration error
// and gives up; a reset is retried.)
func hangUp(c net.Conn, how string) {
	if t, ok := c.(*net.TCPConn); ok && how == rst {
		_ = t.SetLinger(0) // fails only on a connection that is gone already
	}
	_ = c.Close()
}

// slot is one request under way.
type slot struct {
	q     wire.Request
	view  wire.View
	rec   *record
	claim *claim // the step that acts on it, or nil
	copy  bool   // the proxy's own: its answer goes to nobody
	at    time.Time

	ready bool   // the answer may be written; guarded by conn.mu
	out   []byte // nil: nothing is written
	made  bool   // the answer was made by a fault
	end   string // how the connection ends instead of an answer, or ""
}

// conn is one connection of a client and the one to the broker that belongs to it. Three goroutines serve it: one reads
// requests, one acts on them, one reads the broker's answers.
type conn struct {
	p      *Proxy
	door   *door
	id     int64
	node   int32
	client net.Conn
	up     net.Conn
	frames chan []byte
	left   chan struct{} // closed: the client ended its side
	dead   chan struct{} // closed: nothing more is read from or told to the client

	// turn is held while answers are written, so that they go out in order. A channel, not a mutex: a simulation's clock
	// moves on while somebody waits for it.
	turn chan struct{}

	mu     sync.Mutex
	owed   []*slot // the broker owes these answers, in this order
	due    []*slot // the client is due these answers, in this order
	over   bool
	mute   bool // the client hears nothing any more, and is heard no more
	lastly *time.Timer
}

func newConn(p *Proxy, d *door, node int32, client, up net.Conn) *conn {
	return &conn{
		p: p, door: d, node: node, client: client, up: up,
		frames: make(chan []byte, ahead), left: make(chan struct{}), dead: make(chan struct{}), turn: make(chan struct{}, 1),
	}
}

// run serves the connection until both sides are closed.
func (c *conn) run() {
	var wg sync.WaitGroup
	wg.Go(c.read)
	wg.Go(c.answers)
	for raw := range c.frames {
		if !c.request(raw) {
			break
		}
	}
	c.end(fin)
	for range c.frames { // let the reader go on to its end
	}
	wg.Wait()
	_ = c.up.Close()
}

// read takes the client's requests in.
func (c *conn) read() {
	defer close(c.frames)
	defer close(c.left)
	r := bufio.NewReaderSize(c.client, 32<<10)
	for {
		raw, err := wire.ReadFrame(r)
		if err != nil {
			return
		}
		select {
		case c.frames <- raw:
		case <-c.dead:
			return
		}
	}
}

// end closes the client's side, once. The broker's side is kept, for a short time, until it has answered what changes
// anything, so that the ledger knows.
func (c *conn) end(how string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	c.over = true
	close(c.dead)
	hangUp(c.client, how)
	if !c.waits() {
		_ = c.up.Close()
		return
	}
	c.lastly = time.AfterFunc(drainLimit, func() { _ = c.up.Close() })
}

// waits says whether an owed answer is worth waiting for: one to a read is not. c.mu is held.
func (c *conn) waits() bool {
	for _, s := range c.owed {
		if !reads(s.q.Key) {
			return true
		}
	}
	return false
}

// answers reads what the broker sends, to its end.
func (c *conn) answers() {
	r := bufio.NewReaderSize(c.up, 32<<10)
	how := fin
	for {
		raw, err := wire.ReadFrame(r)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				how = rst
			}
			break
		}
		if !c.answer(raw) {
			how = rst
			break
		}
		c.mu.Lock()
		done := c.over && !c.waits()
		c.mu.Unlock()
		if done {
			break
		}
	}
	_ = c.up.Close()
	c.end(how)
	c.mu.Lock()
	if c.lastly != nil {
		c.lastly.Stop()
	}
	owed, due := c.owed, slices.DeleteFunc(c.due, func(s *slot) bool { return !s.ready })
	c.owed, c.due = nil, nil
	c.mu.Unlock()
	for _, s := range owed {
		s.claim.release()
		c.p.ledger.lost(s.rec, "the connection ended before the answer")
	}
	for _, s := range due { // made answers that waited behind those that were owed
		c.p.ledger.told(s, false)
	}
}

// push puts a request's answer in line. It is called before the request is passed on.
func (c *conn) push(s *slot, owed, due bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if owed {
		c.owed = append(c.owed, s)
	}
	if due {
		c.due = append(c.due, s)
	}
}

// ready lets an answer go out as soon as those before it are out.
func (c *conn) ready(s *slot, out []byte) {
	c.mu.Lock()
	s.ready, s.out = true, out
	c.mu.Unlock()
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	for {
		c.mu.Lock()
		if len(c.due) == 0 || !c.due[0].ready {
			c.mu.Unlock()
			return
		}
		next := c.due[0]
		c.due = c.due[1:]
		quiet := c.over || c.mute
		c.mu.Unlock()
		c.tell(next, quiet)
	}
}

// tell writes one answer to the client, or does not, and completes its exchange.
func (c *conn) tell(s *slot, quiet bool) {
	if quiet || s.end != "" {
		c.p.ledger.told(s, false)
		if s.end != "" && !quiet {
			c.leave(s.end)
		}
		return
	}
	c.p.ledger.telling(s)
	_, err := c.client.Write(s.out)
	c.p.ledger.told(s, err == nil)
	if err != nil {
		c.end(rst)
	}
}

// leave ends the connection by a fault: silence keeps it open, and nothing passes any more.
func (c *conn) leave(how string) {
	if how == silence {
		c.mu.Lock()
		c.mute = true
		c.mu.Unlock()
		return
	}
	c.end(how)
}
