package sensor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"tahanuji/reference/port"
)

// Summarizer is one member of the group that folds events into summaries. Its round is: poll, one store transaction that
// takes the events in and claims the summaries that are due, publish them and wait for the answers, mark them as published,
// commit. The store is shared by all members, so that state follows a partition to its next owner, and every step can be
// done twice by two members without harm.
type Summarizer struct {
	port  port.Port
	c     Config
	flaws Flaws
	hooks Hooks
	read  *reader
	write *writer

	store    port.Store
	consumer port.Consumer
	producer port.Producer

	next     map[port.Partition]int64 // handled and not yet committed
	held     map[port.Partition]int64 // committed by this member, of partitions that it owns
	renewAt  time.Time
	flying   map[string]*publication // sent and not yet answered, by row
	order    []*publication          // the same, in the order of sending
	sweepAt  time.Time
	added    int // ids since the last pruning
	pruneAt  int
	spoiling spoiling
}

// publication is one version of one summary on its way.
type publication struct {
	row     string
	version uint64
	record  port.Record
	until   int64 // milliseconds since 1970: the claim's end
	doubt   bool  // an earlier send of the window has had no answer
	promise port.Promise
	ack     port.Ack
}

// NewSummarizer checks the configuration. It opens nothing before Run.
func NewSummarizer(p port.Port, c Config, flaws Flaws) (*Summarizer, error) {
	c, err := c.checked()
	if err != nil {
		return nil, fmt.Errorf("summarizer: %w", err)
	}
	s := &Summarizer{port: p, c: c, flaws: flaws, next: map[port.Partition]int64{}, held: map[port.Partition]int64{}, flying: map[string]*publication{},
		pruneAt: pruneEvery, spoiling: newSpoiling()}
	if s.read, err = newReader(c); err != nil {
		return nil, fmt.Errorf("summarizer: events: %w", err)
	}
	if s.write, err = newWriter(c); err != nil {
		return nil, fmt.Errorf("summarizer: summaries: %w", err)
	}
	return s, nil
}

// Observe sets the hooks. It is called before Run.
func (s *Summarizer) Observe(h Hooks) { s.hooks = h }

// Run works until ctx ends (a clean stop: nil) or the role is gone (port.ErrGone).
func (s *Summarizer) Run(ctx context.Context) error {
	if err := s.open(ctx); err != nil {
		return err
	}
	defer func() { _ = s.store.Close() }() // what was committed stays; nothing else is to be saved
	var err error
	for err == nil {
		err = s.round(ctx)
		if err != nil && !ended(ctx, err) && !errors.Is(err, errPoison) {
			err = s.port.Sleep(ctx, s.c.Timing.Backoff)
		}
	}
	return s.stop(ctx, err)
}

func (s *Summarizer) open(ctx context.Context) (err error) {
	if s.store, err = s.port.OpenStore(ctx, !s.flaws.Has(StorePerMember)); err != nil {
		return fmt.Errorf("summarizer: open the store: %w", err)
	}
	if s.producer, err = s.port.NewProducer(ctx, s.c.SummarizerProducer); err != nil {
		return fmt.Errorf("summarizer: producer: %w", err)
	}
	s.consumer, err = s.port.NewConsumer(ctx, port.ConsumerConfig{Group: s.c.SummarizerGroup, Topics: []string{s.c.Events.Name},
		Max: maxPoll, AutoCommit: s.flaws.Has(AutoCommit)})
	if err != nil {
		return fmt.Errorf("summarizer: consumer: %w", err)
	}
	return nil
}

