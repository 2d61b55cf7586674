package model

import (
	"tahanuji/reference/port"
	"tahanuji/system/history"
	"tahanuji/system/sim/cluster"
	"tahanuji/system/sim/virtual"
)

// fetchMost bounds the records of one Fetch's answer.
const fetchMost = 500

// cursor is what a member knows of a partition that it owns.
type cursor struct {
	part   *partition
	id     port.Partition
	next   int64 // offset to fetch
	polled int64 // one past the last record given to the role
	paused bool
	buffer []cluster.Record // fetched and not polled; the first has offset polled
}

// fetching is a Fetch request of one member to one node.
type fetching struct {
	c       *consumer
	session int
	x       *exchange
	parts   []*cursor
	got     [][]cluster.Record
	waits   bool
	timer   virtual.Timer
	done    bool
}

// fetch asks for more, one Fetch a node at a time, as soon as nothing is left to poll (franz-go does the same).
func (c *consumer) fetch() {
	p := c.p
	if p.dead || !c.stable || c.buffered > 0 {
		return
	}
	w := p.w
	for node := range w.nodes {
		if c.flying[node] {
			continue
		}
		var parts []*cursor
		for _, k := range c.order {
			if !k.paused && k.part.leader == int32(node) {
				parts = append(parts, k)
			}
		}
		if len(parts) == 0 {
			continue
		}
		c.flying[node] = true
		items := w.items(len(parts))
		for i, k := range parts {
			items[i] = history.Item{Topic: k.id.Topic, Partition: k.id.Partition, Offset: k.next}
		}
		f := &fetching{c: c, session: c.session, parts: parts}
		w.call(&exchange{from: p, api: apiFetch, node: int32(node), class: classFetch, generation: -1, items: items, body: f})
	}
}

func (f *fetching) apply(x *exchange) {
	f.x = x
	if x.isCopy {
		x.reply()
		return
	}
	if f.ready() {
		f.send()
		return
	}
	for _, k := range f.parts {
		k.part.waiting = append(k.part.waiting, f)
	}
	f.waits = true
	f.timer = x.w.loop.After(x.w.time.FetchWait, f.send)
}

// ready says whether there is anything to answer with.
func (f *fetching) ready() bool {
	for i, k := range f.parts {
		if f.x.items[i].Offset < int64(len(k.part.Records)) || k.part.leader != f.x.node {
			return true
		}
	}
	return false
}

// wake is called when a partition got records or a new leader. The answer takes all that came at this instant.
func (f *fetching) wake() {
	if f.waits && !f.done {
		f.send()
	}
}

func (f *fetching) send() {
	if f.done {
		return
	}
	f.done = true
	f.timer.Stop()
	x := f.x
	w := x.w
	f.got = make([][]cluster.Record, len(f.parts))
	left := fetchMost
	for i, k := range f.parts {
		k.part.forget(f)
		it := &x.items[i]
		if k.part.leader != x.node {
			it.Code = cluster.NotLeader
			continue
		}
		log := k.part.Records
		if it.Offset > int64(len(log)) {
			continue
		}
		some := log[it.Offset:min(int64(len(log)), it.Offset+int64(left))]
		left -= len(some)
		it.Records = len(some)
		f.got[i] = some
		if len(some) > 0 && (!w.cfg.NoLedger || len(w.plan.byAPI[apiFetch]) > 0) {
			it.Labels = w.labels(len(some))
			for j := range some {
				it.Labels[j] = some[j].Label
			}
		}
	}
	x.reply()
}

func (p *partition) forget(f *fetching) {
	for i, o := range p.waiting {
		if o == f {
			p.waiting[i] = p.waiting[len(p.waiting)-1]
			p.waiting[len(p.waiting)-1] = nil
			p.waiting = p.waiting[:len(p.waiting)-1]
			return
		}
	}
}

func (f *fetching) answer(x *exchange, lost bool) {
	c := f.c
	f.timer.Stop()
	f.done = true
	if c.session != f.session || !c.stable {
		return // the partitions are no longer this member's, or are again
	}
	c.flying[x.node] = false
	again := lost
	for i, k := range f.parts {
		it := &x.items[i]
		if lost || it.ToldCode != 0 {
			again = true
			continue
		}
		if k.paused || k.next != it.Offset || len(f.got) == 0 || len(f.got[i]) == 0 {
			continue
		}
		k.buffer = append(k.buffer, f.got[i]...)
		c.buffered += len(f.got[i])
		k.next += int64(len(f.got[i]))
	}
	if c.buffered > 0 {
		c.poller.Wake()
	}
	if again {
		c.p.later(c.p.w.time.Backoff, c.fetch)
		return
	}
	c.fetch()
}

// take gives at most most records to the role, partition by partition in order; the start goes round.
func (c *consumer) take(most int) []port.Record {
	if c.buffered == 0 {
		return nil
	}
	out := make([]port.Record, 0, min(most, c.buffered))
	for n := range c.order {
		k := c.order[(c.turn+n)%len(c.order)]
		for len(k.buffer) > 0 && len(out) < most {
			r := &k.buffer[0]
			out = append(out, port.Record{Topic: k.id.Topic, Partition: k.id.Partition, Offset: k.polled, Key: r.Key, Value: r.Value, Timestamp: r.At})
			c.p.receive(r.Label)
			k.polled++
			k.buffer = k.buffer[1:]
			c.buffered--
		}
	}
	c.turn++
	return out
}

// Pause implements port.Consumer: what was fetched and not polled is forgotten, as franz-go does.
func (c *consumer) Pause(ps ...port.Partition) {
	for _, id := range ps {
		if k := c.owned[id]; k != nil && !k.paused {
			k.paused = true
			c.buffered -= len(k.buffer)
			k.buffer, k.next = nil, k.polled
		}
	}
}

// Resume implements port.Consumer.
func (c *consumer) Resume(ps ...port.Partition) {
	for _, id := range ps {
		if k := c.owned[id]; k != nil {
			k.paused = false
		}
	}
	c.fetch()
}
