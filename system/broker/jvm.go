package broker

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// tail is how much of a node's output an error shows, in bytes.
const tail = 800

// guard runs a command until it ends, or until standard input does: no JVM outlives whoever started it, not even by kill -9.
const guard = `exec 3<&0; "$@" 3<&- </dev/null & p=$!; { cat <&3 >/dev/null; kill -9 $p; } 2>/dev/null & exec 3<&-; wait $p`

// jvm is one node: a process group of its own.
type jvm struct {
	id               int32
	dir, home        string
	port, controller int
	config           string

	mu   sync.Mutex
	cmd  *exec.Cmd     // nil: not running
	hold *os.File      // the guard's standard input
	done chan struct{} // closed when the guard has ended
}

func (n *jvm) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(n.port)) }

// java is a command of the node's Kafka. Small and quick to start: 210 MB and 1.2 s a node.
func (n *jvm) java(ctx context.Context, class string, args ...string) *exec.Cmd {
	all := append([]string{
		"-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.awt.headless=true",
		"-cp", filepath.Join(n.home, "libs", "*"), class,
	}, args...)
	cmd := exec.CommandContext(ctx, "java", all...)
	cmd.Dir = n.dir
	return cmd
}

// layOut draws ports and writes each node's configuration.
func layOut(ctx context.Context, dir, home string, count int) ([]*jvm, error) {
	ports, err := freePorts(ctx, 2*count)
	if err != nil {
		return nil, err
	}
	var nodes []*jvm
	var voters []string
	for i := range count {
		n := &jvm{id: int32(i), home: home, dir: filepath.Join(dir, "node-"+strconv.Itoa(i)), port: ports[2*i], controller: ports[2*i+1]}
		n.config = filepath.Join(n.dir, "server.properties")
		nodes = append(nodes, n)
		voters = append(voters, fmt.Sprintf("%d@127.0.0.1:%d", n.id, n.controller))
	}
	for _, n := range nodes {
		if err := os.MkdirAll(n.dir, 0o755); err != nil {
			return nil, fmt.Errorf("node %d: %w", n.id, err)
		}
		if err := os.WriteFile(n.config, []byte(n.properties(count, strings.Join(voters, ","))), 0o600); err != nil {
			return nil, fmt.Errorf("node %d: %w", n.id, err)
		}
	}
	return nodes, nil
}

// freePorts draws ports below the range from which kernels take those of outgoing connections (32768 and up, RFC 6056): a JVM
// takes seconds until it listens, and a node that was killed wants its port again. They are drawn at random, so that clusters
// of two processes rarely want the same; where they do, the node ends and the start says so.
func freePorts(ctx context.Context, count int) ([]int, error) {
	const low, span, draws = 20000, 12000, 500
	var ports []int
	for range draws {
		if len(ports) == count {
			return ports, nil
		}
		n, err := rand.Int(rand.Reader, big.NewInt(span))
		if err != nil {
			return nil, fmt.Errorf("ports: %w", err)
		}
		port := low + int(n.Int64())
		ln, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue // somebody has it
		}
		defer func() { _ = ln.Close() }() // all are held until all are drawn
		ports = append(ports, port)
	}
	return nil, fmt.Errorf("ports: only %d of %d were free in %d draws", len(ports), count, draws)
}

// properties are the node's configuration: everything on loopback, no delays that only large clusters need, failover within
// seconds, and sessions as short as a client asks for. The log's folder is relative to the node's, because Kafka takes a comma in
// it for two folders.
func (n *jvm) properties(count int, voters string) string {
	copies := min(3, count)
	acked := max(1, copies-1)
	return fmt.Sprintf(`process.roles=broker,controller
node.id=%d
controller.quorum.voters=%s
listeners=PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d
advertised.listeners=PLAINTEXT://127.0.0.1:%d
controller.listener.names=CONTROLLER
log.dirs=log
auto.create.topics.enable=false
default.replication.factor=%[6]d
min.insync.replicas=%[7]d
offsets.topic.num.partitions=1
offsets.topic.replication.factor=%[6]d
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=%[6]d
transaction.state.log.min.isr=%[7]d
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=%[6]d
share.coordinator.state.topic.min.isr=%[7]d
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=10
group.consumer.min.heartbeat.interval.ms=50
group.consumer.heartbeat.interval.ms=100
group.consumer.min.session.timeout.ms=500
group.consumer.session.timeout.ms=1000
group.share.min.heartbeat.interval.ms=50
group.share.heartbeat.interval.ms=100
group.share.min.session.timeout.ms=500
group.share.session.timeout.ms=1000
broker.heartbeat.interval.ms=200
broker.session.timeout.ms=2000
controller.quorum.election.timeout.ms=300
controller.quorum.fetch.timeout.ms=1000
log.cleaner.dedupe.buffer.size=2097152
leader.imbalance.check.interval.seconds=3600
`, n.id, voters, n.port, n.controller, n.port, copies, acked)
}

