package broker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// changeLimit bounds one change of a cluster as the controller is told it, in milliseconds.
const changeLimit = 5000

// offsetsTopic is where groups are kept; the leader of its one partition coordinates them all.
const offsetsTopic = "__consumer_offsets"

// all is nil once a number of nodes is up, each of which says so itself: a controller may know of a node before it serves.
func (p *process) all(ctx context.Context, want int) error {
	for _, n := range p.nodes {
		if err := n.alive(); err != nil {
			continue // it is down
		}
		req := kmsg.NewPtrMetadataRequest()
		req.Topics = []kmsg.MetadataRequestTopic{}
		resp, err := p.at(ctx, n, req)
		if err != nil {
			return fmt.Errorf("node %d: %w", n.id, err)
		}
		if m := resp.(*kmsg.MetadataResponse); len(m.Brokers) != want || m.ControllerID < 0 {
			return fmt.Errorf("node %d knows %d of %d nodes and the controller %d", n.id, len(m.Brokers), want, m.ControllerID)
		}
	}
	return nil
}

// at asks one node by its address.
func (p *process) at(ctx context.Context, n *jvm, req kmsg.Request) (kmsg.Response, error) {
	one, err := kgo.NewClient(kgo.SeedBrokers(n.addr()), kgo.DisableClientMetrics(), kgo.RetryTimeout(askLimit), kgo.RequestRetries(0))
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	defer one.Close()
	resp, err := one.SeedBrokers()[0].Request(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("ask: %w", err)
	}
	return resp, nil
}

