package wire

import (
	"encoding/hex"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tahanuji/system/broker/records"
	"tahanuji/system/history"
)

// View is what an exchange is about, as the ledger keeps it.
type View struct {
	Group, Member string
	Generation    int32 // -1 where the request names none; a member's epoch in the groups of KIP-848
	Acks          int16
	Items         []history.Item
	Code          int16 // the answer's top-level code, for APIs that have one
}

// Reader turns messages into views. All fields may be nil; then topics that the protocol names by id alone are called by
// their id in hexadecimal, and nothing has a label.
type Reader struct {
	Topic func(id [16]byte) string
	Label func(topic string, value []byte) string
	// Known is the label of a place that was seen before, so that its record need not be read again.
	Known func(p history.Position) (label string, ok bool)
	Unzip kgo.Decompressor
}

func (r *Reader) topic(name string, id [16]byte) string {
	if name != "" || id == [16]byte{} {
		return name
	}
	if r.Topic != nil {
		if name = r.Topic(id); name != "" {
			return name
		}
	}
	return "id:" + hex.EncodeToString(id[:])
}

// Request reads what a request says.
func (r *Reader) Request(body kmsg.Request) View {
	v := View{Generation: -1}
	switch q := body.(type) {
	case *kmsg.ProduceRequest:
		v.Acks, v.Items = q.Acks, r.produced(q)
	case *kmsg.FetchRequest:
		for _, t := range q.Topics {
			for _, p := range t.Partitions {
				v.Items = append(v.Items, history.Item{Topic: r.topic(t.Topic, t.TopicID), Partition: p.Partition, Offset: p.FetchOffset})
			}
		}
	case *kmsg.OffsetCommitRequest:
		v.Group, v.Member, v.Generation = q.Group, q.MemberID, q.Generation
		for _, t := range q.Topics {
			for _, p := range t.Partitions {
				v.Items = append(v.Items, history.Item{Topic: r.topic(t.Topic, t.TopicID), Partition: p.Partition, Offset: p.Offset})
			}
		}
	case *kmsg.TxnOffsetCommitRequest:
		v.Group, v.Member, v.Generation = q.Group, q.MemberID, q.Generation
		for _, t := range q.Topics {
			for _, p := range t.Partitions {
				v.Items = append(v.Items, history.Item{Topic: r.topic(t.Topic, t.TopicID), Partition: p.Partition, Offset: p.Offset, ProducerID: q.ProducerID, Epoch: q.ProducerEpoch})
			}
		}
	case *kmsg.OffsetFetchRequest:
		v.Group = q.Group
		if len(q.Groups) > 0 {
			g := q.Groups[0]
			v.Group, v.Generation = g.Group, g.MemberEpoch
			if g.MemberID != nil {
				v.Member = *g.MemberID
			}
		}
	default:
		members(body, &v)
	}
	return v
}

// members reads the requests that say who is in a group.
func members(body kmsg.Request, v *View) {
	switch q := body.(type) {
	case *kmsg.JoinGroupRequest:
		v.Group, v.Member = q.Group, q.MemberID
	case *kmsg.SyncGroupRequest:
		v.Group, v.Member, v.Generation = q.Group, q.MemberID, q.Generation
	case *kmsg.HeartbeatRequest:
		v.Group, v.Member, v.Generation = q.Group, q.MemberID, q.Generation
	case *kmsg.LeaveGroupRequest:
		v.Group, v.Member = q.Group, q.MemberID
		if len(q.Members) > 0 {
			v.Member = q.Members[0].MemberID
		}
	case *kmsg.ConsumerGroupHeartbeatRequest:
		v.Group, v.Member, v.Generation = q.Group, q.MemberID, q.MemberEpoch
	case *kmsg.ShareGroupHeartbeatRequest:
		v.Group, v.Member, v.Generation = q.GroupID, q.MemberID, q.MemberEpoch
	case *kmsg.AddOffsetsToTxnRequest:
		v.Group = q.Group
	}
}

// produced reads the batches of a Produce. A partition has one batch (KIP-98); of several the first one's producer counts.
func (r *Reader) produced(q *kmsg.ProduceRequest) []history.Item {
	var items []history.Item
	for _, t := range q.Topics {
		topic := r.topic(t.Topic, t.TopicID)
		for _, p := range t.Partitions {
			it := history.Item{Topic: topic, Partition: p.Partition, Offset: -1, ToldOffset: -1, ProducerID: -1, Epoch: -1, FirstSeq: -1}
			first := true
			for b := range records.Batches(p.Records) {
				if first {
					it.ProducerID, it.Epoch, it.FirstSeq, first = b.Producer, b.Epoch, b.FirstSeq, false
				}
				it.Records += int(b.Count)
				it.Labels = append(it.Labels, r.labels(topic, b)...)
			}
			items = append(items, it)
		}
	}
	return items
}

// labels of a batch's records, "" for a record without one; nil when no record has one.
func (r *Reader) labels(topic string, b records.Batch) []string {
	if r.Label == nil || b.Control() {
		return nil
	}
	recs, err := b.Records(r.Unzip)
	if err != nil || len(recs) == 0 {
		return nil // a damaged batch has no labels; the broker refuses it anyway
	}
	labels, any := make([]string, len(recs)), false
	for i, rec := range recs {
		labels[i] = r.Label(topic, rec.Value)
		any = any || labels[i] != ""
	}
	if !any {
		return nil
	}
	return labels
}
