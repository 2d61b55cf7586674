package model

import (
	"context"
	"errors"
	"testing"
	"time"

	"tahanuji/reference/port"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sut"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// Roles as small as roles can be: they exist to see the model, not to be right.

const (
	events    = "m8-suhu-kejadian"
	summaries = "m8-suhu-rangkuman"
)

type tiny struct {
	producer port.ProducerConfig
	consumer port.ConsumerConfig
	// handled is called for each record that the summarizer polled, in a store transaction.
	commitFirst bool
	lost        *int
}

func (o tiny) recorder(p *Process) Program {
	var producer port.Producer
	return Program{
		Cores: cores(func(ctx context.Context) (err error) {
			if producer, err = p.NewProducer(ctx, o.producer); err != nil {
				return err
			}
			return p.Sleep(ctx, 1000*time.Hour)
		}),
		Accept: func(ctx context.Context, record []byte) sut.Answer {
			for _, y := range p.w.cfg.Doc.Payloads {
				if wrong := y.Validate(record); y.Name == p.w.cfg.Doc.Topics[0].Payload && len(wrong) > 0 {
					return sut.Answer{Phase: history.Fail, Fields: []contract.Pointer{wrong[0].Field}, Reached: true}
				}
			}
			key, _ := contract.Pointer("/data/id_perangkat").Text(record)
			ack, err := producer.Send(ctx, port.Record{Topic: events, Key: []byte(key), Value: record}).Wait(ctx, time.Minute)
			if err != nil {
				return sut.Answer{Phase: history.Unknown, Err: err.Error(), Reached: true}
			}
			return sut.Answer{Phase: history.OK, Where: &history.Position{Topic: events, Partition: ack.Partition, Offset: ack.Offset}}
		},
	}
}

// reader polls, counts each record in its store, and commits.
func (o tiny) reader(group, topic string) func(*Process) Program {
	return func(p *Process) Program {
		return Program{Cores: cores(func(ctx context.Context) error {
			c := o.consumer
			c.Group, c.Topics = group, []string{topic}
			k, err := p.NewConsumer(ctx, c)
			if err != nil {
				return err
			}
			s, err := p.OpenStore(ctx, true)
			if err != nil {
				return err
			}
			for {
				b, err := k.Poll(ctx, time.Second)
				if err != nil {
					k.Close(context.WithoutCancel(ctx))
					return err
				}
				if err := o.round(ctx, k, s, b); err != nil {
					return err
				}
			}
		})}
	}
}

func cores(all ...func(context.Context) error) []func(context.Context) error { return all }

func (o tiny) round(ctx context.Context, k port.Consumer, s port.Store, b port.Batch) error {
	if len(b.Records) == 0 {
		return nil
	}
	next := map[port.Partition]int64{}
	for _, r := range b.Records {
		next[port.Partition{Topic: r.Topic, Partition: r.Partition}] = r.Offset + 1
	}
	commit := func() error {
		if o.consumer.AutoCommit {
			return nil
		}
		err := k.Commit(ctx, next)
		if errors.Is(err, port.ErrLost) {
			if o.lost != nil {
				*o.lost++
			}
			return nil
		}
		return err
	}
	if o.commitFirst {
		if err := commit(); err != nil {
			return err
		}
	}
	err := s.Update(ctx, func(tx port.Tx) error {
		for _, r := range b.Records {
			id, _ := contract.Pointer("/event_id").Text(r.Value)
			old, _, err := tx.Get("seen", id)
			if err != nil {
				return err
			}
			if err := tx.Put("seen", id, append(old[:len(old):len(old)], '.')); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || o.commitFirst {
		return err
	}
	return commit()
}

func (o tiny) roles() []Role {
	return []Role{
		{Name: "recorder", New: o.recorder},
		{Name: "summarizer", New: o.reader("perekap", events)},
		{Name: "display", New: o.reader("tampilan", summaries)},
	}
}

var strict = tiny{producer: port.ProducerConfig{Acks: -1, Idempotent: true}}

func sensor(t testing.TB, n int, seed uint64) Config {
	t.Helper()
	doc, err := contract.Load("../../sensor/architecture.yaml")
	if err != nil {
		t.Fatal(err)
	}
	load, err := workload.Make(doc, workload.Options{Seed: seed, Base: time.Date(2026, 11, 7, 0, 0, 0, 0, time.UTC), Events: n})
	if err != nil {
		t.Fatal(err)
	}
	return Config{Doc: doc, Load: load, Seed: seed}
}

func run(t testing.TB, c Config) Result {
	t.Helper()
	r, err := Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// one is a configuration of tiny roles with one step.
func one(t testing.TB, o tiny, step target.Step) Config {
	c := sensor(t, 60, 7)
	c.Roles = o.roles()
	step.Name = "step"
	c.Steps = []target.Step{step}
	return c
}

// topicOf are the records of a topic at rest, by partition.
func topicOf(h *history.History, topic string) map[int32][]string {
	out := map[int32][]string{}
	for _, e := range h.Events {
		if e.Op == history.OpRecord && e.Tag == history.ScanRest && e.Where.Topic == topic {
			out[e.Where.Partition] = append(out[e.Where.Partition], e.Value)
		}
	}
	return out
}

// copies counts how often each event is in its topic at rest.
func copies(c Config, h *history.History) map[string]int {
	label := quickLabels(c.Doc, c.Load)
	out := map[string]int{}
	for _, values := range topicOf(h, events) {
		for _, v := range values {
			out[label(events, []byte(v))]++
		}
	}
	return out
}

// behind is how many records the group has not committed at rest.
func behind(h *history.History, group string) int64 {
	n := int64(0)
	for _, e := range h.Events {
		switch {
		case e.Tag != history.ScanRest:
		case e.Op == history.OpCommitted && e.Proc == group:
			n -= max(0, e.Where.Offset)
		case e.Op == history.OpEnd && e.Where.Topic == events:
			n += e.Where.Offset
		}
	}
	return n
}
