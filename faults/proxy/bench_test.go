package proxy_test

import (
	"context"
	"io"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"tahanuji/faults/proxy"
	"tahanuji/faults/proxy/wire"
	"tahanuji/system/broker/records"
)

// echo is a broker that answers each Produce at once, so that what is measured is the way and not the broker.
func echo(b *testing.B) (addr string) {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go answer(c, int32(ln.Addr().(*net.TCPAddr).Port))
		}
	}()
	return ln.Addr().String()
}

func answer(c net.Conn, port int32) {
	defer c.Close()
	resp := kmsg.NewPtrProduceResponse()
	resp.SetVersion(9)
	rt := kmsg.NewProduceResponseTopic()
	rt.Topic = topic
	rt.Partitions = append(rt.Partitions, kmsg.NewProduceResponseTopicPartition())
	resp.Topics = append(resp.Topics, rt)
	for {
		raw, err := wire.ReadFrame(c)
		if err != nil {
			return
		}
		if raw[5] == byte(kmsg.Metadata) {
			q, err := wire.ParseRequest(raw)
			if err != nil {
				return
			}
			m := q.Body.ResponseKind().(*kmsg.MetadataResponse)
			me := kmsg.NewMetadataResponseBroker()
			me.Host, me.Port = "127.0.0.1", port
			m.Brokers = append(m.Brokers, me)
			raw = wire.AppendResponse(nil, q.Corr, m)
		} else {
			raw = wire.AppendResponse(nil, 1, resp)
		}
		if _, err := c.Write(raw); err != nil {
			return
		}
	}
}

// relay copies bytes, the least that standing in between can cost.
func relay(b *testing.B, to string) string {
	b.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			up, err := net.Dial("tcp", to)
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(up, c); _ = up.Close() }()
			go func() { _, _ = io.Copy(c, up); _ = c.Close() }()
		}
	}()
	return ln.Addr().String()
}

// BenchmarkProduce sends a Produce of n records of 250 bytes and waits for its answer: straight, through a relay, and
// through the proxy, which decodes, labels and records every one of them.
func BenchmarkProduce(b *testing.B) {
	for _, n := range []int{1, 100} {
		q := produce(-1)
		values := make([][]byte, n)
		for i := range values {
			values[i] = append([]byte("event:"+strconv.Itoa(i)), make([]byte, 240)...)
		}
		q.Topics[0].Partitions[0].Records = records.Append(nil, 7, 0, 0, values...)
		raw := frame(q, 1)
		to := echo(b)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		b.Cleanup(cancel)
		p, err := proxy.New(ctx, proxy.Config{Upstream: []string{to}, Label: label})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = p.Close(ctx) })
		door, err := p.Open("recorder", 1)
		if err != nil {
			b.Fatal(err)
		}
		for _, way := range []struct{ name, addr string }{{"straight", to}, {"relay", relay(b, to)}, {"proxy", door}} {
			b.Run(way.name+"/"+strconv.Itoa(n), func(b *testing.B) { roundTrips(b, way.addr, raw) })
		}
	}
}

func roundTrips(b *testing.B, addr string, raw []byte) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Write(raw); err != nil {
			b.Fatal(err)
		}
		if _, err := wire.ReadFrame(c); err != nil {
			b.Fatal(err)
		}
	}
}
