package observe

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tahanuji/system/broker/records"
	"tahanuji/system/history"
)

// fetchBytes is how much a scan asks for at once.
const fetchBytes = 16 << 20

// Rec is one record of a topic. Slices are the caller's own.
type Rec struct {
	Where      history.Position
	Key, Value []byte
	Producer   history.Producer // ID -1: the producer was not idempotent
	Time       int64            // the record's timestamp, milliseconds since 1970
}

// Ends are the end offsets (log end, read uncommitted) of a topic's partitions.
func (o *Observer) Ends(ctx context.Context, topic string) (map[int32]int64, error) {
	return o.offsets(ctx, topic, -1)
}

// Starts are the first offsets that the topic's partitions still hold.
func (o *Observer) Starts(ctx context.Context, topic string) (map[int32]int64, error) {
	return o.offsets(ctx, topic, -2)
}

// offsets lists a topic's offsets at a timestamp: -1 the end, -2 the start (ListOffsets).
func (o *Observer) offsets(ctx context.Context, topic string, at int64) (map[int32]int64, error) {
	ends := map[int32]int64{}
	err := until(ctx, "offsets of "+topic, func(ctx context.Context) error {
		topics, err := o.metadata(ctx, []string{topic})
		if err != nil {
			return err
		}
		return o.list(ctx, topics[0], at, ends)
	})
	return ends, err
}

func (o *Observer) list(ctx context.Context, t Topic, at int64, into map[int32]int64) error {
	for leader, ps := range byLeader(t) {
		req := kmsg.NewPtrListOffsetsRequest()
		rt := kmsg.NewListOffsetsRequestTopic()
		rt.Topic = t.Name
		for _, p := range ps {
			rp := kmsg.NewListOffsetsRequestTopicPartition()
			rp.Partition, rp.Timestamp, rp.CurrentLeaderEpoch = p, at, -1
			rt.Partitions = append(rt.Partitions, rp)
		}
		req.Topics = append(req.Topics, rt)
		resp, err := req.RequestWith(ctx, o.client.Broker(int(leader)))
		if err != nil {
			return fmt.Errorf("list offsets at node %d: %w", leader, err)
		}
		for _, t := range resp.Topics {
			for _, p := range t.Partitions {
				if err := bad(fmt.Sprintf("offset of %s/%d", t.Topic, p.Partition), p.ErrorCode); err != nil {
					return err
				}
				into[p.Partition] = p.Offset
			}
		}
	}
	return nil
}

func byLeader(t Topic) map[int32][]int32 {
	by := map[int32][]int32{}
	for p, leader := range t.Leaders {
		by[leader] = append(by[leader], int32(p))
	}
	return by
}

// Scan reads a whole topic, from the first offsets to the end offsets at the time of the call, in the order of partitions
// and offsets. Transaction markers are left out; records of aborted transactions are not (read uncommitted): what stands in
// the log is what is judged.
func (o *Observer) Scan(ctx context.Context, topic string) ([]Rec, error) {
	var t Topic
	next, ends := map[int32]int64{}, map[int32]int64{}
	err := until(ctx, "scan of "+topic, func(ctx context.Context) error {
		topics, err := o.metadata(ctx, []string{topic})
		if err != nil {
			return err
		}
		t = topics[0]
		if err := o.list(ctx, t, -2, next); err != nil {
			return err
		}
		return o.list(ctx, t, -1, ends)
	})
	if err != nil {
		return nil, err
	}
	s := scan{o: o, topic: t, next: next, ends: ends}
	err = until(ctx, "scan of "+topic, s.run)
	slices.SortFunc(s.recs, func(a, b Rec) int {
		return cmp.Or(cmp.Compare(a.Where.Partition, b.Where.Partition), cmp.Compare(a.Where.Offset, b.Where.Offset))
	})
	return s.recs, err
}

// scan is one reading of a topic under way; it goes on where it was after an error.
type scan struct {
	o          *Observer
	topic      Topic
	next, ends map[int32]int64
	recs       []Rec
}

func (s *scan) run(ctx context.Context) error {
	for {
		left := false
		for leader, ps := range byLeader(s.topic) {
			ps = slices.DeleteFunc(ps, func(p int32) bool { return s.next[p] >= s.ends[p] })
			if len(ps) == 0 {
				continue
			}
			left = true
			if err := s.fetch(ctx, leader, ps); err != nil {
				return s.again(ctx, err)
			}
		}
		if !left {
			return nil
		}
	}
}

// again looks up the leaders anew after an error.
func (s *scan) again(ctx context.Context, err error) error {
	if topics, e := s.o.metadata(ctx, []string{s.topic.Name}); e == nil {
		s.topic = topics[0]
	}
	return err
}

func (s *scan) fetch(ctx context.Context, leader int32, ps []int32) error {
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes = 0, 0, fetchBytes
	req.SessionEpoch = -1 // no fetch session (KIP-227)
	rt := kmsg.NewFetchRequestTopic()
	rt.Topic, rt.TopicID = s.topic.Name, s.topic.ID
	for _, p := range ps {
		rp := kmsg.NewFetchRequestTopicPartition()
		rp.Partition, rp.FetchOffset, rp.PartitionMaxBytes = p, s.next[p], fetchBytes
		rp.CurrentLeaderEpoch, rp.LastFetchedEpoch = -1, -1
		rt.Partitions = append(rt.Partitions, rp)
	}
	req.Topics = append(req.Topics, rt)
	resp, err := req.RequestWith(ctx, s.o.client.Broker(int(leader)))
	if err != nil {
		return fmt.Errorf("fetch at node %d: %w", leader, err)
	}
	if err := bad("fetch", resp.ErrorCode); err != nil {
		return err
	}
	for _, t := range resp.Topics {
		for i := range t.Partitions {
			if err := s.take(&t.Partitions[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *scan) take(p *kmsg.FetchResponseTopicPartition) error {
	at := fmt.Sprintf("fetch of %s/%d", s.topic.Name, p.Partition)
	if err := bad(at, p.ErrorCode); err != nil {
		return err
	}
	from := s.next[p.Partition]
	for b := range records.Batches(p.RecordBatches) {
		if !b.Control() {
			if err := s.batch(p.Partition, from, b, s.o.unzip); err != nil {
				return fmt.Errorf("%s: %w", at, err)
			}
		}
		s.next[p.Partition] = b.Base + int64(b.LastDelta) + 1
	}
	if s.next[p.Partition] == from {
		return fmt.Errorf("%s: nothing at offset %d, though the end is %d", at, from, s.ends[p.Partition])
	}
	return nil
}

func (s *scan) batch(part int32, from int64, b records.Batch, unzip kgo.Decompressor) error {
	recs, err := b.Records(unzip)
	if err != nil {
		return err
	}
	for _, r := range recs {
		offset := b.Base + int64(r.Delta)
		if offset < from || offset >= s.ends[part] {
			continue
		}
		rec := Rec{
			Where:    history.Position{Topic: s.topic.Name, Partition: part, Offset: offset},
			Key:      slices.Clone(r.Key),
			Value:    slices.Clone(r.Value),
			Producer: history.Producer{ID: b.Producer, Epoch: b.Epoch, Seq: -1},
			Time:     r.Time,
		}
		if b.Producer >= 0 {
			rec.Producer.Seq = b.FirstSeq + r.Delta
		}
		s.recs = append(s.recs, rec)
	}
	return nil
}
