package proxy_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"tahanuji/faults/proxy"
	"tahanuji/faults/proxy/wire"
	"tahanuji/system/history"
	"tahanuji/system/target"
)

// ask writes a request and wants the answer to it, with the correlation id.
func ask(t *testing.T, c net.Conn, req kmsg.Request, corr int32) kmsg.Response {
	t.Helper()
	if _, err := c.Write(frame(req, corr)); err != nil {
		t.Fatal(err)
	}
	return take(t, c, req, corr)
}

func take(t *testing.T, c net.Conn, req kmsg.Request, corr int32) kmsg.Response {
	t.Helper()
	raw, err := wire.ReadFrame(c)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := wire.ParseResponse(raw, wire.Request{Key: req.Key(), Version: req.GetVersion(), Corr: corr, Body: req})
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// fakeBroker answers Metadata by itself and hands all other requests to the test, whose answers it writes to the connection
// that the last request came on.
type fakeBroker struct {
	net.Listener
	got chan wire.Request

	mu   sync.Mutex
	last net.Conn
}

func newFakeBroker(t *testing.T) *fakeBroker {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &fakeBroker{Listener: ln, got: make(chan wire.Request, 100)}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go b.serve(c)
		}
	}()
	return b
}

func (b *fakeBroker) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		raw, err := wire.ReadFrame(r)
		if err != nil {
			return
		}
		q, err := wire.ParseRequest(raw)
		if err == nil && q.Key == int16(kmsg.Metadata) {
			resp := q.Body.ResponseKind().(*kmsg.MetadataResponse)
			me := kmsg.NewMetadataResponseBroker()
			me.Host, me.Port = "127.0.0.1", int32(b.Addr().(*net.TCPAddr).Port)
			resp.Brokers = append(resp.Brokers, me)
			_, _ = c.Write(wire.AppendResponse(nil, q.Corr, resp))
			continue
		}
		b.mu.Lock()
		b.last = c
		b.mu.Unlock()
		b.got <- q
	}
}

// say writes raw bytes to the connection of the last request.
func (b *fakeBroker) say(t *testing.T, raw []byte) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, err := b.last.Write(raw); err != nil {
		t.Fatal(err)
	}
}

func behind(t *testing.T, b *fakeBroker) *rig {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	p, err := proxy.New(ctx, proxy.Config{Upstream: []string{b.Addr().String()}, Label: label})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return &rig{Proxy: p, t: t, ctx: ctx}
}

func heartbeat(member string) *kmsg.HeartbeatRequest {
	q := kmsg.NewPtrHeartbeatRequest()
	q.SetVersion(4)
	q.Group, q.MemberID, q.Generation = "g", member, 3
	return q
}

func produce(acks int16) *kmsg.ProduceRequest {
	q := kmsg.NewPtrProduceRequest()
	q.SetVersion(9)
	q.Acks, q.TimeoutMillis = acks, 1000
	t := kmsg.NewProduceRequestTopic()
	t.Topic = topic
	p := kmsg.NewProduceRequestTopicPartition()
	t.Partitions = append(t.Partitions, p)
	q.Topics = append(q.Topics, t)
	return q
}

func TestAMadeAnswerQueuesBehindThoseStillOwed(t *testing.T) {
	b := newFakeBroker(t)
	r := behind(t, b)
	addr, _ := r.Open("recorder", 1)
	c := dialTo(t, addr)
	a := r.arm(target.Moment{API: "SyncGroup"}, target.Action{Do: target.NotApplied, Code: 27}, 0)
	join := kmsg.NewPtrSyncGroupRequest()
	join.SetVersion(5)
	join.Group = "g"
	for i, q := range []kmsg.Request{heartbeat("a"), join, heartbeat("b")} {
		if _, err := c.Write(frame(q, int32(i+1))); err != nil {
			t.Fatal(err)
		}
	}
	r.acted(a, 1) // the made answer is there, and must wait
	for range 2 {
		q := <-b.got
		b.say(t, wire.AppendResponse(nil, q.Corr, q.Body.ResponseKind()))
	}
	take(t, c, heartbeat("a"), 1)
	if resp := take(t, c, join, 2).(*kmsg.SyncGroupResponse); resp.ErrorCode != 27 {
		t.Fatalf("told %d, want 27", resp.ErrorCode)
	}
	take(t, c, heartbeat("b"), 3)
}

