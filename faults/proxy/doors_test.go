package proxy_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tahanuji/faults/proxy"
	"tahanuji/system/history"
	"tahanuji/system/target"
)

// guests keeps from where a broker was connected to.
type guests struct {
	mu   sync.Mutex
	from []string
}

type guestbook struct {
	net.Listener
	g *guests
}

func (b guestbook) Accept() (net.Conn, error) {
	c, err := b.Listener.Accept()
	if err == nil {
		b.g.mu.Lock()
		b.g.from = append(b.g.from, c.RemoteAddr().String())
		b.g.mu.Unlock()
	}
	return c, err
}

func (g *guests) listen(network, address string) (net.Listener, error) {
	ln, err := net.Listen(network, address)
	return guestbook{ln, g}, err
}

func (g *guests) list() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.from)
}

func TestNoConnectionGoesRoundTheProxyWhenLeadersAndCoordinatorsMove(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var g guests
	k, err := kfake.NewCluster(kfake.NumBrokers(3), kfake.SeedTopics(3, topic), kfake.ListenFn(g.listen), kfake.GroupMinSessionTimeout(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	var dialed sync.Map
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			dialed.Store(c.LocalAddr().String(), true)
		}
		return c, err
	}
	p, err := proxy.New(ctx, proxy.Config{Upstream: k.ListenAddrs(), Label: label, Dial: dial})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close(ctx)
	r := &rig{Proxy: p, t: t, ctx: ctx}
	producer, consumer := r.client("recorder", 1), r.consumer("summarizer", 1)
	for i := range 30 {
		r.send(producer, "event:"+strconv.Itoa(i))
		k.ShufflePartitionLeaders() // the next Produce and Fetch are answered NOT_LEADER, with the new leader's endpoint (KIP-951)
		k.RehashCoordinators()
		r.poll(consumer, 1)
		r.commit(consumer)
	}
	if id, _, err := k.AddNode(-1, 0); err != nil || id != 3 {
		t.Fatalf("node %d (%v)", id, err)
	}
	for i := range 10 {
		r.send(producer, "event:"+strconv.Itoa(30+i))
		for part := range int32(3) {
			if err := k.MoveTopicPartition(topic, part, 3); err != nil {
				t.Fatal(err)
			}
		}
	}
	used := slices.ContainsFunc(p.Conns(), func(c proxy.Conn) bool { return c.Node == 3 && c.APIs["Produce"] > 0 })
	producer.Close()
	consumer.Close()
	r.until("every connection to a broker was made by the proxy", func() bool { // a broker may accept before Dial returns
		return !slices.ContainsFunc(g.list(), func(from string) bool { _, ok := dialed.Load(from); return !ok })
	})
	if n := len(g.list()); n < 4 || !used {
		t.Fatalf("the test went nowhere: %d connections, new node used: %v", n, used)
	}
}

func TestADoorKeepsItsAddressAndEachInstanceHasItsOwn(t *testing.T) {
	r := newRig(t)
	one, err := r.Open("recorder", 1)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := r.Open("recorder", 1)
	two, _ := r.Open("recorder", 2)
	if one != again || one == two {
		t.Fatalf("doors are %s, %s and %s", one, again, two)
	}
}

func TestACutDoorResetsItsOwnConnectionsAlone(t *testing.T) {
	r := newRig(t)
	addr, _ := r.Open("recorder", 1)
	other, _ := r.Open("recorder", 2)
	mine, his := dialTo(t, addr), dialTo(t, other)
	ask(t, mine, apiVersions(0), 1)
	ask(t, his, apiVersions(0), 1)
	r.Cut("recorder", 1)
	wantReset(t, mine)
	if again, err := net.Dial("tcp", addr); err == nil { // a reset may be there before Dial returns
		wantReset(t, again)
	}
	ask(t, his, apiVersions(0), 2)
	r.Mend("recorder", 1)
	ask(t, dialTo(t, addr), apiVersions(0), 1)
}

