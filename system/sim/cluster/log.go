// Package cluster is what a broker keeps: logs that know their idempotent producers, and consumer groups as a coordinator keeps
// them, in virtual time. It knows no requests, no nodes and no clients.
package cluster

import (
	"slices"
	"time"

	"tahanuji/system/history"

	"github.com/twmb/franz-go/pkg/kerr"
)

// Error codes that the model's broker answers with (Kafka protocol, "Error codes").
var (
	UnknownTopic   = kerr.UnknownTopicOrPartition.Code
	NotLeader      = kerr.NotLeaderForPartition.Code
	NotCoordinator = kerr.NotCoordinator.Code
	OldGeneration  = kerr.IllegalGeneration.Code
	UnknownMember  = kerr.UnknownMemberID.Code
	Rebalance      = kerr.RebalanceInProgress.Code
	OutOfOrder     = kerr.OutOfOrderSequenceNumber.Code
	OldEpoch       = kerr.InvalidProducerEpoch.Code
	UnknownPID     = kerr.UnknownProducerID.Code
	DuplicateSeq   = kerr.DuplicateSequenceNumber.Code
)

// Retriable says whether a client tries again after the code by itself.
func Retriable(code int16) bool { return kerr.IsRetriable(kerr.ErrorForCode(code)) }

// Failure is the code's error, nil for 0.
func Failure(code int16) error { return kerr.ErrorForCode(code) }

// Record is a record on its way or in a log.
type Record struct {
	Key, Value []byte
	At         time.Time
	Label      string
	Origin     history.Producer
}

// Log is one partition. Its zero value is empty.
type Log struct {
	Records []Record
	origins map[int64]*origin
}

// window is how many batches of a producer a log remembers (Kafka: five, KIP-98).
const window = 5

// origin is what a log knows of an idempotent producer.
type origin struct {
	epoch   int16
	batches []batch // oldest first
}

type batch struct {
	first, last int32
	base        int64
}

// Append adds a batch unless its producer's numbers forbid it. It returns the base offset, the code, and whether anything was
// appended: a batch that is in the log already is answered with its first offset. A producer id below 0 has no numbers.
func (l *Log) Append(rs []Record, pid int64, epoch int16, first int32) (base int64, code int16, appended bool) {
	base = int64(len(l.Records))
	if pid >= 0 {
		at, code := l.number(pid, epoch, batch{first, first + int32(len(rs)) - 1, base})
		if code != 0 || at != base {
			return at, code, false
		}
	}
	for i, r := range rs {
		r.Origin = history.Producer{ID: pid, Epoch: epoch, Seq: first + int32(i)}
		if pid < 0 {
			r.Origin.Seq = -1
		}
		l.Records = append(l.Records, r)
	}
	return base, 0, true
}

// number holds a batch against what the log knows of its producer, and notes it if it is the next one. It returns the offset at
// which the batch stands or is to stand.
func (l *Log) number(pid int64, epoch int16, b batch) (int64, int16) {
	o := l.origins[pid]
	switch {
	case o == nil:
		if l.origins == nil {
			l.origins = map[int64]*origin{}
		}
		o = &origin{epoch: epoch}
		l.origins[pid] = o
	case epoch < o.epoch:
		return -1, OldEpoch
	case epoch > o.epoch:
		if b.first != 0 {
			return -1, OutOfOrder
		}
		o.epoch, o.batches = epoch, o.batches[:0]
	}
	for _, had := range o.batches {
		if had.first == b.first && had.last == b.last {
			return had.base, 0
		}
	}
	if n := len(o.batches); n > 0 && b.first != o.batches[n-1].last+1 {
		return -1, OutOfOrder
	}
	if len(o.batches) == window {
		o.batches = slices.Delete(o.batches, 0, 1)
	}
	o.batches = append(o.batches, b)
	return b.base, 0
}
