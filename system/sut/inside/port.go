package inside

import (
	"context"
	"time"

	"tahanuji/reference/port"
)

// Port is a role's port with a gate before every call and after it.
type Port struct {
	port.Port
	Gate *Gate
}

var _ port.Port = (*Port)(nil)

// Now is the clock's time.
func (p *Port) Now() time.Time {
	p.Gate.Pass()
	return p.Port.Now()
}

// Sleep passes the gate twice.
func (p *Port) Sleep(ctx context.Context, d time.Duration) error {
	defer p.Gate.Pass()
	p.Gate.Pass()
	return p.Port.Sleep(ctx, d)
}

// NewSignal makes a signal whose waits are frozen.
func (p *Port) NewSignal() port.Signal { return &signal{p.Port.NewSignal(), p.Gate} }

// NewProducer makes a producer whose calls are frozen.
func (p *Port) NewProducer(ctx context.Context, c port.ProducerConfig) (port.Producer, error) {
	defer p.Gate.Pass()
	p.Gate.Pass()
	made, err := p.Port.NewProducer(ctx, c)
	if err != nil {
		return nil, err
	}
	return &producerGate{made, p.Gate}, nil
}

// NewConsumer makes a consumer whose calls are frozen.
func (p *Port) NewConsumer(ctx context.Context, c port.ConsumerConfig) (port.Consumer, error) {
	defer p.Gate.Pass()
	p.Gate.Pass()
	made, err := p.Port.NewConsumer(ctx, c)
	if err != nil {
		return nil, err
	}
	return &consumerGate{made, p.Gate}, nil
}

// OpenStore opens a store that can be frozen.
func (p *Port) OpenStore(ctx context.Context, shared bool) (port.Store, error) {
	defer p.Gate.Pass()
	p.Gate.Pass()
	s, err := p.Port.OpenStore(ctx, shared)
	if err != nil {
		return nil, err
	}
	return &storeGate{s, p.Gate}, nil
}

type signal struct {
	port.Signal
	gate *Gate
}

func (s *signal) Wait(ctx context.Context, limit time.Duration) error {
	defer s.gate.Pass()
	return s.Signal.Wait(ctx, limit)
}

type producerGate struct {
	port.Producer
	gate *Gate
}

func (p *producerGate) Send(ctx context.Context, r port.Record) port.Promise {
	p.gate.Pass()
	return &promise{p.Producer.Send(ctx, r), p.gate}
}

type promise struct {
	port.Promise
	gate *Gate
}

func (p *promise) Wait(ctx context.Context, limit time.Duration) (port.Ack, error) {
	defer p.gate.Pass()
	return p.Promise.Wait(ctx, limit)
}

type consumerGate struct {
	port.Consumer
	gate *Gate
}

func (c *consumerGate) Poll(ctx context.Context, limit time.Duration) (port.Batch, error) {
	defer c.gate.Pass()
	c.gate.Pass()
	return c.Consumer.Poll(ctx, limit)
}

func (c *consumerGate) Commit(ctx context.Context, next map[port.Partition]int64) error {
	defer c.gate.Pass()
	c.gate.Pass()
	return c.Consumer.Commit(ctx, next)
}

type storeGate struct {
	port.Store
	gate *Gate
}

// Update passes the gate outside of the transaction: a frozen member must not hold the store against the others. (A process that is
// stopped within its transaction would; that moment is not shown.)
func (s *storeGate) Update(ctx context.Context, fn func(port.Tx) error) error {
	defer s.gate.Pass()
	s.gate.Pass()
	return s.Store.Update(ctx, fn)
}
