package broker

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"tahanuji/system/contract"
	"tahanuji/system/target"
)

// minSession lets members of a group ask for sessions far below Kafka's 6 s, so that a dead member is noticed within a
// short run. Sessions of 150 to 500 ms with heartbeats of a sixth of that work well on loopback; rebalances have no initial
// delay here (Kafka's group.initial.rebalance.delay.ms=0).
const minSession = 10 * time.Millisecond

// Embedded is franz-go's kfake in this process: real TCP on 127.0.0.1, nothing on disk, a few milliseconds a start. It keeps
// its data in memory, so that a node that went down comes back with it, and loses it when it is closed.
func Embedded() Backend {
	return Backend{
		Name: "embedded",
		Doc:  "franz-go's kfake in this process, on 127.0.0.1; needs nothing but Go",
		Lacks: map[contract.Feature]string{
			contract.NeedsReplication: "kfake keeps one copy of each partition in memory: leaders and coordinators move, but nothing is replicated, truncated or elected",
		},
		Limits: []Limit{
			{"node-down", "the nodes share their data, so a node that is down takes nothing with it, and the other nodes go on at once"},
			{"node-down", "coordinators are computed from the nodes that are up: when one goes down or comes back, those of other groups may move too"},
			{"node-down", "when the highest node was down once, CreateTopics, DeleteTopics and CreatePartitions are refused from then on (kfake elects no controller)"},
			{"node-down", "the last node that is up keeps its place in Metadata when it goes down"},
			{"coordinator-moved", "moving one coordinator rehashes all groups, so others may move with it"},
			{"retention", "old batches are removed once an hour, so no record ages away within a run"},
			{"produce", "producers are forgotten when the cluster is closed; while it lives they are kept for ever (producer.id.expiration.ms is not obeyed)"},
			{"unknown-api", "a request with an unknown API key ends the process: only the fault proxy, which lets none through, and the observers may connect"},
		},
		Missing: func() string { return "" },
		Start:   startEmbedded,
	}
}

type embedded struct {
	cluster *kfake.Cluster
	topics  []contract.Topic
	all     []int32

	mu     sync.Mutex
	gates  map[int32]*gate
	down   map[int32]*inner // the listener that was behind the gate; nil where kfake has let go of the node
	closed bool
}

var (
	_ Broker             = (*embedded)(nil)
	_ target.BrokerNodes = (*embedded)(nil)
)

func startEmbedded(ctx context.Context, c Config) (Broker, error) {
	if c.Nodes < 1 {
		return nil, fmt.Errorf("embedded: %d nodes asked for, at least 1 is needed", c.Nodes)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	e := &embedded{topics: c.Topics, gates: map[int32]*gate{}, down: map[int32]*inner{}}
	ports := make([]int, c.Nodes)
	for i := range c.Nodes {
		g, err := newGate(ctx)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("embedded: %w", err), e.closeGates())
		}
		id := int32(i)
		e.gates[id], e.all, ports[i] = g, append(e.all, id), g.port()
	}
	cluster, err := kfake.NewCluster(
		kfake.Ports(ports...),
		kfake.ListenFn(e.listen),
		kfake.GroupMinSessionTimeout(minSession),
		kfake.BrokerConfigs(map[string]string{
			"group.consumer.heartbeat.interval.ms": "100",
			"group.consumer.session.timeout.ms":    "1000",
			"group.share.heartbeat.interval.ms":    "100",
			"group.share.session.timeout.ms":       "1000",
		}),
	)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("embedded: start: %w", err), e.closeGates())
	}
	e.cluster = cluster
	if err := e.createTopics(); err != nil {
		_ = e.Close(ctx)
		return nil, err
	}
	return e, nil
}

// listen hands kfake the listener behind the gate that has the address's port.
func (e *embedded) listen(_, address string) (net.Listener, error) {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("embedded: listen on %s: %w", address, err)
	}
	for _, g := range e.gates {
		if strconv.Itoa(g.port()) == port {
			return g.listen(), nil
		}
	}
	return nil, fmt.Errorf("embedded: no node has port %s", port)
}

// createTopics makes the topics and spreads their leaders over the nodes, the same in every run.
func (e *embedded) createTopics() error {
	for n, t := range e.topics {
		if err := e.cluster.CreateTopic(t.Name, int32(t.Partitions), t.Config); err != nil {
			return fmt.Errorf("embedded: create topic %s: %w", t.Name, err)
		}
		for p := range int32(t.Partitions) {
			if err := e.cluster.MoveTopicPartition(t.Name, p, e.all[(n+int(p))%len(e.all)]); err != nil {
				return fmt.Errorf("embedded: place %s/%d: %w", t.Name, p, err)
			}
		}
	}
	return nil
}

// Addrs are the nodes' addresses, in the order of their ids, whether up or down.
func (e *embedded) Addrs() []string {
	addrs := make([]string, 0, len(e.all))
	for _, id := range e.all {
		addrs = append(addrs, e.gates[id].ln.Addr().String())
	}
	return addrs
}

// Nodes is never nil here.
func (e *embedded) Nodes() target.BrokerNodes { return e }

// IDs of all nodes, whether up or down.
func (e *embedded) IDs() []int32 { return slices.Clone(e.all) }

// Close ends the cluster; its data are gone. Closing twice is allowed.
func (e *embedded) Close(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	e.cluster.Close()
	return e.closeGates()
}

func (e *embedded) closeGates() error {
	var first error
	for _, g := range e.gates {
		if err := g.close(); err != nil && first == nil {
			first = fmt.Errorf("embedded: close: %w", err)
		}
	}
	return first
}
