package kafka_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/port/kafka"
	"tahanuji/reference/port/memory"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const topic = "kejadian"

// limit bounds every wait; what does not happen within it does not happen.
const limit = 10 * time.Second

func cluster(t *testing.T, partitions int32) *kfake.Cluster {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(partitions, topic), kfake.GroupMinSessionTimeout(100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func open(t *testing.T, c *kfake.Cluster, change ...func(*kafka.Config)) *kafka.Port {
	t.Helper()
	store := memory.New()
	config := kafka.Config{Bootstrap: c.ListenAddrs(), ClientID: "role", Instance: 1,
		Timings:   kafka.Timings{Session: time.Second, Rebalance: 2 * time.Second, Heartbeat: 50 * time.Millisecond},
		OpenStore: func(context.Context, bool) (port.Store, error) { return store, nil }}
	for _, f := range change {
		f(&config)
	}
	p := kafka.New(config)
	t.Cleanup(p.Kill)
	return p
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

func producer(t *testing.T, p *kafka.Port, c port.ProducerConfig) port.Producer {
	t.Helper()
	pr, err := p.NewProducer(within(t), c)
	if err != nil {
		t.Fatal(err)
	}
	return pr
}

func consumer(t *testing.T, p *kafka.Port, c port.ConsumerConfig) port.Consumer {
	t.Helper()
	c.Topics = []string{topic}
	if c.Group == "" {
		c.Group = "grup"
	}
	co, err := p.NewConsumer(within(t), c)
	if err != nil {
		t.Fatal(err)
	}
	return co
}

var strict = port.ProducerConfig{Acks: -1, Idempotent: true}

func send(t *testing.T, pr port.Producer, values ...string) []port.Ack {
	t.Helper()
	var promises []port.Promise
	for _, v := range values {
		promises = append(promises, pr.Send(within(t), port.Record{Topic: topic, Key: []byte("k"), Value: []byte(v)}))
	}
	var acks []port.Ack
	for i, s := range promises {
		ack, err := s.Wait(within(t), limit)
		if err != nil {
			t.Fatalf("%s: %v", values[i], err)
		}
		acks = append(acks, ack)
	}
	return acks
}

// read polls until n records came, and returns their values and all changes of ownership.
func read(t *testing.T, c port.Consumer, n int) ([]string, port.Batch) {
	t.Helper()
	var values []string
	all := port.Batch{Committed: map[port.Partition]int64{}}
	for end := time.Now().Add(limit); len(values) < n; {
		b, err := c.Poll(within(t), 100*time.Millisecond)
		if err != nil {
			t.Fatalf("poll: %v", err)
		}
		for _, r := range b.Records {
			values = append(values, string(r.Value))
		}
		all.Assigned = append(all.Assigned, b.Assigned...)
		all.Revoked = append(all.Revoked, b.Revoked...)
		for p, at := range b.Committed {
			all.Committed[p] = at
		}
		if time.Now().After(end) {
			t.Fatalf("%d of %d records within %s", len(values), n, limit)
		}
	}
	return values, all
}

func TestSendsAreAppendedInTheOrderOfTheCallsAlsoWhenOneIsRefused(t *testing.T) {
	c := cluster(t, 1)
	refused := 0
	c.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
		if refused++; refused > 2 {
			return nil, nil, false
		}
		c.KeepControl()
		return refuse(req.(*kmsg.ProduceRequest)), nil, true
	})
	p := open(t, c)
	var values []string
	for i := range 50 {
		values = append(values, fmt.Sprint(i))
	}
	acks := send(t, producer(t, p, strict), values...)
	if refused < 2 {
		t.Fatalf("%d requests were refused, want 2", refused)
	}
	got, _ := read(t, consumer(t, p, port.ConsumerConfig{}), len(values))
	for i := range values {
		if got[i] != values[i] || acks[i].Offset != int64(i) {
			t.Fatalf("at %d: %q at offset %d", i, got[i], acks[i].Offset)
		}
	}
}

func refuse(req *kmsg.ProduceRequest) *kmsg.ProduceResponse {
	resp := req.ResponseKind().(*kmsg.ProduceResponse)
	for _, t := range req.Topics {
		rt := kmsg.NewProduceResponseTopic()
		rt.Topic, rt.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			rp := kmsg.NewProduceResponseTopicPartition()
			rp.Partition, rp.ErrorCode = p.Partition, kerr.NotEnoughReplicas.Code
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
	return resp
}

func TestASendOutlivesTheContextOfItsCaller(t *testing.T) {
	c := cluster(t, 1)
	p := open(t, c)
	pr := producer(t, p, strict)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := pr.Send(ctx, port.Record{Topic: topic, Value: []byte("v")})
	if _, err := s.Wait(within(t), limit); err != nil {
		t.Fatal(err)
	}
}

func TestAPromiseMayBeAskedAgain(t *testing.T) {
	c := cluster(t, 1)
	hold := make(chan struct{})
	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.SleepControl(func() { <-hold })
		return nil, nil, false
	})
	p := open(t, c)
	s := producer(t, p, strict).Send(within(t), port.Record{Topic: topic, Value: []byte("v")})
	for _, d := range []time.Duration{0, 20 * time.Millisecond} {
		if _, err := s.Wait(within(t), d); !errors.Is(err, port.ErrWaiting) {
			t.Fatalf("while it is held: %v", err)
		}
	}
	close(hold)
	if ack, err := s.Wait(within(t), limit); err != nil || ack.Offset != 0 {
		t.Fatalf("%+v, %v", ack, err)
	}
	if ack, err := s.Wait(within(t), 0); err != nil || ack.Offset != 0 {
		t.Fatalf("again: %+v, %v", ack, err)
	}
}

