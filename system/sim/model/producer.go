package model

import (
	"context"
	"fmt"
	"time"

	"tahanuji/reference/port"
	"tahanuji/system/history"
	"tahanuji/system/sim/cluster"
	"tahanuji/system/sim/virtual"
)

// producer is a client's producer: one batch in flight a partition, numbered when idempotent, sent again until it is
// answered with a code that no retry helps.
type producer struct {
	p     *Process
	cfg   port.ProducerConfig
	id    int64
	epoch int16
	lanes map[*partition]*lane
}

// lane is a producer's way to one partition.
type lane struct {
	producer *producer
	part     *partition
	node     int32 // where the client believes the leader to be
	queue    []*promise
	flying   []*promise
	records  []cluster.Record // of flying
	seq      int32            // of the first record of flying, or of the next batch
	busy     bool
}

type promise struct {
	p      *Process
	rec    cluster.Record
	done   bool
	ack    port.Ack
	err    error
	waiter *virtual.Task
}

func (p *Process) newProducer(c port.ProducerConfig) *producer {
	q := &producer{p: p, cfg: c, id: -1, epoch: -1, lanes: map[*partition]*lane{}}
	if c.Idempotent {
		p.w.lastPID++
		q.id, q.epoch = p.w.lastPID, 0
	}
	return q
}

// Send implements port.Producer.
func (q *producer) Send(ctx context.Context, r port.Record) port.Promise {
	p := q.p
	m := &promise{p: p}
	if p.dead {
		m.done, m.err = true, port.ErrGone
		return m
	}
	p.before(CallSend)
	w := p.w
	t := w.topics[r.Topic]
	if t == nil {
		m.done, m.err = true, fmt.Errorf("model: send to %s: %w", r.Topic, cluster.Failure(cluster.UnknownTopic))
		return m
	}
	at := r.Timestamp
	if at.IsZero() {
		at = w.clock()
	}
	m.rec = cluster.Record{Key: r.Key, Value: r.Value, At: at, Label: w.label(r.Topic, r.Value)}
	part := w.place(t, r.Key)
	l := q.lanes[part]
	if l == nil {
		l = &lane{producer: q, part: part, node: part.leader}
		q.lanes[part] = l
	}
	l.queue = append(l.queue, m)
	if q.cfg.Acks == 0 {
		m.settle(port.Ack{Partition: part.n, Offset: -1}, nil)
	}
	l.next()
	p.after(CallSend)
	return m
}

// next sends the lane's next batch if none is in flight.
func (l *lane) next() {
	if l.busy || len(l.flying) == 0 && len(l.queue) == 0 {
		return
	}
	l.busy = true
	if len(l.flying) == 0 {
		n := min(len(l.queue), 500)
		l.flying = append(l.flying[:0], l.queue[:n]...)
		l.queue = l.queue[n:]
		l.records = make([]cluster.Record, n)
		for i, m := range l.flying {
			l.records[i] = m.rec
		}
	}
	q := l.producer
	w := q.p.w
	labels := w.labels(len(l.records))
	for i := range l.records {
		labels[i] = l.records[i].Label
	}
	items := w.items(1)
	items[0] = history.Item{Topic: l.part.topic.name, Partition: l.part.n, Offset: -1, ToldOffset: -1, ProducerID: q.id, Epoch: q.epoch,
		FirstSeq: l.seq, Records: len(l.records), Labels: labels}
	if q.id < 0 {
		items[0].FirstSeq = -1
	}
	w.call(&exchange{from: q.p, api: apiProduce, node: l.node, class: classProduce, generation: -1, acks: int16(q.cfg.Acks), items: items,
		body: &producing{l, l.records, q.id, q.epoch, l.seq}})
}

// producing is a Produce request.
type producing struct {
	lane    *lane
	records []cluster.Record
	id      int64
	epoch   int16
	first   int32
}

func (b *producing) apply(x *exchange) {
	it := &x.items[0]
	if b.lane.part.leader != x.node {
		it.Code = cluster.NotLeader
	} else {
		it.Offset, it.Code = x.w.append(b.lane.part, b.records, b.id, b.epoch, b.first)
	}
	it.ToldOffset = it.Offset
	x.reply()
}

func (b *producing) answer(x *exchange, lost bool) {
	l := b.lane
	q := l.producer
	code := x.code()
	switch {
	case lost && q.cfg.Acks == 0:
		l.land(-1, nil)
	case lost, cluster.Retriable(code):
		l.retry()
	case code == cluster.OutOfOrder || code == cluster.UnknownPID || code == cluster.OldEpoch:
		// The numbering is lost: a new epoch, and the batch again (KIP-360). It may be in the log twice after that.
		q.renew()
		l.retry()
	case code == 0, code == cluster.DuplicateSeq:
		l.land(x.items[0].Offset, nil)
	default:
		err := fmt.Errorf("model: produce to %s/%d: %w", l.part.topic.name, l.part.n, cluster.Failure(code))
		l.land(-1, err)
		if q.id >= 0 {
			q.renew()
		}
	}
}

// renew takes the next epoch: every lane numbers from 0 again.
func (q *producer) renew() {
	q.epoch++
	for _, l := range q.lanes {
		l.seq = 0
	}
}

func (l *lane) retry() {
	q := l.producer
	q.p.later(q.p.w.time.Backoff, func() {
		l.busy, l.node = false, l.part.leader
		l.next()
	})
}

// land settles the batch in flight and goes on with the next.
func (l *lane) land(base int64, err error) {
	flying := l.flying
	l.flying, l.records = nil, nil
	for i, m := range flying {
		ack := port.Ack{Partition: l.part.n, Offset: base}
		if base >= 0 {
			ack.Offset += int64(i)
		}
		m.settle(ack, err)
	}
	if l.producer.id >= 0 {
		l.seq += int32(len(flying))
	}
	l.busy = false
	l.next()
}

func (m *promise) settle(ack port.Ack, err error) {
	if m.done {
		return
	}
	m.done, m.ack, m.err = true, ack, err
	m.waiter.Wake()
}

// Wait implements port.Promise.
func (m *promise) Wait(ctx context.Context, limit time.Duration) (port.Ack, error) {
	p := m.p
	if p.dead {
		return port.Ack{}, port.ErrGone
	}
	p.before(CallWait)
	end := p.w.loop.Now() + limit
	for !m.done && p.w.loop.Now() < end {
		if err := ctx.Err(); err != nil {
			return port.Ack{}, err
		}
		m.waiter = p.w.loop.Current()
		p.park(end)
	}
	p.after(CallWait)
	if !m.done {
		return port.Ack{}, port.ErrWaiting
	}
	return m.ack, m.err
}

// Close implements port.Producer: it waits for what is in flight.
func (q *producer) Close(ctx context.Context) {
	p := q.p
	end := p.w.loop.Now() + p.w.time.Request
	for !p.dead && p.w.loop.Now() < end && q.open() {
		p.park(min(end, p.w.loop.Now()+p.w.time.Backoff))
	}
}

func (q *producer) open() bool {
	for _, l := range q.lanes {
		if l.busy {
			return true
		}
	}
	return false
}
