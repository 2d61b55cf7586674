package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"tahanuji/reference/port"
	"tahanuji/system/history"
	"tahanuji/system/sim/cluster"
	"tahanuji/system/sim/virtual"
)

// consumer is a client's membership of a group, with eager rebalances: it gives up all partitions before it joins again.
type consumer struct {
	p          *Process
	cfg        port.ConsumerConfig
	group      *cluster.Group // nil: no group, all partitions from the start
	node       int32          // where the client believes the coordinator to be
	id         string
	generation int32
	session    int // counts assignments, so that answers of an older one are known
	stable     bool
	closed     bool
	revoking   bool  // the coordinator wants all to join again; done at the next Poll
	losing     int16 // the code that said that the member is out; dealt with at the next Poll
	owned      map[port.Partition]*cursor
	order      []*cursor
	flying     []bool // a Fetch to the node is on its way
	buffered   int
	turn       int
	poller     *virtual.Task
	news       port.Batch
	hasNews    bool
}

func (p *Process) newConsumer(c port.ConsumerConfig) *consumer {
	w := p.w
	k := &consumer{p: p, cfg: c, generation: -1, owned: map[port.Partition]*cursor{}, flying: make([]bool, len(w.nodes))}
	if k.cfg.Max <= 0 {
		k.cfg.Max = fetchMost
	}
	if c.Group == "" {
		var all []port.Partition
		for _, t := range c.Topics {
			for n := range w.topics[t].count() {
				all = append(all, port.Partition{Topic: t, Partition: int32(n)})
			}
		}
		k.assign(all, nil)
		return k
	}
	k.group = w.group(c.Group)
	k.node = k.group.Node
	k.join()
	if c.AutoCommit {
		p.later(w.time.AutoCommit, k.autoCommit)
	}
	return k
}

// request sends a request of the member to its coordinator.
func (c *consumer) request(api string, cl class, items []history.Item, body request) {
	c.p.w.call(&exchange{from: c.p, api: api, node: c.node, class: cl, group: c.cfg.Group, member: c.id, generation: c.generation, items: items, body: body})
}

// drop forgets what the member owns and returns it.
func (c *consumer) drop() []port.Partition {
	ps := make([]port.Partition, 0, len(c.order))
	for _, k := range c.order {
		ps = append(ps, k.id)
	}
	clear(c.owned)
	c.order, c.buffered, c.stable = nil, 0, false
	return ps
}

// beat sends the next heartbeat of the session.
func (c *consumer) beat(session int) {
	c.p.later(c.p.w.time.Heartbeat, func() {
		if c.session == session && !c.closed && c.stable {
			c.request(apiHeartbeat, classRest, c.p.w.items(1), &beating{c, session})
		}
	})
}

// beating is a Heartbeat request.
type beating struct {
	c       *consumer
	session int
}

func (b *beating) apply(x *exchange) {
	if b.c.group.Node != x.node {
		x.items[0].Code = cluster.NotCoordinator
	} else {
		x.items[0].Code = b.c.group.Heartbeat(x.member, x.generation)
	}
	x.reply()
}

func (b *beating) answer(x *exchange, lost bool) {
	c := b.c
	if c.session != b.session || c.closed {
		return
	}
	code := x.code()
	switch {
	case code == cluster.Rebalance:
		c.revoking = true
		c.poller.Wake()
	case lost, cluster.Retriable(code):
		c.node = c.group.Node
	case code != 0:
		c.lose(code)
		return
	}
	c.beat(b.session)
}

// lose is what the member does when it learns that it is out: it fetches no more, and commits under its old name, which the
// coordinator refuses. It joins anew at the next Poll, as a client does that holds rebalances back while its caller works.
func (c *consumer) lose(code int16) {
	c.losing, c.stable = code, false
	c.poller.Wake()
}

// turnOver does what waited for the caller to be done with its batch.
func (c *consumer) turnOver() {
	switch {
	case c.losing != 0:
		c.news.Lost = append(c.news.Lost, c.drop()...)
		if c.losing == cluster.UnknownMember {
			c.id = ""
		}
		c.losing, c.generation = 0, -1
	case c.revoking:
		c.news.Revoked = append(c.news.Revoked, c.drop()...)
	default:
		return
	}
	c.hasNews = true
	c.join()
}

// Poll implements port.Consumer.
func (c *consumer) Poll(ctx context.Context, limit time.Duration) (port.Batch, error) {
	p := c.p
	if p.dead {
		return port.Batch{}, port.ErrGone
	}
	p.before(CallPoll)
	end := p.w.loop.Now() + limit
	for {
		if err := ctx.Err(); err != nil {
			return port.Batch{}, err
		}
		c.turnOver()
		if c.hasNews || c.buffered > 0 || p.w.loop.Now() >= end || c.closed {
			break
		}
		c.poller = p.w.loop.Current()
		p.park(end)
		c.poller = nil
	}
	b := c.news
	c.news, c.hasNews = port.Batch{}, false
	b.Records = c.take(c.cfg.Max)
	c.fetch()
	p.after(CallPoll)
	return b, nil
}

