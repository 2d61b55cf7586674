package wire

import (
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Blame turns a broker's true answer into an error with a code, at every place where the API has one, and takes out what an
// answer with that error does not carry (offsets, records). False when the answer has no place for the code; it is then as
// it was. An incremental Fetch that brought nothing names no partition, so a partition's code has no place there.
func Blame(resp kmsg.Response, code int16) bool {
	n := 0
	switch r := resp.(type) {
	case *kmsg.ProduceResponse:
		for i := range r.Topics {
			for j := range r.Topics[i].Partitions {
				p := &r.Topics[i].Partitions[j]
				p.ErrorCode, p.BaseOffset, p.LogAppendTime, p.LogStartOffset = code, -1, -1, -1
				n++
			}
		}
	case *kmsg.FetchResponse:
		return blameFetch(r, code)
	case *kmsg.OffsetCommitResponse:
		for i := range r.Topics {
			for j := range r.Topics[i].Partitions {
				r.Topics[i].Partitions[j].ErrorCode = code
				n++
			}
		}
	case *kmsg.TxnOffsetCommitResponse:
		for i := range r.Topics {
			for j := range r.Topics[i].Partitions {
				r.Topics[i].Partitions[j].ErrorCode = code
				n++
			}
		}
	case *kmsg.ListOffsetsResponse:
		for i := range r.Topics {
			for j := range r.Topics[i].Partitions {
				p := &r.Topics[i].Partitions[j]
				p.ErrorCode, p.Timestamp, p.Offset = code, -1, -1
				n++
			}
		}
	case *kmsg.MetadataResponse:
		for i := range r.Topics {
			r.Topics[i].ErrorCode, r.Topics[i].Partitions = code, nil
			n++
		}
	case *kmsg.SyncGroupResponse:
		r.MemberAssignment = nil
		return setTop(resp, code)
	default:
		return blameTxn(resp, code)
	}
	return n > 0
}

func blameTxn(resp kmsg.Response, code int16) bool {
	r, ok := resp.(*kmsg.AddPartitionsToTxnResponse)
	if !ok {
		return setTop(resp, code)
	}
	r.ErrorCode, r.Transactions = code, nil
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			r.Topics[i].Partitions[j].ErrorCode = code
		}
	}
	return true
}

func blameFetch(r *kmsg.FetchResponse, code int16) bool {
	if TopFetch(code) && r.Version >= 7 {
		r.ErrorCode, r.SessionID, r.Topics = code, 0, nil
		return true
	}
	n := 0
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			p := &r.Topics[i].Partitions[j]
			p.ErrorCode, p.HighWatermark, p.LastStableOffset, p.LogStartOffset = code, -1, -1, -1
			p.RecordBatches, p.AbortedTransactions = []byte{}, nil
			n++
		}
	}
	return n > 0
}

// top finds the place of an answer's top-level code; nil for APIs that have none.
func top(resp kmsg.Response) *int16 {
	switch r := resp.(type) {
	case *kmsg.FetchResponse:
		return &r.ErrorCode
	case *kmsg.JoinGroupResponse:
		return &r.ErrorCode
	case *kmsg.SyncGroupResponse:
		return &r.ErrorCode
	case *kmsg.HeartbeatResponse:
		return &r.ErrorCode
	case *kmsg.LeaveGroupResponse:
		return &r.ErrorCode
	case *kmsg.ConsumerGroupHeartbeatResponse:
		return &r.ErrorCode
	case *kmsg.ShareGroupHeartbeatResponse:
		return &r.ErrorCode
	case *kmsg.OffsetFetchResponse:
		return &r.ErrorCode
	case *kmsg.FindCoordinatorResponse:
		return &r.ErrorCode
	case *kmsg.InitProducerIDResponse:
		return &r.ErrorCode
	case *kmsg.AddPartitionsToTxnResponse:
		return &r.ErrorCode
	case *kmsg.AddOffsetsToTxnResponse:
		return &r.ErrorCode
	case *kmsg.EndTxnResponse:
		return &r.ErrorCode
	case *kmsg.ShareFetchResponse:
		return &r.ErrorCode
	case *kmsg.ShareAcknowledgeResponse:
		return &r.ErrorCode
	case *kmsg.ApiVersionsResponse:
		return &r.ErrorCode
	default:
		return nil
	}
}

// Top is the answer's top-level error code; false for an API that has none.
func Top(resp kmsg.Response) (int16, bool) {
	if at := top(resp); at != nil {
		return *at, true
	}
	return 0, false
}

func setTop(resp kmsg.Response, code int16) bool {
	at := top(resp)
	if at == nil {
		return false
	}
	*at = code
	return true
}
