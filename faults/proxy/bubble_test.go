package proxy_test

import (
	"context"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tahanuji/faults/proxy"
	"tahanuji/system/broker/records"
	"tahanuji/system/history"
	"tahanuji/system/target"
)

// In a simulation's bubble the proxy works over in-memory pipes, and what it waits for costs virtual time alone.
func TestTheProxyWorksInABubbleOverInMemoryPipes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network kfake.VirtualNetwork
		k, err := kfake.NewCluster(kfake.ListenFn(network.Listen), kfake.Ports(1, 2), kfake.SeedTopics(1, topic))
		if err != nil {
			t.Fatal(err)
		}
		var port atomic.Int32
		port.Store(100)
		p, err := proxy.New(t.Context(), proxy.Config{
			Upstream: k.ListenAddrs(), Label: label, Dial: network.DialContext,
			Listen: func(n, _ string) (net.Listener, error) {
				return network.Listen(n, "127.0.0.1:"+strconv.Itoa(int(port.Add(1))))
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		a, err := p.Arm(target.Step{Name: "step", Fault: "fault", At: carries, Do: target.Action{Do: target.Hold, For: time.Hour}})
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		c := leader(t, p, &network)
		q := produce(-1)
		q.Topics[0].Partitions[0].Records = records.Append(nil, -1, -1, -1, []byte("event:1"))
		if resp := ask(t, c, q, 2).(*kmsg.ProduceResponse); resp.Topics[0].Partitions[0].ErrorCode != 0 {
			t.Fatalf("answered %+v", resp)
		}
		if took := time.Since(begin); took < time.Hour || took > time.Hour+time.Minute {
			t.Errorf("the Produce was held for %s of virtual time, want 1h", took)
		}
		if got := a.Acted(); got.Count != 1 {
			t.Errorf("acted %+v", got)
		}
		wantPhases(t, last(p), history.OK, history.OK)
		_ = c.Close()
		if err := p.Close(context.Background()); err != nil {
			t.Error(err)
		}
		k.Close()
		time.Sleep(time.Minute) // the bubble's clock stops when this returns: let everything end
	})
}

// leader asks through the door who leads the topic, and connects to where it is told.
func leader(t *testing.T, p *proxy.Proxy, network *kfake.VirtualNetwork) net.Conn {
	t.Helper()
	addr, err := p.Open("recorder", 1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := network.DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	m := ask(t, c, metadata(), 1).(*kmsg.MetadataResponse)
	for _, b := range m.Brokers {
		if b.NodeID == m.Topics[0].Partitions[0].Leader {
			to, err := network.DialContext(t.Context(), "tcp", net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port))))
			if err != nil {
				t.Fatal(err)
			}
			return to
		}
	}
	t.Fatalf("no leader in %+v", m)
	return nil
}

func last(p *proxy.Proxy) history.Exchange {
	l := p.Ledger()
	return l[len(l)-1]
}