func TestAProduceWithoutAcksIsPassedOnAndHasNoAnswer(t *testing.T) {
	b := newFakeBroker(t)
	r := behind(t, b)
	addr, _ := r.Open("recorder", 1)
	c := dialTo(t, addr)
	a := r.arm(target.Moment{API: "Produce"}, target.Action{Do: target.NotApplied, Code: 6}, 0)
	lost := r.arm(target.Moment{API: "Produce"}, target.Action{Do: target.AckLost}, 0)
	for i := range int32(3) {
		if _, err := c.Write(frame(produce(0), i)); err != nil {
			t.Fatal(err)
		}
		if q := <-b.got; q.Corr != i {
			t.Fatalf("request %d came, want %d", q.Corr, i)
		}
	}
	twice := r.arm(target.Moment{API: "Produce"}, target.Action{Do: target.Copy}, 0)
	a.Disarm()
	lost.Disarm()
	if _, err := c.Write(frame(produce(0), 7)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if q := <-b.got; q.Corr != 7 {
			t.Fatalf("request %d came, want 7 twice", q.Corr)
		}
	}
	r.acted(twice, 1)
	if _, err := c.Write(frame(heartbeat("a"), 9)); err != nil {
		t.Fatal(err)
	}
	q := <-b.got
	b.say(t, wire.AppendResponse(nil, q.Corr, q.Body.ResponseKind()))
	take(t, c, heartbeat("a"), 9) // nothing was answered in between
	if a.Acted().Count != 0 || lost.Acted().Count != 0 {
		t.Fatalf("a step that could tell nobody counts as acted: %+v, %+v", a.Acted(), lost.Acted())
	}
	for _, ex := range r.Ledger() {
		if ex.API == "Produce" {
			wantPhases(t, ex, history.Unknown, history.Unknown)
		}
	}
}

func TestARefusalByTheBrokerItselfIsToldAsItIsAndDoesNotCount(t *testing.T) {
	b := newFakeBroker(t)
	r := behind(t, b)
	addr, _ := r.Open("summarizer", 1)
	c := dialTo(t, addr)
	a := r.arm(target.Moment{API: "LeaveGroup"}, target.Action{Do: target.Applied, Code: 15}, 0)
	q := kmsg.NewPtrLeaveGroupRequest()
	q.SetVersion(1)
	q.Group = "g"
	for i, code := range []int16{25, 0} {
		if _, err := c.Write(frame(q, int32(i))); err != nil {
			t.Fatal(err)
		}
		<-b.got
		resp := q.ResponseKind().(*kmsg.LeaveGroupResponse)
		resp.ErrorCode = code
		b.say(t, wire.AppendResponse(nil, int32(i), resp))
		told := take(t, c, q, int32(i)).(*kmsg.LeaveGroupResponse).ErrorCode
		if want := map[int16]int16{25: 25, 0: 15}[code]; told != want {
			t.Fatalf("the broker answered %d and the client was told %d, want %d", code, told, want)
		}
	}
	if got := a.Acted(); got.Count != 1 || got.Matched != 2 {
		t.Fatalf("acted %+v, want one of two matches", got)
	}
}

func TestAnAnswerThatComesAfterACutIsInTheLedger(t *testing.T) {
	b := newFakeBroker(t)
	r := behind(t, b)
	addr, _ := r.Open("recorder", 1)
	c := dialTo(t, addr)
	if _, err := c.Write(frame(produce(-1), 1)); err != nil {
		t.Fatal(err)
	}
	q := <-b.got
	r.Cut("recorder", 1)
	wantReset(t, c)
	b.say(t, wire.AppendResponse(nil, q.Corr, q.Body.ResponseKind()))
	r.until("the answer is kept", func() bool { return r.Ledger()[0].Applied == history.OK })
	wantPhases(t, r.Ledger()[0], history.OK, history.Unknown)
}

