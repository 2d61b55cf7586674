package broker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tahanuji/system/target"
)

// Limits of the process backend's waits. A start on two busy cores has taken 10 s for three nodes.
const (
	startLimit = 90 * time.Second
	askLimit   = 5 * time.Second
	lookEvery  = 50 * time.Millisecond
)

// Process is Apache Kafka (KRaft) as JVM processes on 127.0.0.1: kill -9, real replication, share groups, no Docker. Home is
// an unpacked Kafka, or any folder with its jars in libs; "" is the folder that `make kafka` fills.
func Process(home string) Backend {
	if home == "" {
		home = cached()
	}
	return Backend{
		Name: "process", Real: true, Beside: 1,
		Doc: "Apache Kafka (KRaft) as processes on 127.0.0.1; needs a JRE of 17 or later and Kafka's jars",
		Limits: []Limit{
			{"replication", "with one node nothing is replicated, and a node that is down takes everything with it until it is back"},
			{"coordinator-moved", "the offsets have one partition, so all groups have one coordinator and move together"},
			{"coordinator-moved", "a new coordinator shows a group's last commits only once its log's high watermark has passed them, so that it may answer with none for an instant"},
			{"retention", "old segments are removed every five minutes, so no record ages away within a run"},
		},
		Missing: func() string { return missingKafka(home) },
		Start:   func(ctx context.Context, c Config) (Broker, error) { return startProcess(ctx, home, c) },
	}
}

func cached() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "kafka" // a machine without a home: the message of Missing then names this folder
	}
	return filepath.Join(dir, "tahanuji", "kafka")
}

func missingKafka(home string) string {
	if _, err := exec.LookPath("java"); err != nil {
		return "there is no java in the PATH: install a JRE of 17 or later"
	}
	if jars, err := filepath.Glob(filepath.Join(home, "libs", "kafka_2.13-*.jar")); err != nil || len(jars) == 0 {
		return fmt.Sprintf("Kafka's jars are not in %s: run `make kafka`, or name an unpacked Kafka", filepath.Join(home, "libs"))
	}
	return ""
}

// process is a cluster of JVMs.
type process struct {
	dir    string
	client *kgo.Client

	mu     sync.Mutex // one change of the cluster at a time
	nodes  []*jvm
	closed bool
}

var (
	_ Broker             = (*process)(nil)
	_ target.BrokerNodes = (*process)(nil)
)

func startProcess(ctx context.Context, home string, c Config) (Broker, error) {
	if c.Nodes < 1 {
		return nil, fmt.Errorf("process: %d nodes asked for, at least 1 is needed", c.Nodes)
	}
	if why := missingKafka(home); why != "" {
		return nil, fmt.Errorf("process: %s", why)
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	dir, err := os.MkdirTemp(c.Dir, "kafka")
	if err != nil {
		return nil, fmt.Errorf("process: %w", err)
	}
	p := &process{dir: dir}
	if err := p.start(ctx, home, c); err != nil {
		return nil, fmt.Errorf("process: %w", errors.Join(err, p.Close(ctx)))
	}
	return p, nil
}

func (p *process) start(ctx context.Context, home string, c Config) error {
	var err error
	if p.nodes, err = layOut(ctx, p.dir, home, c.Nodes); err != nil {
		return err
	}
	if err := format(ctx, p.nodes); err != nil {
		return err
	}
	for _, n := range p.nodes {
		if err := n.start(); err != nil {
			return err
		}
	}
	p.client, err = kgo.NewClient(
		kgo.SeedBrokers(p.Addrs()...), kgo.ClientID("tahanuji-broker"), kgo.DisableClientMetrics(),
		kgo.RequestTimeoutOverhead(askLimit), kgo.RetryTimeout(askLimit), kgo.MetadataMinAge(lookEvery),
		kgo.RetryBackoffFn(func(int) time.Duration { return lookEvery }),
	)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	if err := p.until(ctx, "start", func(ctx context.Context) error { return p.all(ctx, len(p.nodes)) }); err != nil {
		return err
	}
	return p.createTopics(ctx, c)
}

// Addrs are the nodes' addresses, in the order of their ids, whether up or down.
func (p *process) Addrs() []string {
	var addrs []string
	for _, n := range p.nodes {
		addrs = append(addrs, n.addr())
	}
	return addrs
}

// Nodes is never nil here.
func (p *process) Nodes() target.BrokerNodes { return p }

// IDs of all nodes, whether up or down.
func (p *process) IDs() []int32 {
	var ids []int32
	for _, n := range p.nodes {
		ids = append(ids, n.id)
	}
	return ids
}

// Close kills the nodes and removes their files. Closing twice is allowed.
func (p *process) Close(context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil
	}
	p.closed = true
	if p.client != nil {
		p.client.Close()
	}
	var errs []error
	for _, n := range p.nodes {
		errs = append(errs, n.kill())
	}
	errs = append(errs, os.RemoveAll(p.dir))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("process: close: %w", err)
	}
	return nil
}

// until asks again and again, until ask succeeds or the context ends.
func (p *process) until(ctx context.Context, what string, ask func(context.Context) error) error {
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	for {
		short, cancel := context.WithTimeout(ctx, askLimit)
		err := ask(short)
		cancel()
		if err == nil {
			return nil
		}
		if dead := p.dead(); dead != nil {
			return fmt.Errorf("%s: %w; last seen: %w", what, dead, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w; last seen: %w", what, ctx.Err(), err)
		case <-t.C:
		}
	}
}

// dead says whether a node that should run has ended by itself, with the end of what it wrote.
func (p *process) dead() error {
	for _, n := range p.nodes {
		if err := n.ended(); err != nil {
			return err
		}
	}
	return nil
}