func (p *process) createTopics(ctx context.Context, c Config) error {
	if len(c.Topics) == 0 {
		return nil
	}
	req := kmsg.NewPtrCreateTopicsRequest()
	req.TimeoutMillis = changeLimit
	for _, t := range c.Topics {
		rt := kmsg.NewCreateTopicsRequestTopic()
		rt.Topic, rt.NumPartitions, rt.ReplicationFactor = t.Name, int32(t.Partitions), int16(min(3, c.Nodes))
		for k, v := range t.Config {
			rc := kmsg.NewCreateTopicsRequestTopicConfig()
			rc.Name, rc.Value = k, kmsg.StringPtr(v)
			rt.Configs = append(rt.Configs, rc)
		}
		req.Topics = append(req.Topics, rt)
	}
	resp, err := req.RequestWith(ctx, p.client)
	if err != nil {
		return fmt.Errorf("create topics: %w", err)
	}
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return fmt.Errorf("create topic %s: %w: %s", t.Topic, err, text(t.ErrorMessage))
		}
	}
	for _, t := range c.Topics { // a topic is made before its leaders serve it
		for part := range int32(t.Partitions) {
			if err := p.until(ctx, "create topic "+t.Name, func(ctx context.Context) error {
				_, err := p.leader(ctx, t.Name, part)
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Leader of a partition, as the cluster knows it now.
func (p *process) Leader(ctx context.Context, topic string, partition int32) (int32, error) {
	m, err := p.leader(ctx, topic, partition)
	if err != nil {
		return -1, fmt.Errorf("process: leader: %w", err)
	}
	return m.Leader, nil
}

func (p *process) leader(ctx context.Context, topic string, partition int32) (kmsg.MetadataResponseTopicPartition, error) {
	none := kmsg.MetadataResponseTopicPartition{}
	req := kmsg.NewPtrMetadataRequest()
	rt := kmsg.NewMetadataRequestTopic()
	rt.Topic = kmsg.StringPtr(topic)
	req.Topics = append(req.Topics, rt)
	resp, err := req.RequestWith(ctx, p.client)
	if err != nil {
		return none, fmt.Errorf("metadata of %s: %w", topic, err)
	}
	for _, t := range resp.Topics {
		if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
			return none, fmt.Errorf("metadata of %s: %w", topic, err)
		}
		for _, m := range t.Partitions {
			if m.Partition == partition && m.Leader >= 0 {
				return m, nil
			}
		}
	}
	return none, fmt.Errorf("%s/%d has no leader", topic, partition)
}

// Coordinator of a group. Asking makes the offsets' topic if nobody has used a group yet.
func (p *process) Coordinator(ctx context.Context, group string) (int32, error) {
	id := int32(-1)
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	err := p.until(ctx, "coordinator of "+group, func(ctx context.Context) error {
		req := kmsg.NewPtrFindCoordinatorRequest()
		req.CoordinatorKey, req.CoordinatorKeys = group, []string{group}
		resp, err := req.RequestWith(ctx, p.client)
		if err != nil {
			return fmt.Errorf("find coordinator: %w", err)
		}
		code := resp.ErrorCode
		id = resp.NodeID
		for _, c := range resp.Coordinators {
			id, code = c.NodeID, c.ErrorCode
		}
		return kerr.ErrorForCode(code)
	})
	if err != nil {
		return -1, fmt.Errorf("process: %w", err)
	}
	return id, nil
}

// Down is kill -9 of a node. It waits until another leads what the node led, where another can. A node that is down already
// stays so.
func (p *process) Down(ctx context.Context, id int32) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.node(id)
	if err != nil {
		return fmt.Errorf("process: down: %w", err)
	}
	if err := n.kill(); err != nil {
		return fmt.Errorf("process: down: %w", err)
	}
	up := p.up()
	if 2*up <= len(p.nodes) { // the controllers have no majority: the cluster stands until a node is back
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := p.until(ctx, "down", func(ctx context.Context) error { return p.all(ctx, up) }); err != nil {
		return fmt.Errorf("process: node %d: %w", id, err)
	}
	return nil
}

// Up starts a node again with its data, and waits until every node that is up knows of it.
func (p *process) Up(ctx context.Context, id int32) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.node(id)
	if err != nil {
		return fmt.Errorf("process: up: %w", err)
	}
	if err := n.start(); err != nil {
		return fmt.Errorf("process: up: %w", err)
	}
	up := p.up()
	if 2*up <= len(p.nodes) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	if err := p.until(ctx, "up", func(ctx context.Context) error { return p.all(ctx, up) }); err != nil {
		return fmt.Errorf("process: node %d: %w", id, err)
	}
	return nil
}

func (p *process) node(id int32) (*jvm, error) {
	if p.closed {
		return nil, errClosed
	}
	i := slices.IndexFunc(p.nodes, func(n *jvm) bool { return n.id == id })
	if i < 0 {
		return nil, fmt.Errorf("there is no node %d", id)
	}
	return p.nodes[i], nil
}

func (p *process) up() int {
	up := 0
	for _, n := range p.nodes {
		if n.alive() == nil {
			up++
		}
	}
	return up
}

var errDown = errors.New("the node is down")

// MoveLeader puts the next replica in sync at the head of the partition's replicas and has it elected.
func (p *process) MoveLeader(ctx context.Context, topic string, partition int32) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return fmt.Errorf("process: move leader: %w", errClosed)
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	was, err := p.leader(ctx, topic, partition)
	if err != nil {
		return fmt.Errorf("process: move leader: %w", err)
	}
	i := slices.IndexFunc(was.ISR, func(id int32) bool { return id != was.Leader })
	if i < 0 {
		return fmt.Errorf("process: move leader of %s/%d: node %d is the only replica in sync", topic, partition, was.Leader)
	}
	to := was.ISR[i]
	order := append([]int32{to}, slices.DeleteFunc(slices.Clone(was.Replicas), func(id int32) bool { return id == to })...)
	if err := p.reorder(ctx, topic, partition, order); err != nil {
		return fmt.Errorf("process: move leader of %s/%d: %w", topic, partition, err)
	}
	return p.until(ctx, fmt.Sprintf("process: move leader of %s/%d", topic, partition), func(ctx context.Context) error {
		if err := p.elect(ctx, topic, partition); err != nil {
			return err
		}
		is, err := p.leader(ctx, topic, partition)
		if err == nil && is.Leader != to {
			err = fmt.Errorf("the leader is %d and should be %d", is.Leader, to)
		}
		return err
	})
}

func (p *process) reorder(ctx context.Context, topic string, partition int32, replicas []int32) error {
	req := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	req.TimeoutMillis = changeLimit
	rt := kmsg.NewAlterPartitionAssignmentsRequestTopic()
	rt.Topic = topic
	rp := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
	rp.Partition, rp.Replicas = partition, replicas
	rt.Partitions = append(rt.Partitions, rp)
	req.Topics = append(req.Topics, rt)
	resp, err := req.RequestWith(ctx, p.client)
	if err != nil {
		return fmt.Errorf("reorder replicas: %w", err)
	}
	code := resp.ErrorCode
	for _, t := range resp.Topics {
		for _, q := range t.Partitions {
			code = cmp.Or(code, q.ErrorCode)
		}
	}
	return kerr.ErrorForCode(code)
}

func (p *process) elect(ctx context.Context, topic string, partition int32) error {
	req := kmsg.NewPtrElectLeadersRequest()
	req.TimeoutMillis = changeLimit // election type 0: the preferred replica
	rt := kmsg.NewElectLeadersRequestTopic()
	rt.Topic, rt.Partitions = topic, []int32{partition}
	req.Topics = append(req.Topics, rt)
	resp, err := req.RequestWith(ctx, p.client)
	if err != nil {
		return fmt.Errorf("elect: %w", err)
	}
	code := resp.ErrorCode
	for _, t := range resp.Topics {
		for _, q := range t.Partitions {
			if q.ErrorCode != kerr.ElectionNotNeeded.Code {
				code = cmp.Or(code, q.ErrorCode)
			}
		}
	}
	return kerr.ErrorForCode(code)
}

// MoveCoordinator moves the leader of the offsets' one partition: all groups move with it.
func (p *process) MoveCoordinator(ctx context.Context, group string) error {
	was, err := p.Coordinator(ctx, group)
	if err != nil {
		return err
	}
	if err := p.MoveLeader(ctx, offsetsTopic, 0); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	return p.until(ctx, "process: move coordinator of "+group, func(ctx context.Context) error {
		is, err := p.Coordinator(ctx, group)
		if err == nil && is == was {
			err = fmt.Errorf("it is still node %d", is)
		}
		return err
	})
}
