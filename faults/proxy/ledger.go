package proxy

import (
	"maps"
	"slices"
	"sync"
	"time"

	"tahanuji/system/history"
)

// Conn is one connection that a client made, as the ledger keeps it: clients lay out connections differently, and a held
// request blocks what comes behind it on the same one.
type Conn struct {
	ID      int64
	Door    string
	Node    int32
	Client  string // the client's address
	Own     string // the proxy's address towards the broker
	APIs    map[string]int
	Clients []string // client ids that were used on it
}

// record is an exchange in the ledger; guarded by ledger.mu.
type record struct{ ex history.Exchange }

// ledger keeps every exchange.
type ledger struct {
	tap func(history.Exchange)

	mu    sync.Mutex
	recs  []*record
	conns map[int64]*Conn
	apis  map[string]int
}

func newLedger(tap func(history.Exchange)) *ledger {
	return &ledger{tap: tap, conns: map[int64]*Conn{}, apis: map[string]int{}}
}

func (l *ledger) met(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c.id] = &Conn{
		ID: c.id, Door: c.door.name, Node: c.node,
		Client: c.client.RemoteAddr().String(), Own: c.up.LocalAddr().String(), APIs: map[string]int{},
	}
}

// begin enters an exchange whose outcome is not known yet.
func (l *ledger) begin(ex history.Exchange) *record {
	ex.Applied, ex.Told = history.Unknown, history.Unknown
	r := &record{ex}
	l.mu.Lock()
	defer l.mu.Unlock()
	r.ex.Seq = int64(len(l.recs) + 1)
	l.recs = append(l.recs, r)
	l.apis[ex.API]++
	if c := l.conns[ex.Conn]; c != nil {
		c.APIs[ex.API]++
		if !slices.Contains(c.Clients, ex.Client) {
			c.Clients = append(c.Clients, ex.Client)
		}
	}
	return r
}

// change writes to a record.
func (l *ledger) change(r *record, write func(*history.Exchange)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	write(&r.ex)
}

// telling says what the client is about to be told, so that whoever acts on an answer finds it in the ledger.
func (l *ledger) telling(s *slot) {
	l.change(s.rec, func(ex *history.Exchange) {
		ex.Told = history.OK
		if s.made {
			ex.Told = history.Fail
		}
	})
}

// told completes an exchange whose answer was written to the client's connection, or could not be. (Whether the client read
// it before it died, nobody knows.)
func (l *ledger) told(s *slot, reached bool) {
	l.finish(s.rec, func(ex *history.Exchange) {
		ex.Took = time.Since(s.at)
		if !reached {
			ex.Told = history.Unknown
		}
	})
}

// lost completes an exchange that the broker never answered.
func (l *ledger) lost(r *record, why string) {
	l.finish(r, func(ex *history.Exchange) {
		if ex.Err == "" {
			ex.Err = why
		}
	})
}

func (l *ledger) finish(r *record, write func(*history.Exchange)) {
	l.mu.Lock()
	write(&r.ex)
	ex := snapshot(r)
	l.mu.Unlock()
	if l.tap != nil {
		l.tap(ex)
	}
}

func snapshot(r *record) history.Exchange {
	ex := r.ex
	ex.Items = slices.Clone(ex.Items)
	return ex
}

func (l *ledger) all() []history.Exchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]history.Exchange, 0, len(l.recs))
	for _, r := range l.recs {
		out = append(out, snapshot(r))
	}
	return out
}

func (l *ledger) counts() map[string]int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.apis)
}

// Conns returns all connections that clients made, in the order in which they came.
func (p *Proxy) Conns() []Conn {
	p.ledger.mu.Lock()
	defer p.ledger.mu.Unlock()
	var out []Conn
	for _, id := range slices.Sorted(maps.Keys(p.ledger.conns)) {
		c := *p.ledger.conns[id]
		c.APIs, c.Clients = maps.Clone(c.APIs), slices.Clone(c.Clients)
		out = append(out, c)
	}
	return out
}
