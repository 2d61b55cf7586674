package kafka

import (
	"context"
	"fmt"
	"time"

	"tahanuji/reference/port"

	"github.com/twmb/franz-go/pkg/kgo"
)

// maxBuffered is how many records may wait to be sent; beyond it a send fails at once.
const maxBuffered = 200_000

type producer struct {
	p  *Port
	cl *kgo.Client
}

// NewProducer makes a producer that retries without end and sends at once.
func (p *Port) NewProducer(_ context.Context, c port.ProducerConfig) (port.Producer, error) {
	opts := []kgo.Opt{
		kgo.ProducerLinger(0), kgo.MaxBufferedRecords(maxBuffered), kgo.UnknownTopicRetries(-1),
		kgo.ProduceRequestTimeout(p.c.Timings.Request), kgo.ProducerBatchCompression(kgo.NoCompression()),
	}
	switch c.Acks {
	case -1:
		opts = append(opts, kgo.RequiredAcks(kgo.AllISRAcks()))
	case 1:
		opts = append(opts, kgo.RequiredAcks(kgo.LeaderAck()))
	case 0:
		opts = append(opts, kgo.RequiredAcks(kgo.NoAck()))
	default:
		return nil, fmt.Errorf("kafka: producer: acks %d: want -1, 1 or 0", c.Acks)
	}
	if !c.Idempotent {
		// One request in flight keeps the order that sequence numbers would keep.
		opts = append(opts, kgo.DisableIdempotentWrite(), kgo.MaxProduceRequestsInflightPerBroker(1))
	}
	cl, err := p.client(opts...)
	if err != nil {
		return nil, err
	}
	return &producer{p: p, cl: cl}, nil
}

// Send hands a record to the client. The record lives with the producer, not with ctx: a caller that goes away loses nothing.
func (pr *producer) Send(_ context.Context, r port.Record) port.Promise {
	s := &promise{p: pr.p, done: make(chan struct{})}
	record := &kgo.Record{Topic: r.Topic, Key: r.Key, Value: r.Value, Timestamp: r.Timestamp}
	pr.cl.TryProduce(pr.p.life, record, func(r *kgo.Record, err error) {
		s.ack, s.err = port.Ack{Partition: r.Partition, Offset: r.Offset}, err
		close(s.done)
	})
	return s
}

// Close waits for open answers until ctx ends.
func (pr *producer) Close(ctx context.Context) {
	flushing, cancel := pr.p.both(ctx)
	defer cancel()
	// What is not answered by now is the caller's to send again: its promise says so.
	_ = pr.cl.Flush(flushing)
	pr.p.close(ctx, pr.cl)
}

type promise struct {
	p    *Port
	done chan struct{}
	ack  port.Ack
	err  error
}

func (s *promise) Wait(ctx context.Context, limit time.Duration) (port.Ack, error) {
	if err := s.p.await(ctx, s.done, limit); err != nil {
		return port.Ack{}, err
	}
	if s.err != nil {
		return port.Ack{}, s.p.gone(fmt.Errorf("kafka: produce: %w", s.err))
	}
	return s.ack, nil
}