// format makes the nodes' storage, all at once.
func format(ctx context.Context, nodes []*jvm) error {
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		return fmt.Errorf("cluster id: %w", err)
	}
	cluster := base64.RawURLEncoding.EncodeToString(id[:])
	errs := make([]error, len(nodes))
	var wg sync.WaitGroup
	for i, n := range nodes {
		wg.Go(func() {
			if out, err := n.java(ctx, "kafka.tools.StorageTool", "format", "--cluster-id="+cluster, "--config="+n.config).CombinedOutput(); err != nil {
				errs[i] = fmt.Errorf("format node %d: %w: %s", n.id, err, last(out))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// start runs the node; it is up only when the cluster says so.
func (n *jvm) start() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd != nil {
		return nil
	}
	out, err := os.OpenFile(n.output(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("node %d: %w", n.id, err)
	}
	defer func() { _ = out.Close() }() // the child has its own
	in, hold, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("node %d: %w", n.id, err)
	}
	defer func() { _ = in.Close() }() // the child has its own
	java := n.java(context.Background(), "kafka.Kafka", n.config)
	cmd := exec.CommandContext(context.Background(), "sh", append([]string{"-c", guard, "sh"}, java.Args...)...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = n.dir, in, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("node %d: %w", n.id, errors.Join(err, hold.Close()))
	}
	n.cmd, n.hold, n.done = cmd, hold, make(chan struct{})
	go func(done chan struct{}) {
		_ = cmd.Wait() // a node that was killed ends with an error; one that was not is told apart by ended
		close(done)
	}(n.done)
	return nil
}

// kill is kill -9 of the node's whole process group; it waits until nothing of it is left.
func (n *jvm) kill() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd == nil {
		return nil
	}
	err := syscall.Kill(-n.cmd.Process.Pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		err = nil
	}
	<-n.done
	_ = n.hold.Close() // its reader is dead
	n.cmd = nil
	if err != nil {
		return fmt.Errorf("node %d: kill: %w", n.id, err)
	}
	return n.gone()
}

// gone waits until nobody listens on the node's ports: the guard may end before the JVM has let go of them.
func (n *jvm) gone() error {
	for end := time.Now().Add(askLimit); ; time.Sleep(time.Millisecond) {
		open := 0
		for _, port := range []int{n.port, n.controller} {
			c, err := (&net.Dialer{Timeout: askLimit}).DialContext(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
			if err == nil {
				_ = c.Close()
				open++
			}
		}
		if open == 0 {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("node %d: %d of its ports still accept connections %s after it was killed", n.id, open, askLimit)
		}
	}
}

// ended is an error when the node should run and does not.
func (n *jvm) ended() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd == nil {
		return nil
	}
	select {
	case <-n.done:
	default:
		return nil
	}
	out, err := os.ReadFile(n.output())
	if err != nil {
		return fmt.Errorf("node %d ended by itself: %w", n.id, err)
	}
	return fmt.Errorf("node %d ended by itself: %s", n.id, last(out))
}

func (n *jvm) output() string { return filepath.Join(n.dir, "output.log") }

func last(out []byte) string { return strings.TrimSpace(string(out[max(0, len(out)-tail):])) }

// alive says whether the node is meant to run.
func (n *jvm) alive() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.cmd == nil {
		return errDown
	}
	return nil
}
