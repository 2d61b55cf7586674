package wire

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"tahanuji/system/broker/records"
	"tahanuji/system/history"
)

// Place says where a labelled record is.
type Place struct {
	Label string
	Where history.Position
}

// Response completes a request's view with the broker's answer, and returns the places of labelled records that the answer
// gives away. ToldCode and ToldOffset are set as if the client were told the truth.
func (r *Reader) Response(v *View, resp kmsg.Response) []Place {
	var places []Place
	switch a := resp.(type) {
	case *kmsg.ProduceResponse:
		places = r.acked(v, a)
	case *kmsg.FetchResponse:
		places = r.fetched(v, a)
	case *kmsg.OffsetCommitResponse:
		for _, t := range a.Topics {
			for _, p := range t.Partitions {
				v.code(r.topic(t.Topic, t.TopicID), p.Partition, p.ErrorCode)
			}
		}
	case *kmsg.TxnOffsetCommitResponse:
		for _, t := range a.Topics {
			for _, p := range t.Partitions {
				v.code(r.topic(t.Topic, t.TopicID), p.Partition, p.ErrorCode)
			}
		}
	case *kmsg.OffsetFetchResponse:
		r.offsets(v, a)
	case *kmsg.ListOffsetsResponse:
		for _, t := range a.Topics {
			for _, p := range t.Partitions {
				v.Items = append(v.Items, history.Item{Topic: t.Topic, Partition: p.Partition, Offset: p.Offset, Code: p.ErrorCode})
			}
		}
	case *kmsg.FindCoordinatorResponse:
		for _, c := range a.Coordinators {
			if c.ErrorCode != 0 {
				v.Code = c.ErrorCode
			}
		}
	case *kmsg.LeaveGroupResponse:
		for _, m := range a.Members {
			if m.ErrorCode != 0 {
				v.Code = m.ErrorCode
			}
		}
	case *kmsg.JoinGroupResponse:
		v.Member, v.Generation = a.MemberID, a.Generation
	case *kmsg.ConsumerGroupHeartbeatResponse:
		if a.MemberID != nil && *a.MemberID != "" {
			v.Member = *a.MemberID
		}
	}
	if code, ok := Top(resp); ok && code != 0 {
		v.Code = code
	}
	if v.Code != 0 || (v.Group != "" && len(v.Items) == 0) {
		v.Items = append(v.Items, history.Item{Partition: -1, Offset: -1, Code: v.Code})
	}
	for i := range v.Items {
		v.Items[i].ToldCode = v.Items[i].Code
	}
	return places
}

// at finds the item of a partition, nil if there is none.
func (v *View) at(topic string, partition int32) *history.Item {
	for i := range v.Items {
		if v.Items[i].Topic == topic && v.Items[i].Partition == partition {
			return &v.Items[i]
		}
	}
	return nil
}

func (v *View) code(topic string, partition int32, code int16) {
	if it := v.at(topic, partition); it != nil {
		it.Code = code
	}
}

// Failed is the first error code of the answer, 0 if there is none.
func (v *View) Failed() int16 {
	if v.Code != 0 {
		return v.Code
	}
	for i := range v.Items {
		if c := v.Items[i].Code; c != 0 {
			return c
		}
	}
	return 0
}

func (r *Reader) acked(v *View, a *kmsg.ProduceResponse) []Place {
	var places []Place
	for _, t := range a.Topics {
		for _, p := range t.Partitions {
			it := v.at(r.topic(t.Topic, t.TopicID), p.Partition)
			if it == nil {
				continue
			}
			it.Code = p.ErrorCode
			if p.ErrorCode != 0 || p.BaseOffset < 0 {
				continue
			}
			it.Offset, it.ToldOffset = p.BaseOffset, p.BaseOffset
			for i, l := range it.Labels {
				if l != "" {
					places = append(places, Place{l, history.Position{Topic: it.Topic, Partition: it.Partition, Offset: p.BaseOffset + int64(i)}})
				}
			}
		}
	}
	return places
}

// fetched completes the items of a Fetch. An incremental Fetch (KIP-227) names no partitions: an item then has the offset of
// the first record that came.
func (r *Reader) fetched(v *View, a *kmsg.FetchResponse) []Place {
	var places []Place
	for _, t := range a.Topics {
		topic := r.topic(t.Topic, t.TopicID)
		for i := range t.Partitions {
			p := &t.Partitions[i]
			it, asked := v.at(topic, p.Partition), int64(0)
			if it == nil {
				v.Items = append(v.Items, history.Item{Topic: topic, Partition: p.Partition, Offset: -1})
				it = &v.Items[len(v.Items)-1]
			} else {
				asked = it.Offset
			}
			it.Code = p.ErrorCode
			for b := range records.Batches(p.RecordBatches) {
				places = append(places, r.brought(it, asked, b)...)
			}
		}
	}
	return places
}

func (r *Reader) brought(it *history.Item, asked int64, b records.Batch) []Place {
	if b.Control() {
		return nil
	}
	if it.Offset < 0 {
		it.Offset = b.Base
	}
	if r.Label == nil {
		it.Records += int(b.Count)
		return nil
	}
	if labels, ok := r.known(it, asked, b); ok {
		it.Records += len(labels)
		it.Labels = append(it.Labels, labels...)
		return nil
	}
	recs, err := b.Records(r.Unzip)
	if err != nil {
		it.Records += int(b.Count)
		return nil
	}
	var places []Place
	for _, rec := range recs {
		at := history.Position{Topic: it.Topic, Partition: it.Partition, Offset: b.Base + int64(rec.Delta)}
		if at.Offset < asked {
			continue // a batch comes whole, even if the client wants its end only
		}
		l := r.Label(it.Topic, rec.Value)
		it.Records++
		it.Labels = append(it.Labels, l)
		if l != "" {
			places = append(places, Place{l, at})
		}
	}
	return places
}

// known finds the labels of a batch of which every offset was seen before.
func (r *Reader) known(it *history.Item, asked int64, b records.Batch) ([]string, bool) {
	if r.Known == nil || int32(b.Count) != b.LastDelta+1 {
		return nil, false
	}
	var labels []string
	for o := max(asked, b.Base); o <= b.Base+int64(b.LastDelta); o++ {
		l, ok := r.Known(history.Position{Topic: it.Topic, Partition: it.Partition, Offset: o})
		if !ok {
			return nil, false
		}
		labels = append(labels, l)
	}
	return labels, true
}

func (r *Reader) offsets(v *View, a *kmsg.OffsetFetchResponse) {
	for _, t := range a.Topics {
		for _, p := range t.Partitions {
			v.Items = append(v.Items, history.Item{Topic: t.Topic, Partition: p.Partition, Offset: p.Offset, Code: p.ErrorCode})
		}
	}
	for _, g := range a.Groups {
		if g.Group == v.Group && g.ErrorCode != 0 {
			v.Code = g.ErrorCode
		}
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				v.Items = append(v.Items, history.Item{Topic: r.topic(t.Topic, t.TopicID), Partition: p.Partition, Offset: p.Offset, Code: p.ErrorCode})
			}
		}
	}
}
