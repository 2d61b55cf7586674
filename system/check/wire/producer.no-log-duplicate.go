package wire

import (
	"fmt"
	"slices"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// NoLogDuplicate: no two records of a partition have the same producer id, epoch and sequence number, in topics that a flow with an
// idempotent producer writes. An application that sends an event again does so under a new number, which is allowed.
var NoLogDuplicate = check.One("producer.no-log-duplicate", "A batch that a client library sends again is appended once.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		for _, f := range in.Doc.Flows {
			topic := ix.Topic(f.Writes)
			if topic == nil || f.Producer == nil || !f.Producer.Idempotent || topic.Written(in.Doc) != f.Name {
				continue
			}
			appended(t, topic)
		}
		return t.Verdict(fmt.Sprintf("no two of %s have the same producer id, epoch and sequence number", check.Plural(t.Examined(), "record")),
			"no record of an idempotent producer is in a topic")
	})

// origin is one producer's way into one partition.
type origin struct {
	partition int32
	id        int64
	epoch     int16
}

// appended keeps each origin's sequence numbers in order. They come nearly sorted, so that keeping them costs little.
func appended(t *check.Tally, topic *check.Topic) {
	type number struct {
		seq    int32
		record *check.Record
	}
	all := map[origin][]number{}
	for i := range topic.Records {
		r := &topic.Records[i]
		p := r.Event.Producer
		if p == nil || p.ID < 0 || p.Seq < 0 {
			continue
		}
		t.Look(1)
		o := origin{r.Partition, p.ID, p.Epoch}
		have := all[o]
		if n := len(have); n == 0 || have[n-1].seq < p.Seq {
			all[o] = append(have, number{p.Seq, r})
			continue
		}
		at, twice := slices.BinarySearchFunc(have, p.Seq, func(a number, seq int32) int { return int(a.seq) - int(seq) })
		if !twice {
			all[o] = slices.Insert(have, at, number{p.Seq, r})
			continue
		}
		first := have[at].record
		t.Find(func() check.Finding {
			f := check.Finding{
				Text: fmt.Sprintf("the record at %s (id %s) was appended again at %s: producer %d, epoch %d, number %d stands twice", first.Place(), first.ID, r.Place(),
					p.ID, p.Epoch, p.Seq),
				Witness: []history.Seq{first.Event.Seq, r.Event.Seq},
			}
			if label := r.Label(); label != "" {
				f.Labels = []string{label}
			}
			return f
		})
	}
}
