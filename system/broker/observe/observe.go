// Package observe looks at a cluster from outside of the system under test: topics, records, offsets, groups. It talks to
// the brokers directly, never through the fault proxy, because a client that a fault hurt stays deaf for minutes and would
// be taken for the system's failure. It changes nothing but the offsets of a group, when asked, and judges nothing.
package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Limits of one look. A single question that a node does not answer within askLimit is asked again, until the caller's
// context ends; looking without a deadline is refused, so that no run waits for ever.
const (
	askLimit   = 5 * time.Second
	retryEvery = 20 * time.Millisecond
)

// Observer holds the one client that all looks at a cluster share. It is safe for concurrent use.
type Observer struct {
	client *kgo.Client
	unzip  kgo.Decompressor
}

// New connects to nothing yet; the first look does. Options beyond the addresses (SASL, TLS) are for clusters that need them.
func New(addrs []string, more ...kgo.Opt) (*Observer, error) {
	opts := append([]kgo.Opt{
		kgo.SeedBrokers(addrs...),
		kgo.ClientID("tahanuji-observer"),
		kgo.DisableClientMetrics(),
		kgo.MetadataMinAge(10 * time.Millisecond),
		kgo.RequestTimeoutOverhead(askLimit),
		kgo.RetryTimeout(askLimit),
		kgo.RetryBackoffFn(func(int) time.Duration { return retryEvery }),
		kgo.DialTimeout(askLimit),
	}, more...)
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("observe: %w", err)
	}
	return &Observer{client: client, unzip: kgo.DefaultDecompressor()}, nil
}

// Close ends the observer's connections.
func (o *Observer) Close() { o.client.Close() }

var errNoDeadline = errors.New("the context has no deadline")

// until asks again and again, until ask succeeds or the context ends. The error says what was last seen.
func until(ctx context.Context, what string, ask func(context.Context) error) error {
	if _, ok := ctx.Deadline(); !ok {
		return fmt.Errorf("observe: %s: %w", what, errNoDeadline)
	}
	t := time.NewTimer(0)
	defer t.Stop()
	<-t.C
	var last error
	for {
		if err := ask(ctx); err == nil {
			return nil
		} else if last == nil || ctx.Err() == nil {
			last = err
		}
		t.Reset(retryEvery)
		select {
		case <-ctx.Done():
			return fmt.Errorf("observe: %s: %w; last seen: %w", what, ctx.Err(), last)
		case <-t.C:
		}
	}
}

// bad turns an error code of the protocol into an error; nil for 0.
func bad(what string, code int16) error {
	if code == 0 {
		return nil
	}
	return fmt.Errorf("%s: %w", what, kerr.ErrorForCode(code))
}

// Topic of the live cluster, without Kafka's internal ones. Config holds what was set on the topic or is known of it by name.
type Topic struct {
	Name       string
	ID         [16]byte
	Partitions int
	Leaders    []int32 // by partition
	Config     map[string]string
}

// Topics of the cluster with their configuration, in the order of their names.
func (o *Observer) Topics(ctx context.Context) ([]Topic, error) {
	var topics []Topic
	err := until(ctx, "topics", func(ctx context.Context) (err error) {
		if topics, err = o.metadata(ctx, nil); err != nil {
			return err
		}
		return o.configs(ctx, topics)
	})
	return topics, err
}

func (o *Observer) metadata(ctx context.Context, names []string) ([]Topic, error) {
	req := kmsg.NewPtrMetadataRequest()
	for _, n := range names {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = kmsg.StringPtr(n)
		req.Topics = append(req.Topics, t)
	}
	resp, err := req.RequestWith(ctx, o.client)
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	var topics []Topic
	for _, t := range resp.Topics {
		if t.IsInternal || t.Topic == nil {
			continue
		}
		if err := bad("metadata of "+*t.Topic, t.ErrorCode); err != nil {
			return nil, err
		}
		topic := Topic{Name: *t.Topic, ID: t.TopicID, Partitions: len(t.Partitions), Leaders: make([]int32, len(t.Partitions)), Config: map[string]string{}}
		for _, p := range t.Partitions {
			if err := bad(fmt.Sprintf("metadata of %s/%d", topic.Name, p.Partition), p.ErrorCode); err != nil {
				return nil, err
			}
			if int(p.Partition) < len(topic.Leaders) {
				topic.Leaders[p.Partition] = p.Leader
			}
		}
		topics = append(topics, topic)
	}
	sortTopics(topics)
	return topics, nil
}

func (o *Observer) configs(ctx context.Context, topics []Topic) error {
	if len(topics) == 0 {
		return nil
	}
	req := kmsg.NewPtrDescribeConfigsRequest()
	at := map[string]map[string]string{}
	for _, t := range topics {
		r := kmsg.NewDescribeConfigsRequestResource()
		r.ResourceType, r.ResourceName = kmsg.ConfigResourceTypeTopic, t.Name
		req.Resources = append(req.Resources, r)
		at[t.Name] = t.Config
	}
	resp, err := req.RequestWith(ctx, o.client)
	if err != nil {
		return fmt.Errorf("configs: %w", err)
	}
	for _, r := range resp.Resources {
		if err := bad("configs of "+r.ResourceName, r.ErrorCode); err != nil {
			return err
		}
		for _, c := range r.Configs {
			if c.Value != nil && at[r.ResourceName] != nil {
				at[r.ResourceName][c.Name] = *c.Value
			}
		}
	}
	return nil
}

func sortTopics(topics []Topic) {
	slices.SortFunc(topics, func(a, b Topic) int { return cmp.Compare(a.Name, b.Name) })
}