func TestABootstrapAddressLeadsToANodeThatIsUp(t *testing.T) {
	r := newRig(t)
	for _, id := range []int32{0, 1} {
		if err := r.br.Nodes().Down(r.ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	r.send(r.client("recorder", 1), "event:0")
	r.wantLog("event:0")
}

func TestANodeThatGoesDownIsDownThroughTheProxyToo(t *testing.T) {
	r := newRig(t)
	c := r.client("recorder", 1)
	r.send(c, "event:0")
	for i, id := range r.br.Nodes().IDs() {
		if err := r.br.Nodes().Down(r.ctx, id); err != nil {
			t.Fatal(err)
		}
		r.send(c, "event:"+strconv.Itoa(i+1))
		if err := r.br.Nodes().Up(r.ctx, id); err != nil {
			t.Fatal(err)
		}
	}
	r.wantLog("event:0", "event:1", "event:2", "event:3")
}

func TestASlowReaderBlocksNobodyElse(t *testing.T) {
	r := newRig(t)
	addr, _ := r.Open("recorder", 1)
	slow := dialTo(t, addr)
	if err := slow.SetWriteDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	raw := bytes.Repeat(frame(metadata(), 1), 1000)
	for n := 0; n < 1<<28; n += len(raw) { // answers are never read: at some point nothing more is taken from us
		if _, err := slow.Write(raw); err != nil {
			r.send(r.client("recorder", 1), "event:0")
			r.wantLog("event:0")
			return
		}
	}
	t.Fatal("256 MB of requests were taken without an answer being read")
}

func TestHealLeavesNothingBehind(t *testing.T) {
	r := newRig(t)
	c := r.client("recorder", 1, kgo.ProduceRequestTimeout(time.Second), kgo.RequestTimeoutOverhead(time.Second))
	r.send(c, "event:0")
	copied := r.arm(target.Moment{API: "Produce", Carries: "event:1"}, target.Action{Do: target.LateCopy, For: time.Hour}, 0)
	r.send(c, "event:1")
	held := r.arm(target.Moment{API: "Produce", Carries: "event:2"}, target.Action{Do: target.Hold}, 0)
	waiting := r.arm(target.Moment{API: "Produce"}, target.Action{Do: target.NotApplied, Code: 6}, 9)
	done := make(chan error, 1)
	c.Produce(r.ctx, kgo.StringRecord("event:2"), func(_ *kgo.Record, err error) { done <- err })
	r.until("the Produce is held", func() bool { return held.Acted().Matched == 1 })
	if err := r.Heal(r.ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	r.acted(copied, 1)
	r.acted(held, 1)
	before := waiting.Acted()
	r.send(c, "event:3")
	if after := waiting.Acted(); after.Matched != before.Matched {
		t.Fatalf("a step matched after healing: %+v", after)
	}
	r.wantLog("event:0", "event:1", "event:2", "event:3")
}

func TestHealEndsASilentConnection(t *testing.T) {
	r := newRig(t)
	c := r.client("recorder", 1)
	a := r.arm(carries, target.Action{Do: target.AckLost, How: "silence"}, 0)
	r.send(c, "event:0")
	done := make(chan error, 1)
	c.Produce(r.ctx, kgo.StringRecord("event:1"), func(_ *kgo.Record, err error) { done <- err })
	r.acted(a, 1)
	r.until("the connection is silent", func() bool { return r.one().Took > 0 })
	if err := r.Heal(r.ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	r.wantLog("event:0", "event:1")
}

func TestCloseLeavesNoGoroutineAndNoListener(t *testing.T) {
	r := newRig(t)
	before := runtime.NumGoroutine()
	p, err := proxy.New(r.ctx, proxy.Config{Upstream: r.br.Addrs(), Label: label})
	if err != nil {
		t.Fatal(err)
	}
	own := &rig{Proxy: p, t: t, ctx: r.ctx, br: r.br, obs: r.obs}
	c := own.client("recorder", 1)
	own.send(c, "event:0", "event:1")
	own.arm(target.Moment{API: "Produce"}, target.Action{Do: target.Hold}, 0)
	c.Produce(r.ctx, kgo.StringRecord("event:2"), nil)
	addr, _ := own.Open("recorder", 1)
	if err := p.Close(r.ctx); err != nil {
		t.Fatal(err)
	}
	c.Close()
	if !refusesConnections(addr) {
		t.Errorf("%s still accepts connections", addr)
	}
	if _, err := p.Open("recorder", 9); err == nil {
		t.Error("a door of a closed proxy was opened")
	}
	if len(p.Ledger()) == 0 {
		t.Error("the ledger is gone")
	}
	r.until("no goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
}

func TestTheLedgerKeepsGroupsAndTheLayoutOfConnections(t *testing.T) {
	r := newRig(t)
	r.send(r.client("recorder", 1, kgo.ClientID("perekam")), "event:0")
	c := r.consumer("summarizer", 2)
	r.poll(c, 1)
	r.commit(c)
	r.until("there was a heartbeat", func() bool { return r.Counts()["Heartbeat"] > 0 })
	c.Close()
	seen := map[string]history.Exchange{}
	for _, ex := range r.Ledger() {
		seen[ex.API] = ex
	}
	for _, api := range []string{"JoinGroup", "SyncGroup", "Heartbeat", "LeaveGroup", "OffsetCommit", "OffsetFetch"} {
		ex, ok := seen[api]
		if !ok || ex.Group != "uji-grup" || ex.Door != "summarizer/2" || len(ex.Items) == 0 {
			t.Errorf("%s is kept as %+v", api, ex)
		}
	}
	if ex := seen["JoinGroup"]; ex.Member == "" || ex.Generation < 1 {
		t.Errorf("the answer to JoinGroup gave member %q and generation %d", ex.Member, ex.Generation)
	}
	if ex := seen["ListOffsets"]; len(ex.Items) == 0 || ex.Items[0].Topic != topic {
		t.Errorf("ListOffsets is kept as %+v", ex)
	}
	named := false
	for _, c := range r.Conns() {
		named = named || slices.Contains(c.Clients, "perekam") && c.Door == "recorder/1" && c.Own != "" && c.APIs["Produce"] == 1
	}
	if !named {
		t.Errorf("no connection is laid out as the recorder made it: %+v", r.Conns())
	}
}

func dialTo(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

func frame(req kmsg.Request, corr int32) []byte {
	return kmsg.NewRequestFormatter(kmsg.FormatterClientID("uji")).AppendRequest(nil, req, corr)
}

func apiVersions(v int16) kmsg.Request {
	req := kmsg.NewPtrApiVersionsRequest()
	req.SetVersion(v)
	req.ClientSoftwareName, req.ClientSoftwareVersion = "uji", "1"
	return req
}

func metadata() kmsg.Request {
	req := kmsg.NewPtrMetadataRequest()
	req.SetVersion(1)
	return req
}

// wantReset wants the connection to be ended without an answer.
func wantReset(t *testing.T, c net.Conn) {
	t.Helper()
	if n, err := c.Read(make([]byte, 1)); n > 0 || err == nil || errors.Is(err, io.EOF) {
		t.Fatalf("the connection was not reset: %d bytes, %v", n, err)
	}
}
