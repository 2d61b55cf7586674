package wire

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// Truth: where a producer was told by the broker that its records begin at an offset, and where the source was told a position, the
// log holds those very events there. Records that the topic no longer keeps (before its first one, or in a compacted topic) are not
// judged. One answer with a wrong offset is one finding, however many records it was for.
var Truth = check.One("ack.truth", "Each acknowledged partition and offset is where the log holds that very event.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		for i := range in.History.Ledger {
			x := &in.History.Ledger[i]
			if x.API != "Produce" || x.Told != history.OK || x.Acks == 0 {
				continue
			}
			for n := range x.Items {
				told(t, ix, x, &x.Items[n])
			}
		}
		for _, s := range ix.Sent {
			for _, try := range s.Tries {
				if try.Outcome() == history.OK && try.Answer.Where != nil {
					answered(t, ix, s, try)
				}
			}
		}
		return t.Verdict(fmt.Sprintf("each of %s is where the log holds that event", check.Plural(t.Examined(), "acknowledged position")),
			"no acknowledgement of a record that was scanned is known")
	})

func told(t *check.Tally, ix *check.Index, x *history.Exchange, item *history.Item) {
	topic := ix.Topic(item.Topic)
	if topic == nil || item.ToldCode != 0 || item.Code != 0 || item.Offset < 0 {
		return
	}
	wrong := false
	for i, label := range item.Labels {
		at := history.Position{Topic: item.Topic, Partition: item.Partition, Offset: item.Offset + int64(i)}
		text, holds, judged := differs(topic, label, at, x.At <= ix.ScannedAt())
		if !judged {
			continue
		}
		t.Look(1)
		if text == "" || wrong {
			continue
		}
		wrong = true
		t.Find(func() check.Finding {
			f := check.Finding{Text: fmt.Sprintf("%s was told that %s is at %s, and there is %s", x.Door, label, check.Place(&at), text), Exchanges: []int64{x.Seq}, Labels: []string{label}}
			if holds != nil {
				f.Witness = []history.Seq{holds.Event.Seq}
			}
			return f
		})
	}
}

// differs says what stands at a position instead of the record with a label; judged is false where that can't be told: what was
// acknowledged after the scan at rest may be nowhere in what was seen.
func differs(topic *check.Topic, label string, at history.Position, before bool) (text string, holds *check.Record, judged bool) {
	end, scanned := topic.Ends[at.Partition]
	if label == "" || !topic.Scanned[history.ScanRest] || at.Offset < topic.Starts[at.Partition] {
		return "", nil, false
	}
	r := topic.At(at.Partition, at.Offset)
	if r == nil {
		r = topic.LaterAt(at.Partition, at.Offset)
	}
	switch {
	case r == nil && (!before || scanned && at.Offset < end && topic.Compacted()):
		return "", nil, false
	case r == nil:
		return "nothing", nil, true
	case r.Broken != nil:
		return "", nil, false // the ledger may label it as the good event that it was made of
	case r.Is(label):
		return "", r, true
	case r.Label() == "":
		return fmt.Sprintf("a record (id %s) that nobody sent", r.ID), r, true
	}
	return r.Label(), r, true
}

func answered(t *check.Tally, ix *check.Index, s *check.Sent, try check.Try) {
	at := *try.Answer.Where
	topic := ix.Topic(at.Topic)
	if topic == nil {
		return
	}
	text, holds, judged := differs(topic, s.Label, at, try.Answer.At <= ix.ScannedAt())
	if !judged {
		return
	}
	t.Look(1)
	if text == "" {
		return
	}
	t.Find(func() check.Finding {
		f := check.Finding{
			Text:    fmt.Sprintf("the source was told that %s is at %s, and there is %s", s.Name(), check.Place(&at), text),
			Witness: append(s.Trace(), try.Invoke.Seq, try.Answer.Seq), Labels: []string{s.Label},
		}
		if holds != nil {
			f.Witness = append(f.Witness, holds.Event.Seq)
		}
		return f
	})
}
