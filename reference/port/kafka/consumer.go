package kafka

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tahanuji/reference/port"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

type consumer struct {
	p  *Port
	cl *kgo.Client
	c  port.ConsumerConfig

	mu      sync.Mutex
	changes port.Batch // ownership that changed since the last poll
	owned   map[port.Partition]bool
}

// NewConsumer joins a group. Rebalances wait while the caller works on a batch, up to Timings.Rebalance.
func (p *Port) NewConsumer(_ context.Context, c port.ConsumerConfig) (port.Consumer, error) {
	if c.Max <= 0 {
		c.Max = 500
	}
	co := &consumer{p: p, c: c, owned: map[port.Partition]bool{}}
	t := p.c.Timings
	opts := []kgo.Opt{
		// Eager: all is given up before a member joins again. Cooperatively, a member that was thrown out joins under a new id
		// and generation before the caller hears of it, and what the caller commits then sets the new owners back.
		kgo.Balancers(kgo.StickyBalancer()),
		kgo.ConsumerGroup(c.Group), kgo.ConsumeTopics(c.Topics...), kgo.BlockRebalanceOnPoll(),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchMaxWait(t.FetchMaxWait),
		kgo.SessionTimeout(t.Session), kgo.RebalanceTimeout(t.Rebalance), kgo.HeartbeatInterval(t.Heartbeat),
		kgo.AdjustFetchOffsetsFn(co.assigned),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, ps map[string][]int32) { co.changed(&co.changes.Revoked, ps) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, ps map[string][]int32) { co.changed(&co.changes.Lost, ps) }),
	}
	if c.AutoCommit {
		opts = append(opts, kgo.GreedyAutoCommit(), kgo.AutoCommitInterval(t.AutoCommit))
	} else {
		opts = append(opts, kgo.DisableAutoCommit())
	}
	cl, err := p.client(opts...)
	if err != nil {
		return nil, err
	}
	co.cl = cl
	return co, nil
}

// assigned notes new partitions with what the group has committed, before they are fetched.
func (c *consumer) assigned(_ context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for topic, partitions := range offsets {
		for partition, o := range partitions {
			p := port.Partition{Topic: topic, Partition: partition}
			c.changes.Assigned = append(c.changes.Assigned, p)
			c.owned[p] = true
			if at := o.EpochOffset().Offset; at >= 0 {
				if c.changes.Committed == nil {
					c.changes.Committed = map[port.Partition]int64{}
				}
				c.changes.Committed[p] = at
			}
			if c.c.FromStart {
				partitions[partition] = kgo.NewOffset().AtStart().WithEpoch(-1)
			}
		}
	}
	return offsets, nil
}

func (c *consumer) changed(list *[]port.Partition, ps map[string][]int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for topic, partitions := range ps {
		for _, partition := range partitions {
			p := port.Partition{Topic: topic, Partition: partition}
			*list = append(*list, p)
			delete(c.owned, p)
		}
	}
}

// Poll lets rebalances happen, then waits for records.
func (c *consumer) Poll(ctx context.Context, limit time.Duration) (port.Batch, error) {
	if c.p.life.Err() != nil {
		return port.Batch{}, port.ErrGone
	}
	c.cl.AllowRebalance()
	waiting, cancel := c.p.both(ctx)
	defer cancel()
	waiting, stop := context.WithTimeout(waiting, max(limit, time.Millisecond))
	defer stop()
	fetches := c.cl.PollRecords(waiting, c.c.Max)
	if c.p.life.Err() != nil {
		// A poll that a kill met holds rebalances back, and the client, which is being closed, waits for one.
		c.cl.AllowRebalance()
		return port.Batch{}, port.ErrGone
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.changes
	c.changes = port.Batch{}
	fetches.EachRecord(func(r *kgo.Record) {
		// A record that was fetched before its partition was taken away may come out after it. Its next owner reads it; who
		// handled it here would commit an old offset in the next generation.
		if !c.owned[port.Partition{Topic: r.Topic, Partition: r.Partition}] {
			return
		}
		b.Records = append(b.Records, port.Record{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset,
			Key: r.Key, Value: r.Value, Timestamp: r.Timestamp})
	})
	if err := ctx.Err(); err != nil {
		return b, err
	}
	var failed error
	fetches.EachError(func(topic string, partition int32, err error) {
		if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) && failed == nil {
			failed = fmt.Errorf("kafka: fetch %s/%d: %w", topic, partition, err)
		}
	})
	return b, failed
}

// Commit commits for the member's generation; its outcome is open after Timings.Commit.
func (c *consumer) Commit(ctx context.Context, next map[port.Partition]int64) error {
	if c.p.life.Err() != nil {
		return port.ErrGone
	}
	ctx, cancel := c.p.both(ctx)
	defer cancel()
	ctx, stop := context.WithTimeout(ctx, c.p.c.Timings.Commit)
	defer stop()
	offsets := map[string]map[int32]kgo.EpochOffset{}
	for p, at := range next {
		if offsets[p.Topic] == nil {
			offsets[p.Topic] = map[int32]kgo.EpochOffset{}
		}
		offsets[p.Topic][p.Partition] = kgo.EpochOffset{Epoch: -1, Offset: at}
	}
	var failed error
	c.cl.CommitOffsetsSync(ctx, offsets, func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
		failed = answered(resp, err)
	})
	return c.p.gone(failed)
}

// answered finds the first error of a commit's answer.
func answered(resp *kmsg.OffsetCommitResponse, err error) error {
	if err == nil && resp != nil {
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				if code := kerr.ErrorForCode(p.ErrorCode); code != nil && err == nil {
					err = fmt.Errorf("%s/%d: %w", t.Topic, p.Partition, code)
				}
			}
		}
	}
	for _, lost := range []error{kerr.IllegalGeneration, kerr.UnknownMemberID, kerr.FencedInstanceID, kerr.RebalanceInProgress} {
		if errors.Is(err, lost) {
			return fmt.Errorf("kafka: commit: %w: %w", port.ErrLost, err)
		}
	}
	if err != nil {
		return fmt.Errorf("kafka: commit: %w", err)
	}
	return nil
}

func (c *consumer) Pause(ps ...port.Partition)  { c.cl.PauseFetchPartitions(byTopic(ps)) }
func (c *consumer) Resume(ps ...port.Partition) { c.cl.ResumeFetchPartitions(byTopic(ps)) }

func byTopic(ps []port.Partition) map[string][]int32 {
	out := map[string][]int32{}
	for _, p := range ps {
		out[p.Topic] = append(out[p.Topic], p.Partition)
	}
	return out
}

// Close leaves the group, within ctx.
func (c *consumer) Close(ctx context.Context) { c.p.close(ctx, c.cl) }
