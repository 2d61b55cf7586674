// Package proxy stands between the clients of the system under test and the brokers, on every backend and for clients in any
// language. It gives each role instance a door of its own, rewrites every address so that nobody gets round it, does to
// requests what a plan's steps say, and keeps the ledger: of each exchange what was true and what the client was told.
//
// It does not judge, does not decide when a step is armed, and invents nothing that a broker can't do: it reorders nothing
// inside a partition, makes up no offsets, and answers no code that an API does not have.
//
// What it can't do: frames of SaslHandshake v0 (v1 and SaslAuthenticate pass through); TLS towards clients (towards brokers
// it is made anew, see Config.TLS). Requests between brokers, and requests that kmsg can't read, end the connection.
package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tahanuji/faults/proxy/wire"
	"tahanuji/system/history"
	"tahanuji/system/sut"
)

// Limits of the proxy's own waits.
const (
	dialLimit = 5 * time.Second
	// drainLimit is how long a connection to a broker is kept for the answers that a client left behind, so that the ledger
	// knows whether its requests were applied.
	drainLimit = time.Second
	askLimit   = 10 * time.Second
)

// Config of a proxy.
type Config struct {
	Upstream []string // bootstrap addresses of the brokers
	Host     string   // where doors listen; "" is 127.0.0.1
	// Label names a record by its value, "" when it has no label. Nil: nothing has one. It is called from many goroutines.
	Label func(topic string, value []byte) string
	// Started is the time since the run's start. Nil: since New.
	Started func() time.Duration
	// OnExchange is told of each exchange once it is complete, from the connection's goroutine; it must not block.
	OnExchange func(history.Exchange)
	// Listen and Dial replace the network, as simulations do; nil is TCP.
	Listen func(network, address string) (net.Listener, error)
	Dial   func(ctx context.Context, network, address string) (net.Conn, error)
	// TLS is how brokers are reached; nil is plain. It is ended at the proxy: doors are plain.
	TLS *tls.Config
	// Auth authenticates a connection that the proxy opens for itself (the first Metadata, late copies), on clusters that ask
	// for it. Clients' own authentication passes through.
	Auth func(context.Context, net.Conn) error
}

// Proxy is a running fault proxy. All methods are safe for concurrent use.
type Proxy struct {
	cfg    Config
	ctx    context.Context // the proxy's own life, ended by Close
	stop   context.CancelFunc
	wg     sync.WaitGroup
	places *places
	arms   *arms
	ledger *ledger
	reader wire.Reader

	mu     sync.Mutex
	doors  map[string]*door
	nodes  map[int32]string // true addresses
	topics map[[16]byte]string
	conns  map[int64]*conn
	lastID int64
	closed bool
}

var _ sut.Doors = (*Proxy)(nil)

var errClosed = errors.New("the proxy is closed")

// New asks the brokers who they are and opens no door yet. The context bounds the asking alone.
func New(ctx context.Context, cfg Config) (*Proxy, error) {
	if cfg.Host == "" {
		cfg.Host = "127.0.0.1"
	}
	if cfg.Listen == nil {
		cfg.Listen = net.Listen
	}
	if cfg.Dial == nil {
		cfg.Dial = new(net.Dialer).DialContext
	}
	if cfg.Started == nil {
		begin := time.Now()
		cfg.Started = func() time.Duration { return time.Since(begin) }
	}
	own, stop := context.WithCancel(context.Background())
	p := &Proxy{
		cfg: cfg, ctx: own, stop: stop,
		places: newPlaces(), arms: &arms{}, ledger: newLedger(cfg.OnExchange),
		doors: map[string]*door{}, nodes: map[int32]string{}, topics: map[[16]byte]string{}, conns: map[int64]*conn{},
	}
	p.reader = wire.Reader{Topic: p.topic, Label: cfg.Label, Known: p.places.label, Unzip: kgo.DefaultDecompressor()}
	if err := p.meet(ctx); err != nil {
		stop()
		return nil, fmt.Errorf("proxy: %w", err)
	}
	return p, nil
}

// meet learns nodes and topic ids from the first upstream address that answers.
func (p *Proxy) meet(ctx context.Context) error {
	var last error
	for _, addr := range p.cfg.Upstream {
		req := kmsg.NewPtrMetadataRequest()
		req.SetVersion(7)                          // known to brokers from 2.1 to this day
		req.Topics = []kmsg.MetadataRequestTopic{} // none: their ids come with what clients ask
		resp, err := p.ask(ctx, addr, req)
		if err != nil {
			last = err
			continue
		}
		m := resp.(*kmsg.MetadataResponse)
		for _, b := range m.Brokers {
			p.nodes[b.NodeID] = net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
		}
		if len(p.nodes) > 0 {
			return nil
		}
		last = fmt.Errorf("%s names no nodes", addr)
	}
	if last == nil {
		last = errors.New("no upstream address was given")
	}
	return fmt.Errorf("meet the brokers: %w", last)
}

// learn keeps the topic ids of an answer (KIP-516).
func (p *Proxy) learn(resp kmsg.Response) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch r := resp.(type) {
	case *kmsg.MetadataResponse:
		for _, t := range r.Topics {
			if t.Topic != nil && t.TopicID != [16]byte{} {
				p.topics[t.TopicID] = *t.Topic
			}
		}
	case *kmsg.CreateTopicsResponse:
		for _, t := range r.Topics {
			if t.TopicID != [16]byte{} {
				p.topics[t.TopicID] = t.Topic
			}
		}
	}
}

func (p *Proxy) topic(id [16]byte) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.topics[id]
}

// Ledger returns all exchanges so far, in the order in which their requests arrived; those under way are Unknown.
func (p *Proxy) Ledger() []history.Exchange { return p.ledger.all() }

// Counts are the exchanges so far by API.
func (p *Proxy) Counts() map[string]int { return p.ledger.counts() }

// Mark says that a moment without a label has come: "start" or "rest".
func (p *Proxy) Mark(moment string) { p.places.mark(moment) }

// Seen is closed once the record with the label is known to be in its topic, or the moment was marked.
func (p *Proxy) Seen(label string) <-chan struct{} { return p.places.seen(label) }

// Where says where the first record with the label is; false when none was seen.
func (p *Proxy) Where(label string) (history.Position, bool) { return p.places.where(label) }

// Close disarms every step, resets all connections, closes all doors, and waits for what it started, within the context's
// limit. The ledger can still be read.
func (p *Proxy) Close(ctx context.Context) error {
	p.arms.disarm()
	p.mu.Lock()
	p.closed = true
	doors, conns := p.doors, p.conns
	p.doors = map[string]*door{}
	var open []*conn
	for _, c := range conns {
		open = append(open, c)
	}
	p.mu.Unlock()
	for _, d := range doors {
		d.close()
	}
	p.stop()
	for _, c := range open {
		c.end(rst)
		_ = c.up.Close() // it may be closed already
	}
	done := make(chan struct{})
	go func() { p.wg.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("proxy: close: goroutines are left: %w", ctx.Err())
	}
}
