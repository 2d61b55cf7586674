package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"tahanuji/reference/port"
	"tahanuji/system/history"
	"tahanuji/system/sim/virtual"
)

// consumer is a client's membership of a group, with eager rebalances: it gives up all partitions before it joins again.
type consumer struct {
	p          *Process
	cfg        port.ConsumerConfig
	group      *group // nil: no group, all partitions from the start
	node       int32  // where the client believes the coordinator to be
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
	commits    int // retries of the commit under way
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
	k.node = k.group.node
	k.join()
	if c.AutoCommit {
		p.later(w.time.AutoCommit, k.autoCommit)
	}
	return k
}

func (t *topic) count() int {
	if t == nil {
		return 0
	}
	return len(t.parts)
}

// request sends a request of the member to its coordinator.
func (c *consumer) request(api string, cl class, items []history.Item, body request) {
	c.p.w.call(&exchange{from: c.p, api: api, node: c.node, class: cl, group: c.cfg.Group, member: c.id, generation: c.generation, items: items, body: body})
}

// join begins to join, with a new member id where there is none.
func (c *consumer) join() {
	if c.closed || c.p.dead {
		return
	}
	c.stable, c.revoking = false, false
	c.session++
	if c.id == "" {
		c.p.w.lastMember++
		c.id = fmt.Sprintf("%08x-%s-%d", c.p.w.rng.Uint32(), c.p.door, c.p.w.lastMember)
	}
	c.request(apiJoin, classGroup, c.p.w.items(1), &joining{c: c, session: c.session})
}

// rejoin joins again after a while.
func (c *consumer) rejoin(session int) {
	c.p.later(c.p.w.time.Backoff, func() {
		if c.session == session {
			c.node = c.group.node
			c.join()
		}
	})
}

// joining is a JoinGroup request.
type joining struct {
	c          *consumer
	session    int
	code       int16
	generation int32
	leads      bool
	members    []*member
	x          *exchange
}

func (b *joining) apply(x *exchange) {
	g := b.c.group
	if b.x == nil {
		b.x = x
	}
	if g.node != x.node {
		x.items[0].Code = codeNotCoordinator
		x.reply()
		return
	}
	if x.isCopy {
		x.reply() // its answer is nobody's
		return
	}
	g.join(x, b.c.id, b.c.cfg.Topics)
}

func (b *joining) told(g *group, code int16) {
	b.code, b.generation = code, g.generation
	b.x.items[0].Code = code
	b.leads = len(g.members) > 0 && g.members[0].id == b.c.id
	b.members = slices.Clone(g.members)
}

func (b *joining) answer(x *exchange, lost bool) {
	c := b.c
	if c.session != b.session || c.closed {
		return
	}
	if code := x.code(); lost || code != 0 {
		if code == codeUnknownMember || code == codeGeneration {
			c.id = ""
		}
		c.rejoin(b.session)
		return
	}
	c.generation = b.generation
	var plans map[string][]port.Partition
	if b.leads {
		plans = share(c.p.w, b.members)
	}
	c.request(apiSync, classGroup, c.p.w.items(1), &syncing{c: c, session: b.session, plans: plans})
}

// share assigns each topic's partitions in ranges, members in the order of their ids (Kafka's range assignor).
func share(w *world, members []*member) map[string][]port.Partition {
	slices.SortFunc(members, func(a, b *member) int { return cmp.Compare(a.id, b.id) })
	plans := make(map[string][]port.Partition, len(members))
	for _, m := range members {
		plans[m.id] = []port.Partition{}
	}
	for _, t := range w.topicOrder {
		var readers []string
		for _, m := range members {
			if slices.Contains(m.topics, t) {
				readers = append(readers, m.id)
			}
		}
		n := w.topics[t].count()
		for i, id := range readers {
			for part := i * n / len(readers); part < (i+1)*n/len(readers); part++ {
				plans[id] = append(plans[id], port.Partition{Topic: t, Partition: int32(part)})
			}
		}
	}
	return plans
}

// syncing is a SyncGroup request.
type syncing struct {
	c       *consumer
	session int
	plans   map[string][]port.Partition
	plan    []port.Partition
	x       *exchange
}

func (b *syncing) apply(x *exchange) {
	if x.isCopy {
		x.reply()
		return
	}
	b.x = x
	g := b.c.group
	if g.node != x.node {
		x.items[0].Code = codeNotCoordinator
		x.reply()
		return
	}
	g.sync(x, x.member, x.generation, b.plans)
}

func (b *syncing) told(plan []port.Partition, code int16) { b.plan, b.x.items[0].Code = plan, code }

func (b *syncing) answer(x *exchange, lost bool) {
	c := b.c
	if c.session != b.session || c.closed {
		return
	}
	if code := x.code(); lost || code != 0 {
		if code == codeUnknownMember {
			c.id = ""
		}
		c.rejoin(b.session)
		return
	}
	c.ask(b.session, b.plan)
}

// ask reads the committed offsets of what was assigned.
func (c *consumer) ask(session int, plan []port.Partition) {
	items := c.p.w.items(max(1, len(plan)))
	for i, id := range plan {
		items[i] = history.Item{Topic: id.Topic, Partition: id.Partition, Offset: -1}
	}
	c.request(apiOffsetFetch, classRest, items, &asking{c, session, plan})
}

// asking is an OffsetFetch request.
type asking struct {
	c       *consumer
	session int
	plan    []port.Partition
}

func (b *asking) apply(x *exchange) {
	for i, id := range b.plan {
		if b.c.group.node != x.node {
			x.items[i].Code = codeNotCoordinator
			continue
		}
		if at, ok := b.c.group.offsets[id]; ok {
			x.items[i].Offset = at
		}
	}
	x.reply()
}

func (b *asking) answer(x *exchange, lost bool) {
	c := b.c
	if c.session != b.session || c.closed {
		return
	}
	if code := x.code(); lost || code != 0 {
		c.p.later(c.p.w.time.Backoff, func() {
			if c.session == b.session && !c.closed {
				c.node = c.group.node
				c.ask(b.session, b.plan)
			}
		})
		return
	}
	committed := make(map[port.Partition]int64, len(b.plan))
	for i, id := range b.plan {
		if at := x.items[i].Offset; at >= 0 {
			committed[id] = at
		}
	}
	c.assign(b.plan, committed)
	c.beat(c.session)
}

// assign makes the member the owner of a plan.
func (c *consumer) assign(plan []port.Partition, committed map[port.Partition]int64) {
	for _, id := range plan {
		part := c.p.w.partition(id.Topic, id.Partition)
		if part == nil {
			continue
		}
		k := &cursor{part: part, id: id}
		if at, ok := committed[id]; ok && !c.cfg.FromStart {
			k.next = at
		}
		k.polled = k.next
		c.owned[id] = k
		c.order = append(c.order, k)
	}
	c.stable = true
	clear(c.flying)
	c.news.Assigned = append(c.news.Assigned, plan...)
	c.news.Committed = committed
	c.hasNews = true
	c.poller.Wake()
	c.fetch()
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
	if b.c.group.node != x.node {
		x.items[0].Code = codeNotCoordinator
	} else {
		x.items[0].Code = b.c.group.heartbeat(x.member, x.generation)
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
	case code == codeRebalance:
		c.revoking = true
		c.poller.Wake()
	case lost, retriable(code):
		c.node = c.group.node
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
		if c.losing == codeUnknownMember {
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
	b.c.group.remove(x.member)
	x.reply()
}

func (b *leaving) answer(*exchange, bool) {
	b.done = true
	b.task.Wake()
}
