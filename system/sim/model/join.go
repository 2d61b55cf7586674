package model

import (
	"fmt"

	"tahanuji/reference/port"
	"tahanuji/system/history"
	"tahanuji/system/sim/cluster"
)

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
			c.node = c.group.Node
			c.join()
		}
	})
}

// joining is a JoinGroup request.
type joining struct {
	c       *consumer
	session int
	got     cluster.Joined
}

func (b *joining) apply(x *exchange) {
	g := b.c.group
	if g.Node != x.node {
		x.items[0].Code = cluster.NotCoordinator
	}
	if g.Node != x.node || x.isCopy { // a copy's answer is nobody's
		x.reply()
		return
	}
	g.Join(x.member, b.c.cfg.Topics, func(j cluster.Joined) {
		b.got, x.items[0].Code = j, j.Code
		x.reply()
	})
}

func (b *joining) answer(x *exchange, lost bool) {
	c := b.c
	if c.session != b.session || c.closed {
		return
	}
	if code := x.code(); lost || code != 0 {
		if code == cluster.UnknownMember || code == cluster.OldGeneration {
			c.id = ""
		}
		c.rejoin(b.session)
		return
	}
	c.generation = b.got.Generation
	var plans map[string][]port.Partition
	if b.got.Leads {
		var topics []cluster.Topic
		for _, t := range c.p.w.topicOrder {
			topics = append(topics, cluster.Topic{Name: t, Partitions: c.p.w.topics[t].count()})
		}
		plans = cluster.Share(topics, b.got.Members)
	}
	c.request(apiSync, classGroup, c.p.w.items(1), &syncing{c: c, session: b.session, plans: plans})
}

// syncing is a SyncGroup request.
type syncing struct {
	c       *consumer
	session int
	plans   map[string][]port.Partition
	plan    []port.Partition
}

func (b *syncing) apply(x *exchange) {
	g := b.c.group
	if g.Node != x.node {
		x.items[0].Code = cluster.NotCoordinator
	}
	if g.Node != x.node || x.isCopy {
		x.reply()
		return
	}
	g.Sync(x.member, x.generation, b.plans, func(plan []port.Partition, code int16) {
		b.plan, x.items[0].Code = plan, code
		x.reply()
	})
}

func (b *syncing) answer(x *exchange, lost bool) {
	c := b.c
	if c.session != b.session || c.closed {
		return
	}
	if code := x.code(); lost || code != 0 {
		if code == cluster.UnknownMember {
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
		if b.c.group.Node != x.node {
			x.items[i].Code = cluster.NotCoordinator
			continue
		}
		if at, ok := b.c.group.Offsets[id]; ok {
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
				c.node = c.group.Node
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
