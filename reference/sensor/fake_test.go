package sensor

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"testing"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/port/memory"
)

// fake is a broker, its groups, the stores and the clock, for roles that a test drives step by step.
type fake struct {
	now       time.Time
	logs      map[string][][]port.Record // topic -> partition -> records
	config    map[string]string          // of topics, "topic name" -> value
	committed map[string]map[port.Partition]int64
	rewound   []string // commits that went back
	network   []port.Record
	acks      []port.ProducerConfig
	members   map[string][]*fakeConsumer
	stores    map[string]*memory.Store
}

func newFake(c Config) *fake {
	return &fake{now: start, stores: map[string]*memory.Store{}, members: map[string][]*fakeConsumer{}, config: map[string]string{},
		committed: map[string]map[port.Partition]int64{},
		logs:      map[string][][]port.Record{c.Events.Name: make([][]port.Record, 3), c.Summaries.Name: make([][]port.Record, 1)}}
}

var start = time.Date(2026, 11, 7, 8, 0, 0, 0, time.UTC)

// port is the port of a role instance. dieAt names the call at which it dies ("send", "commit", "update"), before it has an
// effect or after; dieAfter calls of it are survived.
func (f *fake) port(role string, instance int) *fakePort {
	return &fakePort{f: f, role: role, n: instance}
}

type fakePort struct {
	f        *fake
	role     string
	n        int
	gone     bool
	dieAt    string
	before   bool
	dieAfter int
	deaf     bool // sends reach nobody and are not answered
	gives    int  // sends that the client gives up, and nobody gets
	failing  int  // transactions that fail
	held     bool // what it sends as it dies is on the network until arrive
}

// meet is called at each call of the port; it says whether the call has an effect and whether the role lives on.
func (p *fakePort) meet(call string) (effect, lives bool) {
	if p.gone {
		return false, false
	}
	if p.dieAt != call {
		return true, true
	}
	if p.dieAfter--; p.dieAfter >= 0 {
		return true, true
	}
	p.gone = true
	return !p.before, false
}

func (p *fakePort) Now() time.Time { return p.f.now }
func (p *fakePort) Instance() int  { return p.n }

func (p *fakePort) Sleep(ctx context.Context, d time.Duration) error {
	p.f.now = p.f.now.Add(d)
	if p.gone {
		return port.ErrGone
	}
	return ctx.Err()
}

type fakeSignal struct{ raised bool }

func (p *fakePort) NewSignal() port.Signal { return &fakeSignal{} }
func (s *fakeSignal) Raise()               { s.raised = true }
func (s *fakeSignal) Wait(context.Context, time.Duration) error {
	if s.raised {
		return nil
	}
	return port.ErrWaiting
}

func (p *fakePort) CreateTopic(_ context.Context, name string, n int32) error {
	p.f.logs[name] = make([][]port.Record, n)
	return nil
}

func (p *fakePort) AlterTopic(_ context.Context, name string, c port.TopicChange) error {
	for key, value := range c.Config {
		p.f.config[name+" "+key] = value
	}
	if c.Partitions < 0 {
		p.f.logs[name] = append(p.f.logs[name], nil)
	}
	return nil
}

func (p *fakePort) OpenStore(_ context.Context, shared bool) (port.Store, error) {
	name := p.role
	if !shared {
		name = fmt.Sprint(p.role, p.n)
	}
	if p.f.stores[name] == nil {
		p.f.stores[name] = memory.New()
	}
	return fakeStore{p, p.f.stores[name]}, nil
}

type fakeStore struct {
	p *fakePort
	s *memory.Store
}

var errFull = errors.New("no space left")

func (s fakeStore) Update(ctx context.Context, fn func(port.Tx) error) error {
	effect, lives := s.p.meet("update")
	if s.p.failing > 0 && effect {
		s.p.failing--
		return errFull
	}
	if effect {
		if err := s.s.Update(ctx, fn); err != nil {
			return err
		}
	}
	if !lives {
		return port.ErrGone
	}
	return nil
}

func (s fakeStore) Close() error { return nil }

type fakeProducer struct{ p *fakePort }

func (p *fakePort) NewProducer(_ context.Context, c port.ProducerConfig) (port.Producer, error) {
	p.f.acks = append(p.f.acks, c)
	return fakeProducer{p}, nil
}

type fakePromise struct {
	ack port.Ack
	err error
}

func (pr fakePromise) Wait(context.Context, time.Duration) (port.Ack, error) { return pr.ack, pr.err }
func (fakeProducer) Close(context.Context)                                   {}

func (pr fakeProducer) Send(_ context.Context, r port.Record) port.Promise {
	effect, lives := pr.p.meet("send")
	out := fakePromise{err: port.ErrGone}
	if pr.p.gives > 0 && lives {
		pr.p.gives--
		return fakePromise{err: errors.New("given up")}
	}
	if pr.p.deaf && effect {
		return fakePromise{err: port.ErrWaiting}
	}
	if effect {
		out.ack = pr.p.f.append(r)
	} else if pr.p.held && !lives {
		pr.p.f.network = append(pr.p.f.network, r)
		pr.p.held = false
	}
	if lives {
		out.err = nil
	}
	return out
}

func (f *fake) append(r port.Record) port.Ack {
	partitions := f.logs[r.Topic]
	h := fnv.New32a()
	h.Write(r.Key)
	at := int32(h.Sum32() % uint32(len(partitions)))
	if r.Key == nil {
		at = int32(len(partitions[0])+len(partitions[len(partitions)-1])) % int32(len(partitions))
	}
	r.Partition, r.Offset, r.Timestamp = at, int64(len(partitions[at])), f.now
	partitions[at] = append(partitions[at], r)
	return port.Ack{Partition: at, Offset: r.Offset}
}

