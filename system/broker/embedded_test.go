package broker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tahanuji/system/broker"
	"tahanuji/system/broker/observe"
	"tahanuji/system/contract"
)

var two = []contract.Topic{{Name: "uji-kejadian", Partitions: 3}, {Name: "uji-rangkuman", Partitions: 1}}

func embedded(t testing.TB, nodes int) (context.Context, broker.Broker) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	t.Cleanup(cancel)
	b, err := broker.Embedded().Start(ctx, broker.Config{Nodes: nodes, Topics: two})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	return ctx, b
}

func TestANodeThatIsDownResetsWhatIsConnectedAndRefusesWhatComes(t *testing.T) {
	ctx, b := embedded(t, 3)
	addr := b.Addrs()[1]
	open, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	if err := b.Nodes().Down(ctx, 1); err != nil {
		t.Fatal(err)
	}
	ends(t, open)
	again, err := net.Dial("tcp", addr)
	if err == nil {
		defer again.Close()
		ends(t, again)
	}
	if err := b.Nodes().Down(ctx, 1); err != nil {
		t.Errorf("down twice: %v", err)
	}
	if err := b.Nodes().Up(ctx, 1); err != nil {
		t.Fatal(err)
	}
	o := observer(t, addr)
	if topics, err := o.Topics(ctx); err != nil || len(topics) != 2 {
		t.Fatalf("node 1 came back with %v (%v)", topics, err)
	}
}

// ends wants a connection to be ended by the other side.
func ends(t *testing.T, c net.Conn) {
	t.Helper()
	if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	n, err := c.Read(make([]byte, 1))
	var late net.Error
	if n > 0 || err == nil || (errors.As(err, &late) && late.Timeout()) {
		t.Fatalf("the connection goes on: %d bytes, %v", n, err)
	}
}

func observer(t testing.TB, addrs ...string) *observe.Observer {
	t.Helper()
	o, err := observe.New(addrs)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

func TestOnlyWhatTheNodeLedMovesWhenItGoesDown(t *testing.T) {
	ctx, b := embedded(t, 3)
	before := leaders(ctx, t, b)
	if err := b.Nodes().Down(ctx, 0); err != nil {
		t.Fatal(err)
	}
	for p, was := range before {
		is, err := b.Nodes().Leader(ctx, two[0].Name, p)
		if err != nil {
			t.Fatal(err)
		}
		if (was != 0 && is != was) || is == 0 {
			t.Errorf("partition %d was led by %d and is led by %d", p, was, is)
		}
	}
	down := leaders(ctx, t, b)
	if err := b.Nodes().Up(ctx, 0); err != nil {
		t.Fatal(err)
	}
	if up := leaders(ctx, t, b); fmt.Sprint(up) != fmt.Sprint(down) {
		t.Errorf("leaders moved from %v to %v when the node came back", down, up)
	}
}

func leaders(ctx context.Context, t *testing.T, b broker.Broker) map[int32]int32 {
	t.Helper()
	all := map[int32]int32{}
	for p := range int32(two[0].Partitions) {
		id, err := b.Nodes().Leader(ctx, two[0].Name, p)
		if err != nil {
			t.Fatal(err)
		}
		all[p] = id
	}
	return all
}

func TestTheLastNodeCanGoDownAndComeBack(t *testing.T) {
	ctx, b := embedded(t, 1)
	if err := b.Nodes().MoveLeader(ctx, two[0].Name, 0); err == nil {
		t.Error("a leader moved although there is one node")
	}
	if err := b.Nodes().MoveCoordinator(ctx, "g"); err == nil {
		t.Error("a coordinator moved although there is one node")
	}
	for range 2 {
		if err := b.Nodes().Down(ctx, 0); err != nil {
			t.Fatal(err)
		}
		if err := b.Nodes().Up(ctx, 0); err != nil {
			t.Fatal(err)
		}
	}
	if topics, err := observer(t, b.Addrs()...).Topics(ctx); err != nil || len(topics) != 2 {
		t.Fatalf("%v (%v)", topics, err)
	}
}

func TestAClosedClusterRefusesAndNoGoroutineStays(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, b := embedded(t, 3)
	o := observer(t, b.Addrs()...)
	if _, err := o.Topics(ctx); err != nil {
		t.Fatal(err)
	}
	o.Close()
	if err := b.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if err := b.Nodes().Down(ctx, 0); err == nil {
		t.Error("a node of a closed cluster went down")
	}
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			var dump bytes.Buffer
			buf := make([]byte, 1<<20)
			dump.Write(buf[:runtime.Stack(buf, true)])
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), dump.String())
		}
	}
}

func TestANodeThatThereIsNotIsAnError(t *testing.T) {
	ctx, b := embedded(t, 2)
	for what, err := range map[string]error{"down": b.Nodes().Down(ctx, 7), "up": b.Nodes().Up(ctx, 7)} {
		if err == nil || !strings.Contains(err.Error(), "7") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// BenchmarkStart is what a fresh cluster with its topics costs.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		br, err := broker.Embedded().Start(context.Background(), broker.Config{Nodes: 3, Topics: two})
		if err != nil {
			b.Fatal(err)
		}
		_ = br.Close(context.Background())
	}
}

// BenchmarkLook is what the observers cost at rest: topics, a scan of 1000 records, offsets, a group.
func BenchmarkLook(b *testing.B) {
	_, br := embedded(b, 3)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	client, err := kgo.NewClient(kgo.SeedBrokers(br.Addrs()...), kgo.DefaultProduceTopic(two[0].Name))
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	for i := range 1000 {
		client.Produce(ctx, &kgo.Record{Key: fmt.Append(nil, i%20), Value: bytes.Repeat([]byte("x"), 250)}, nil)
	}
	if err := client.Flush(ctx); err != nil {
		b.Fatal(err)
	}
	o := observer(b, br.Addrs()...)
	for name, look := range map[string]func() error{
		"topics":    func() error { _, err := o.Topics(ctx); return err },
		"scan":      func() error { _, err := o.Scan(ctx, two[0].Name); return err },
		"committed": func() error { _, err := o.Committed(ctx, "g"); return err },
		"group":     func() error { _, err := o.Group(ctx, "g"); return err },
		"lag":       func() error { _, err := o.Lag(ctx, "g", two[0].Name); return err },
		"fresh": func() error {
			o, err := observe.New(br.Addrs())
			if err == nil {
				_, err = o.Topics(ctx)
				o.Close()
			}
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := look(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