// Close implements port.Consumer: it leaves the group.
func (c *consumer) Close(ctx context.Context) {
	p := c.p
	if p.dead || c.closed {
		return
	}
	c.drop()
	c.closed = true
	c.session++
	if c.group == nil {
		return
	}
	b := &leaving{c: c, task: p.w.loop.Current()}
	c.request(apiLeave, classGroup, p.w.items(1), b)
	for end := p.w.loop.Now() + p.w.time.Request; !b.done && p.w.loop.Now() < end; {
		p.park(end)
	}
}

// leaving is a LeaveGroup request.
type leaving struct {
	c    *consumer
	task *virtual.Task
	done bool
}

func (b *leaving) apply(x *exchange) {
	b.c.group.Remove(x.member)
	x.reply()
}

func (b *leaving) answer(*exchange, bool) {
	b.done = true
	b.task.Wake()
}

// commitTries is how often a client sends a commit again after retriable answers and broken connections.
const commitTries = 10

// Commit implements port.Consumer. Retriable codes and broken connections are tried again; what ends the membership is
// port.ErrLost.
func (c *consumer) Commit(ctx context.Context, next map[port.Partition]int64) error {
	p := c.p
	if p.dead {
		return port.ErrGone
	}
	p.before(CallCommit)
	if c.group == nil || len(next) == 0 {
		return nil
	}
	items := c.p.w.items(len(next))
	n := 0
	for id, at := range next {
		items[n] = history.Item{Topic: id.Topic, Partition: id.Partition, Offset: at}
		n++
	}
	slices.SortFunc(items, func(a, b history.Item) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	b := &committing{c: c, task: p.w.loop.Current()}
	for try := range commitTries {
		if err := b.once(ctx, items); err != nil {
			return err
		}
		if b.lost || cluster.Retriable(b.code) {
			if err := p.sleep(ctx, p.w.time.Backoff); err != nil {
				return err
			}
			c.node = c.group.Node
			items = slices.Clone(items)
			for i := range items {
				items[i].Code, items[i].ToldCode = 0, 0
			}
			continue
		}
		p.after(CallCommit)
		switch b.code {
		case 0:
			return nil
		case cluster.OldGeneration, cluster.UnknownMember, cluster.Rebalance:
			return fmt.Errorf("model: commit of %s, try %d: %w: %w", c.cfg.Group, try+1, port.ErrLost, cluster.Failure(b.code))
		}
		return fmt.Errorf("model: commit of %s: %w", c.cfg.Group, cluster.Failure(b.code))
	}
	return fmt.Errorf("model: commit of %s: no answer after %d tries, the last code was %d", c.cfg.Group, commitTries, b.code)
}

// committing is an OffsetCommit request; task waits for it, unless it is the client's own.
type committing struct {
	c    *consumer
	task *virtual.Task
	code int16
	lost bool
	done bool
}

// once sends the commit and waits for its answer.
func (b *committing) once(ctx context.Context, items []history.Item) error {
	p := b.c.p
	b.done = false
	b.c.request(apiCommit, classRest, items, b)
	for !b.done {
		if err := ctx.Err(); err != nil {
			return err
		}
		p.park(virtual.Never)
	}
	return nil
}

func (b *committing) apply(x *exchange) {
	g := b.c.group
	code := int16(0)
	if g.Node != x.node {
		code = cluster.NotCoordinator
	} else {
		code = g.MayCommit(x.member, x.generation)
	}
	for i := range x.items {
		it := &x.items[i]
		it.Code = code
		if code == 0 {
			g.Offsets[port.Partition{Topic: it.Topic, Partition: it.Partition}] = it.Offset
		}
	}
	x.reply()
}

func (b *committing) answer(x *exchange, lost bool) {
	b.done, b.lost, b.code = true, lost, 0
	if !lost {
		b.code = x.code()
	}
	b.task.Wake()
}

// autoCommit commits what was polled, whether it was handled or not, and goes on doing so.
func (c *consumer) autoCommit() {
	if c.closed || c.p.dead {
		return
	}
	if c.stable && len(c.order) > 0 {
		items := c.p.w.items(len(c.order))
		n := 0
		for _, k := range c.order {
			if k.polled > 0 && c.group.Offsets[k.id] != k.polled {
				items[n] = history.Item{Topic: k.id.Topic, Partition: k.id.Partition, Offset: k.polled}
				n++
			}
		}
		if n > 0 {
			c.request(apiCommit, classRest, items[:n:n], &committing{c: c})
		}
	}
	c.p.later(c.p.w.time.AutoCommit, c.autoCommit)
}