func TestTheWireShowsWhatTheRoleChose(t *testing.T) {
	for _, want := range []port.ProducerConfig{strict, {Acks: -1}, {Acks: 1}} {
		t.Run(fmt.Sprint(want), func(t *testing.T) {
			c := cluster(t, 1)
			seen := make(chan port.ProducerConfig, 1)
			c.ControlKey(int16(kmsg.Produce), func(req kmsg.Request) (kmsg.Response, error, bool) {
				r := req.(*kmsg.ProduceRequest)
				var batch kmsg.RecordBatch
				err := batch.ReadFrom(r.Topics[0].Partitions[0].Records)
				seen <- port.ProducerConfig{Acks: int(r.Acks), Idempotent: err == nil && batch.ProducerID >= 0}
				return nil, nil, false
			})
			send(t, producer(t, open(t, c), want), "v")
			if got := <-seen; got != want {
				t.Errorf("on the wire: %+v", got)
			}
		})
	}
}

func TestRolesThatMisbehaveChangeTopics(t *testing.T) {
	c := cluster(t, 3)
	p := open(t, c)
	if err := p.CreateTopic(within(t), "salinan", 1); err != nil {
		t.Fatal(err)
	}
	if err := p.CreateTopic(within(t), "salinan", 1); err != nil {
		t.Errorf("again: %v", err)
	}
	if err := p.AlterTopic(within(t), topic, port.TopicChange{Partitions: -1, Config: map[string]string{"retention.ms": "3600000"}}); err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	topics, err := adm.ListTopics(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(topics[topic].Partitions); n != 4 || !topics.Has("salinan") {
		t.Errorf("%d partitions, topics %v", n, topics.Names())
	}
	configs, err := adm.DescribeTopicConfigs(within(t), topic)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range configs[0].Configs {
		if k.Key == "retention.ms" && k.MaybeValue() != "3600000" {
			t.Errorf("retention.ms is %s", k.MaybeValue())
		}
	}
}

func TestTheClockMovesOnAndWakesSleepers(t *testing.T) {
	start := time.Date(2026, 11, 7, 8, 0, 0, 0, time.UTC)
	clock := kafka.NewClock(start)
	if d := clock.Now().Sub(start); d < 0 || d > limit {
		t.Errorf("it shows %s after its start", d)
	}
	slept := make(chan error, 1)
	go func() { slept <- clock.Sleep(within(t), time.Hour) }()
	for end := time.Now().Add(limit); time.Now().Before(end); {
		clock.Elapse(2 * time.Hour)
		select {
		case err := <-slept:
			if err != nil {
				t.Error(err)
			}
			return
		case <-time.After(time.Millisecond):
		}
	}
	t.Error("an hour's sleep did not end when many passed")
}
