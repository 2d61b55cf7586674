package wire

import (
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Refuse makes the answer of a broker that refuses a request with a code, set at every place where the API has one. False
// for APIs that have no entry in the table of codes, and for those whose refusal can only be made of the true answer
// (Metadata; a Fetch with a code that belongs to partitions).
func Refuse(body kmsg.Request, code int16) (kmsg.Response, bool) {
	resp := body.ResponseKind()
	switch q := body.(type) {
	case *kmsg.ProduceRequest:
		refuseProduce(q, resp.(*kmsg.ProduceResponse), code)
	case *kmsg.OffsetCommitRequest:
		refuseCommit(q, resp.(*kmsg.OffsetCommitResponse), code)
	case *kmsg.TxnOffsetCommitRequest:
		refuseTxnCommit(q, resp.(*kmsg.TxnOffsetCommitResponse), code)
	case *kmsg.ListOffsetsRequest:
		refuseList(q, resp.(*kmsg.ListOffsetsResponse), code)
	case *kmsg.OffsetForLeaderEpochRequest:
		refuseEpoch(q, resp.(*kmsg.OffsetForLeaderEpochResponse), code)
	case *kmsg.FindCoordinatorRequest:
		refuseFind(q, resp.(*kmsg.FindCoordinatorResponse), code)
	case *kmsg.OffsetFetchRequest:
		refuseOffsets(q, resp.(*kmsg.OffsetFetchResponse), code)
	case *kmsg.AddPartitionsToTxnRequest:
		refuseAdd(q, resp.(*kmsg.AddPartitionsToTxnResponse), code)
	case *kmsg.FetchRequest:
		if !TopFetch(code) || q.Version < 7 {
			return nil, false
		}
		return resp, setTop(resp, code)
	case *kmsg.JoinGroupRequest:
		r := resp.(*kmsg.JoinGroupResponse)
		r.MemberID, r.Generation = q.MemberID, -1
		return resp, setTop(resp, code)
	default:
		return resp, setTop(resp, code)
	}
	return resp, true
}

func refuseProduce(q *kmsg.ProduceRequest, resp *kmsg.ProduceResponse, code int16) {
	for _, t := range q.Topics {
		rt := kmsg.NewProduceResponseTopic()
		rt.Topic, rt.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			rp := kmsg.NewProduceResponseTopicPartition()
			rp.Partition, rp.ErrorCode, rp.BaseOffset, rp.LogStartOffset = p.Partition, code, -1, -1
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
}

func refuseCommit(q *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, code int16) {
	for _, t := range q.Topics {
		rt := kmsg.NewOffsetCommitResponseTopic()
		rt.Topic, rt.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			rp := kmsg.NewOffsetCommitResponseTopicPartition()
			rp.Partition, rp.ErrorCode = p.Partition, code
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
}

func refuseTxnCommit(q *kmsg.TxnOffsetCommitRequest, resp *kmsg.TxnOffsetCommitResponse, code int16) {
	for _, t := range q.Topics {
		rt := kmsg.NewTxnOffsetCommitResponseTopic()
		rt.Topic, rt.TopicID = t.Topic, t.TopicID
		for _, p := range t.Partitions {
			rp := kmsg.NewTxnOffsetCommitResponseTopicPartition()
			rp.Partition, rp.ErrorCode = p.Partition, code
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
}

func refuseList(q *kmsg.ListOffsetsRequest, resp *kmsg.ListOffsetsResponse, code int16) {
	for _, t := range q.Topics {
		rt := kmsg.NewListOffsetsResponseTopic()
		rt.Topic = t.Topic
		for _, p := range t.Partitions {
			rp := kmsg.NewListOffsetsResponseTopicPartition()
			rp.Partition, rp.ErrorCode, rp.Timestamp, rp.Offset = p.Partition, code, -1, -1
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
}

func refuseEpoch(q *kmsg.OffsetForLeaderEpochRequest, resp *kmsg.OffsetForLeaderEpochResponse, code int16) {
	for _, t := range q.Topics {
		rt := kmsg.NewOffsetForLeaderEpochResponseTopic()
		rt.Topic = t.Topic
		for _, p := range t.Partitions {
			rp := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
			rp.Partition, rp.ErrorCode = p.Partition, code
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
}

func refuseFind(q *kmsg.FindCoordinatorRequest, resp *kmsg.FindCoordinatorResponse, code int16) {
	resp.ErrorCode, resp.NodeID, resp.Port = code, -1, -1
	for _, k := range q.CoordinatorKeys {
		c := kmsg.NewFindCoordinatorResponseCoordinator()
		c.Key, c.ErrorCode, c.NodeID, c.Port = k, code, -1, -1
		resp.Coordinators = append(resp.Coordinators, c)
	}
}

// refuseOffsets sets the code where each version has it: by partition in v0 and v1, at the top in v2 to v7, by group later.
func refuseOffsets(q *kmsg.OffsetFetchRequest, resp *kmsg.OffsetFetchResponse, code int16) {
	resp.ErrorCode = code
	for _, g := range q.Groups {
		rg := kmsg.NewOffsetFetchResponseGroup()
		rg.Group, rg.ErrorCode = g.Group, code
		resp.Groups = append(resp.Groups, rg)
	}
	if q.Version > 1 {
		return
	}
	for _, t := range q.Topics {
		rt := kmsg.NewOffsetFetchResponseTopic()
		rt.Topic = t.Topic
		for _, p := range t.Partitions {
			rp := kmsg.NewOffsetFetchResponseTopicPartition()
			rp.Partition, rp.ErrorCode, rp.Offset = p, code, -1
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
}

func refuseAdd(q *kmsg.AddPartitionsToTxnRequest, resp *kmsg.AddPartitionsToTxnResponse, code int16) {
	resp.ErrorCode = code
	for _, t := range q.Topics {
		rt := kmsg.NewAddPartitionsToTxnResponseTopic()
		rt.Topic = t.Topic
		for _, p := range t.Partitions {
			rp := kmsg.NewAddPartitionsToTxnResponseTopicPartition()
			rp.Partition, rp.ErrorCode = p, code
			rt.Partitions = append(rt.Partitions, rp)
		}
		resp.Topics = append(resp.Topics, rt)
	}
}
