package model

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tahanuji/reference/port"
	"tahanuji/system/history"
	"tahanuji/system/sim/virtual"
)

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
		if b.lost || retriable(b.code) {
			if err := p.sleep(ctx, p.w.time.Backoff); err != nil {
				return err
			}
			c.node = c.group.node
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
		case codeGeneration, codeUnknownMember, codeRebalance:
			return fmt.Errorf("model: commit of %s, try %d: %w: %w", c.cfg.Group, try+1, port.ErrLost, failure(b.code))
		}
		return fmt.Errorf("model: commit of %s: %w", c.cfg.Group, failure(b.code))
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
	if g.node != x.node {
		code = codeNotCoordinator
	} else {
		code = g.mayCommit(x.member, x.generation)
	}
	for i := range x.items {
		it := &x.items[i]
		it.Code = code
		if code == 0 {
			g.offsets[port.Partition{Topic: it.Topic, Partition: it.Partition}] = it.Offset
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
			if k.polled > 0 && c.group.offsets[k.id] != k.polled {
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