func TestApiVersionsIsClampedToWhatCanBeRead(t *testing.T) {
	b := newFakeBroker(t)
	r := behind(t, b)
	addr, _ := r.Open("recorder", 1)
	c := dialTo(t, addr)
	if _, err := c.Write(frame(apiVersions(4), 1)); err != nil {
		t.Fatal(err)
	}
	q := <-b.got
	resp := q.Body.ResponseKind().(*kmsg.ApiVersionsResponse)
	for key, max := range map[int16]int16{0: 99, 18: 99, 999: 1, 52: 1, 17: 1, 55: 2} {
		k := kmsg.NewApiVersionsResponseApiKey()
		k.ApiKey, k.MaxVersion = key, max
		resp.ApiKeys = append(resp.ApiKeys, k)
	}
	b.say(t, wire.AppendResponse(nil, q.Corr, resp))
	got := map[int16]kmsg.ApiVersionsResponseApiKey{}
	for _, k := range take(t, c, apiVersions(4), 1).(*kmsg.ApiVersionsResponse).ApiKeys {
		got[k.ApiKey] = k
	}
	if len(got) != 4 || got[0].MaxVersion != kmsg.NewPtrProduceRequest().MaxVersion() || got[17].MinVersion != 1 || got[55].MaxVersion != 1 {
		t.Fatalf("told %+v", got)
	}
}

func TestAnApiVersionsOfTheFutureIsAnsweredInTheOldestVersion(t *testing.T) {
	r := newRig(t)
	addr, _ := r.Open("recorder", 1)
	c := dialTo(t, addr)
	raw := frame(apiVersions(4), 5)
	binary.BigEndian.PutUint16(raw[6:], 99)
	if _, err := c.Write(raw); err != nil {
		t.Fatal(err)
	}
	resp := take(t, c, apiVersions(0), 5).(*kmsg.ApiVersionsResponse)
	if resp.ErrorCode != 35 || len(resp.ApiKeys) != 1 {
		t.Fatalf("told %+v, want UNSUPPORTED_VERSION and the versions of ApiVersions", resp)
	}
	ask(t, c, apiVersions(3), 6)
}

func TestWhatCantBeReadEndsItsConnectionAndReachesNoBroker(t *testing.T) {
	unknown := frame(metadata(), 1)
	binary.BigEndian.PutUint16(unknown[4:], 999)
	future := frame(metadata(), 1)
	binary.BigEndian.PutUint16(future[6:], 99)
	between := frame(kmsg.NewPtrWriteTxnMarkersRequest(), 1)
	garbage := append(frame(heartbeat("a"), 1)[:20], 0xff, 0xff, 0xff, 0xff)
	binary.BigEndian.PutUint32(garbage, uint32(len(garbage)-4))
	old := kmsg.NewPtrSASLHandshakeRequest()
	for what, raw := range map[string][]byte{
		"an unknown API":                   unknown,
		"a version of the future":          future,
		"a request between brokers":        between,
		"a damaged request":                garbage,
		"a header that is cut":             {0, 0, 0, 3, 0, 1, 2},
		"a length that is below zero":      {0xff, 0xff, 0xff, 0xff},
		"a frame beyond the limit":         binary.BigEndian.AppendUint32(nil, wire.MaxFrame+1),
		"a SASL handshake without headers": frame(old, 1),
	} {
		t.Run(what, func(t *testing.T) {
			b := newFakeBroker(t)
			r := behind(t, b)
			addr, _ := r.Open("recorder", 1)
			c := dialTo(t, addr)
			if _, err := c.Write(raw); err != nil {
				t.Fatal(err)
			}
			if n, err := c.Read(make([]byte, 1)); n > 0 || err == nil || errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("the connection goes on: %v", err)
			}
			select {
			case q := <-b.got:
				t.Fatalf("the broker got %+v", q)
			default:
			}
			ask(t, dialTo(t, addr), metadata(), 1) // nobody else is touched
		})
	}
}

func TestAnAnswerThatCantBeReadIsNotPassedOn(t *testing.T) {
	good := wire.AppendResponse(nil, 1, heartbeat("").ResponseKind())
	for _, c := range []struct {
		what    string
		raw     []byte
		answers int // that go through before
	}{
		{"damaged", []byte{0, 0, 0, 6, 0, 0, 0, 1, 9, 9}, 0},
		{"to another request", wire.AppendResponse(nil, 77, heartbeat("").ResponseKind()), 0},
		{"one that nobody is due", append(good, good...), 1},
		{"beyond the limit", binary.BigEndian.AppendUint32(nil, wire.MaxFrame+1), 0},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := newFakeBroker(t)
			r := behind(t, b)
			addr, _ := r.Open("recorder", 1)
			conn := dialTo(t, addr)
			if _, err := conn.Write(frame(heartbeat("a"), 1)); err != nil {
				t.Fatal(err)
			}
			<-b.got
			b.say(t, c.raw)
			for range c.answers {
				take(t, conn, heartbeat("a"), 1)
			}
			if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil {
				t.Errorf("an answer was passed on (%v)", err)
			}
		})
	}
}
