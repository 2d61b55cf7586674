package model

import (
	"slices"
	"time"

	"tahanuji/system/history"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Error codes that the model's broker answers with (Kafka protocol, "Error codes").
var (
	codeUnknownTopic   = kerr.UnknownTopicOrPartition.Code
	codeNotLeader      = kerr.NotLeaderForPartition.Code
	codeNotCoordinator = kerr.NotCoordinator.Code
	codeGeneration     = kerr.IllegalGeneration.Code
	codeUnknownMember  = kerr.UnknownMemberID.Code
	codeRebalance      = kerr.RebalanceInProgress.Code
	codeOutOfOrder     = kerr.OutOfOrderSequenceNumber.Code
	codeOldEpoch       = kerr.InvalidProducerEpoch.Code
	codeUnknownPID     = kerr.UnknownProducerID.Code
	codeDuplicateSeq   = kerr.DuplicateSequenceNumber.Code
)

// record is a record on its way or in a log.
type record struct {
	key, value []byte
	at         time.Time
	label      string
	origin     history.Producer
}

type topic struct {
	name   string
	config map[string]string
	parts  []*partition
	hash   kgo.TopicPartitioner
}

type partition struct {
	topic   *topic
	n       int32
	leader  int32
	log     []record
	origins map[int64]*origin
	waiting []*fetching // long polls
}

// origin is what a log knows of an idempotent producer: its last five batches (KIP-98; five since Kafka 1.0).
type origin struct {
	epoch   int16
	batches []batch // oldest first
}

type batch struct {
	first, last int32
	base        int64
}

func (w *world) addTopic(name string, partitions int, config map[string]string) {
	if w.topics[name] != nil {
		return
	}
	t := &topic{name: name, config: config, hash: kgo.StickyKeyPartitioner(nil).ForTopic(name)}
	for i := range partitions {
		t.parts = append(t.parts, &partition{topic: t, n: int32(i), leader: int32(i % len(w.nodes)), origins: map[int64]*origin{}})
	}
	w.topics[name] = t
	w.topicOrder = append(w.topicOrder, name)
}

func (w *world) partition(topic string, n int32) *partition {
	t := w.topics[topic]
	if t == nil || n < 0 || int(n) >= len(t.parts) {
		return nil
	}
	return t.parts[n]
}

// place is the partition of a key: the hash of franz-go's default partitioner, which is Kafka's.
func (w *world) place(t *topic, key []byte) *partition {
	if key == nil {
		return t.parts[w.rng.IntN(len(t.parts))]
	}
	w.scratch.Key = key
	return t.parts[t.hash.Partition(&w.scratch, len(t.parts))]
}

// append adds a batch to the log unless its producer's sequence forbids it, and returns the base offset and the code.
func (w *world) append(p *partition, rs []record, pid int64, epoch int16, first int32) (int64, int16) {
	base := int64(len(p.log))
	last := first + int32(len(rs)) - 1
	if pid >= 0 {
		o := p.origins[pid]
		switch {
		case o == nil:
			o = &origin{epoch: epoch}
			p.origins[pid] = o
		case epoch < o.epoch:
			return -1, codeOldEpoch
		case epoch > o.epoch:
			if first != 0 {
				return -1, codeOutOfOrder
			}
			o.epoch, o.batches = epoch, o.batches[:0]
		}
		for _, b := range o.batches {
			if b.first == first && b.last == last {
				return b.base, 0
			}
		}
		if n := len(o.batches); n > 0 && first != o.batches[n-1].last+1 {
			return -1, codeOutOfOrder
		}
		if len(o.batches) == 5 {
			o.batches = slices.Delete(o.batches, 0, 1)
		}
		o.batches = append(o.batches, batch{first, last, base})
	}
	for i, r := range rs {
		r.origin = history.Producer{ID: pid, Epoch: epoch, Seq: first + int32(i)}
		if pid < 0 {
			r.origin.Seq = -1
		}
		p.log = append(p.log, r)
		w.placed(p, base+int64(i), r.label)
	}
	w.lastAppend = w.loop.Now()
	woken := p.waiting
	p.waiting = nil
	for _, f := range woken {
		f.wake()
	}
	return base, 0
}

// retriable says whether a client tries again after the code by itself.
func retriable(code int16) bool { return kerr.IsRetriable(kerr.ErrorForCode(code)) }

// failure is the code's error, nil for 0.
func failure(code int16) error { return kerr.ErrorForCode(code) }
