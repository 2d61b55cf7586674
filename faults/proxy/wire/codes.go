package wire

import (
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// codes of an API that a fault may put into an answer. Refused: the broker did not do it. Applied: the broker did it, and
// answers an error all the same.
type codes struct{ refused, applied []int16 }

// table holds, by API, the codes that a broker really answers: those that the answer's class in Kafka's clients lists
// ("Possible error codes" of ProduceResponse, OffsetCommitResponse, ... in org.apache.kafka.common.requests, 4.x), without
// those that state a fact which the fault would have to invent (an offset out of range, a message too large). Applied are the
// ones that come after the write: what waits for replicas (DelayedProduce; the coordinator's own log, where
// NOT_ENOUGH_REPLICAS and a time-out become COORDINATOR_NOT_AVAILABLE, and a lost leader becomes NOT_COORDINATOR).
var table = map[kmsg.Key]codes{
	kmsg.Produce: {
		refused: []int16{-1, 2, 3, 6, 7, 19, 20, 29, 31, 45, 47, 48, 49, 53, 56, 59, 87, 100},
		applied: []int16{6, 7, 20},
	},
	kmsg.Fetch:                  {refused: []int16{-1, 2, 3, 6, 9, 29, 56, 70, 71, 74, 75, 78, 100, 103, 106}},
	kmsg.ListOffsets:            {refused: []int16{-1, 3, 5, 6, 9, 29, 56, 74, 75, 78}},
	kmsg.Metadata:               {refused: []int16{3, 5, 29, 100}},
	kmsg.FindCoordinator:        {refused: []int16{15, 30, 53}},
	kmsg.OffsetForLeaderEpoch:   {refused: []int16{3, 6, 29, 56, 74, 75}},
	kmsg.OffsetCommit:           {refused: []int16{3, 7, 14, 15, 16, 22, 25, 27, 29, 30, 82, 113}, applied: []int16{7, 15, 16}},
	kmsg.TxnOffsetCommit:        {refused: []int16{3, 7, 14, 15, 16, 22, 25, 29, 30, 47, 49, 53, 82, 90}, applied: []int16{7, 15, 16}},
	kmsg.OffsetFetch:            {refused: []int16{14, 15, 16, 25, 30, 88, 113}},
	kmsg.JoinGroup:              {refused: []int16{14, 15, 16, 25, 27, 30, 79, 81, 82}},
	kmsg.SyncGroup:              {refused: []int16{15, 16, 22, 25, 27, 30, 82}, applied: []int16{15, 16, 27}},
	kmsg.Heartbeat:              {refused: []int16{15, 16, 22, 25, 27, 30, 82}},
	kmsg.LeaveGroup:             {refused: []int16{14, 15, 16, 25, 30}, applied: []int16{15, 16}},
	kmsg.ConsumerGroupHeartbeat: {refused: []int16{14, 15, 16, 25, 30, 81, 110, 111}, applied: []int16{15, 16}},
	kmsg.ShareGroupHeartbeat:    {refused: []int16{14, 15, 16, 25, 30, 81, 110}, applied: []int16{15, 16}},
	kmsg.InitProducerID:         {refused: []int16{7, 14, 15, 16, 31, 47, 51, 53, 90}, applied: []int16{15, 16}},
	kmsg.AddPartitionsToTxn:     {refused: []int16{14, 15, 16, 47, 48, 49, 51, 53, 90}, applied: []int16{15, 16}},
	kmsg.AddOffsetsToTxn:        {refused: []int16{14, 15, 16, 30, 47, 48, 49, 51, 53, 90}, applied: []int16{15, 16}},
	kmsg.EndTxn:                 {refused: []int16{14, 15, 16, 47, 48, 49, 51, 53, 90}, applied: []int16{15, 16, 51}},
	kmsg.ShareFetch:             {refused: []int16{30, 122, 123}},
	kmsg.ShareAcknowledge:       {refused: []int16{30, 122, 123}},
}

// topFetch are the codes that a Fetch answers for the whole request (FetchSession); the others belong to a partition.
var topFetch = []int16{-1, 70, 71, 106}

// TopFetch says whether a Fetch answers the code for the whole request.
func TopFetch(code int16) bool { return slices.Contains(topFetch, code) }

// Codes lists the codes that an API answers when it refused, or when it applied, a request; none for an API without any.
func Codes(api string, applied bool) []int16 {
	key, ok := Key(api)
	if !ok {
		return nil
	}
	c := table[kmsg.Key(key)]
	if applied {
		return slices.Clone(c.applied)
	}
	return slices.Clone(c.refused)
}

// CheckCode says why a fault may not answer code to an API; nil if it may.
func CheckCode(api string, code int16, applied bool) error {
	known := Codes(api, applied)
	if slices.Contains(known, code) {
		return nil
	}
	how := "when it refuses a request"
	if applied {
		how = "after it applied a request"
	}
	name := fmt.Sprint(code)
	if e := kerr.TypedErrorForCode(code); e != nil {
		name = fmt.Sprintf("%s (%d)", e.Message, code)
	}
	return fmt.Errorf("no broker answers %s to %s %s; it answers %v", name, api, how, known)
}

// CodeName is the protocol's name of an error code.
func CodeName(code int16) string {
	if code == 0 {
		return "without an error"
	}
	if e := kerr.TypedErrorForCode(code); e != nil {
		return e.Message
	}
	return fmt.Sprintf("error %d", code)
}