func (s *Summarizer) stop(ctx context.Context, err error) error {
	if errors.Is(err, port.ErrGone) {
		return err
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.c.Timing.Close)
	defer cancel()
	s.producer.Close(stopping)
	// What is stored and published is committed before the partitions are handed over.
	if ctx.Err() != nil && s.settle(stopping) == nil {
		_ = s.commit(stopping) // the next owner knows the events by their ids
	}
	s.consumer.Close(stopping)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// round is one turn. A round that fails has committed nothing that is not stored; what it polled is stored before the next
// poll, for the consumer would not give it again.
func (s *Summarizer) round(ctx context.Context) error {
	batch, polled := s.consumer.Poll(ctx, min(s.c.Timing.Poll, s.c.Timing.Sweep))
	s.handOver(batch)
	if polled != nil && ended(ctx, polled) {
		return polled
	}
	events := make([]event, 0, len(batch.Records))
	for _, r := range batch.Records {
		events = append(events, s.read.read(r))
	}
	if len(s.flaws) > 0 {
		var err error
		if events, err = s.spoil(ctx, batch, events); err != nil {
			return err
		}
	}
	now := s.port.Now()
	sweep := !now.Before(s.sweepAt)
	if len(events) > 0 || sweep {
		if sweep {
			s.sweepAt = now.Add(s.c.Timing.Sweep)
		}
		due, err := s.take(ctx, events, sweep)
		if err != nil {
			return err
		}
		for _, e := range events {
			s.next[port.Partition{Topic: e.at.Topic, Partition: e.at.Partition}] = e.at.Offset + 1
		}
		s.send(ctx, due)
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	if err := s.commit(ctx); err != nil {
		return err
	}
	if polled != nil {
		return fmt.Errorf("summarizer: poll: %w", polled) // what could be done without it is done
	}
	return nil
}

// handOver forgets what this member no longer owns: the next owner reads it again and knows it by its ids.
func (s *Summarizer) handOver(b port.Batch) {
	for _, ps := range [][]port.Partition{b.Revoked, b.Lost} {
		for _, p := range ps {
			delete(s.next, p)
			delete(s.held, p)
		}
	}
}

// take stores events and returns the publications that are due. It tries until it succeeds or the role ends.
func (s *Summarizer) take(ctx context.Context, events []event, sweep bool) ([]*publication, error) {
	ids, at := s.observed(events)
	if s.hooks.Storing != nil && len(ids) > 0 {
		s.hooks.Storing(ids, at)
	}
	for {
		u := s.newUnit()
		err := s.store.Update(ctx, func(tx port.Tx) error { return u.run(tx, events, sweep) })
		if err == nil {
			s.kept(u)
			if s.hooks.Stored != nil && len(ids) > 0 {
				s.hooks.Stored(ids, at)
			}
			return u.due, nil
		}
		if ended(ctx, err) {
			return nil, err
		}
		if err := s.port.Sleep(ctx, s.c.Timing.Backoff); err != nil {
			return nil, err
		}
	}
}

// observed is what hooks hear; nothing without hooks.
func (s *Summarizer) observed(events []event) (ids []string, at []Position) {
	if s.hooks.Storing == nil && s.hooks.Stored == nil {
		return nil, nil
	}
	for _, e := range events {
		if e.poison == "" && !e.skipped {
			ids, at = append(ids, e.id), append(at, e.at)
		}
	}
	return ids, at
}

func (s *Summarizer) commit(ctx context.Context) error {
	if len(s.flying) > 0 || s.flaws.Has(AutoCommit) || s.flaws.Has(CommitBeforeStore) {
		return nil
	}
	if len(s.next) == 0 {
		return s.renew(ctx)
	}
	return s.commitNow(ctx)
}

// renew commits once more what is committed. A commit that the network brought twice, the second time late, sets the group
// back within its generation, where no broker can tell; nothing new would ever correct it in a partition that has gone quiet.
func (s *Summarizer) renew(ctx context.Context) error {
	now := s.port.Now()
	if len(s.held) == 0 || now.Before(s.renewAt) {
		return nil
	}
	s.renewAt = now.Add(s.c.Timing.Renew)
	if err := s.consumer.Commit(ctx, s.held); err != nil && ended(ctx, err) {
		return err
	}
	return nil
}

// commitNow keeps what could not be committed for the next round; if the partitions are lost, the next poll says so.
func (s *Summarizer) commitNow(ctx context.Context) error {
	err := s.consumer.Commit(ctx, s.next)
	if err == nil {
		maps.Copy(s.held, s.next)
		s.renewAt = s.port.Now().Add(s.c.Timing.Renew)
		clear(s.next)
		return nil
	}
	if ended(ctx, err) {
		return err
	}
	return nil
}