// arrive lets through what the network held.
func (f *fake) arrive() {
	for _, r := range f.network {
		f.append(r)
	}
	f.network = nil
}

type fakeConsumer struct {
	p      *fakePort
	c      port.ConsumerConfig
	owned  []port.Partition
	next   port.Batch // changes to tell at the next poll
	at     map[port.Partition]int64
	paused map[port.Partition]bool
	// evicted: the group has given its partitions away, and it does not know.
	evicted bool
}

// evict throws a member out that was silent for too long.
func (f *fake) evict(group string, p *fakePort) {
	for _, c := range f.members[group] {
		c.evicted = c.evicted || c.p == p
	}
	f.rebalance(group)
}

func (p *fakePort) NewConsumer(_ context.Context, c port.ConsumerConfig) (port.Consumer, error) {
	co := &fakeConsumer{p: p, c: c, at: map[port.Partition]int64{}, paused: map[port.Partition]bool{}}
	p.f.members[c.Group] = append(p.f.members[c.Group], co)
	p.f.rebalance(c.Group)
	return co, nil
}

// rebalance deals the partitions out anew, after those who died have left.
func (f *fake) rebalance(group string) {
	members := slices.DeleteFunc(f.members[group], func(c *fakeConsumer) bool { return c.p.gone || c.evicted })
	f.members[group] = members
	if f.committed[group] == nil {
		f.committed[group] = map[port.Partition]int64{}
	}
	for _, c := range members {
		c.next.Revoked, c.owned = append(c.next.Revoked, c.owned...), nil
	}
	turn := 0
	for _, topic := range slices.Sorted(maps.Keys(f.logs)) {
		readers := slices.DeleteFunc(slices.Clone(members), func(c *fakeConsumer) bool { return !slices.Contains(c.c.Topics, topic) })
		for i := range f.logs[topic] {
			if len(readers) > 0 {
				c := readers[turn%len(readers)]
				c.owned = append(c.owned, port.Partition{Topic: topic, Partition: int32(i)})
				turn++
			}
		}
	}
	for _, c := range members {
		c.next.Assigned, c.next.Committed = slices.Clone(c.owned), map[port.Partition]int64{}
		clear(c.paused)
		for _, p := range c.owned {
			if at, ok := f.committed[group][p]; ok {
				c.next.Committed[p] = at
			}
			c.at[p] = f.committed[group][p]
			if c.c.FromStart {
				c.at[p] = 0
			}
		}
	}
}

func (c *fakeConsumer) Poll(_ context.Context, limit time.Duration) (port.Batch, error) {
	if c.p.gone {
		return port.Batch{}, port.ErrGone
	}
	if c.evicted { // it hears of it, and joins again
		c.evicted = false
		c.next = port.Batch{Lost: c.owned}
		c.owned = nil
		c.p.f.members[c.c.Group] = append(c.p.f.members[c.c.Group], c)
		c.p.f.rebalance(c.c.Group)
	}
	b := c.next
	c.next = port.Batch{}
	for _, p := range c.owned {
		for !c.paused[p] && c.at[p] < int64(len(c.p.f.logs[p.Topic][p.Partition])) && len(b.Records) < c.c.Max {
			b.Records = append(b.Records, c.p.f.logs[p.Topic][p.Partition][c.at[p]])
			c.at[p]++
		}
		if c.c.AutoCommit {
			c.p.f.committed[c.c.Group][p] = c.at[p]
		}
	}
	if len(b.Records) == 0 {
		c.p.f.now = c.p.f.now.Add(limit)
	}
	return b, nil
}

func (c *fakeConsumer) Commit(_ context.Context, next map[port.Partition]int64) error {
	effect, lives := c.p.meet("commit")
	if c.evicted {
		return port.ErrLost
	}
	if effect {
		had := c.p.f.committed[c.c.Group]
		for p, at := range next {
			if at < had[p] {
				c.p.f.rewound = append(c.p.f.rewound, fmt.Sprintf("%s %v from %d to %d", c.c.Group, p, had[p], at))
			}
			had[p] = at
		}
	}
	if !lives {
		return port.ErrGone
	}
	return nil
}

func (c *fakeConsumer) Pause(ps ...port.Partition) {
	for _, p := range ps {
		c.paused[p] = true
	}
}

func (c *fakeConsumer) Resume(ps ...port.Partition) {
	for _, p := range ps {
		delete(c.paused, p)
	}
}

func (c *fakeConsumer) Close(context.Context) {
	c.p.gone = true
	c.p.f.rebalance(c.c.Group)
}

// reading is a valid event of the sensor system.
func reading(n, device int, at time.Time, value string) []byte {
	return fmt.Appendf(nil, `{"event_id":"00000000-0000-4000-8000-%012x","event_type":"sensor.suhu.terbaca","occurred_at":%q,`+
		`"data":{"id_perangkat":"sensor-%02d","lantai":3,"suhu_c":%s}}`, n, at.Format(time.RFC3339), device, value)
}

// rounds drives a member until it had idle rounds without a record, or it ends.
func (s *Summarizer) rounds(t testing.TB, n int) error {
	t.Helper()
	for range n {
		if err := s.round(context.Background()); err != nil {
			return err
		}
	}
	return nil
}
