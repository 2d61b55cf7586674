package delivery

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// NoInvention: each record of a topic that a recorder writes is an event that the source sent, by its id. Where the role sets the id
// it is one by its body, and no event has more ids than it was sent times. Events that the source broke on purpose are
// schema.valid-only's matter, and so is a record of the harness nobody's.
var NoInvention = check.One("delivery.no-invention", "The topic holds no event that the source did not send.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		for _, topic := range ix.Topics {
			if !topic.FromSource || len(topic.Sent) == 0 {
				continue
			}
			for i := range topic.Records {
				r := &topic.Records[i]
				if r.Poison || r.Broken != nil {
					continue
				}
				t.Look(1)
				if r.Sent == nil && !r.Repeat {
					t.Find(func() check.Finding { return invented(r) })
				}
			}
			for _, s := range topic.Sent {
				if s.ID == "" {
					ids(t, s)
				}
			}
		}
		return t.Verdict(fmt.Sprintf("each of %s is an event that the source sent", check.Plural(t.Examined(), "record")), "no topic of a recorder holds a record")
	})

func invented(r *check.Record) check.Finding {
	f := check.Finding{Text: fmt.Sprintf("the record at %s (id %s) is nothing that the source sent", r.Place(), r.ID), Witness: []history.Seq{r.Event.Seq}}
	if r.ID == "" {
		f.Text = fmt.Sprintf("the record at %s, without an id, is nothing that the source sent", r.Place())
	}
	if s := r.Like; s != nil {
		f.Text = fmt.Sprintf("the record at %s has the id %s, which the source never gave; but for that it is %s", r.Place(), r.ID, s.Name())
		f.Witness, f.Labels = append(f.Witness, s.Trace()...), []string{s.Label}
	}
	return f
}

// ids finds an event that has more ids in the topic than sends that may have been accepted; of several events with one body all
// together are counted.
func ids(t *check.Tally, s *check.Sent) {
	twins := s.Twins
	if len(twins) == 0 {
		twins = []*check.Sent{s}
	}
	if twins[0] != s {
		return // counted with the first of them
	}
	accepted, distinct := 0, 0
	for _, twin := range twins {
		accepted, distinct = accepted+twin.Accepted(), distinct+len(twin.IDs())
	}
	t.FindMany(distinct-accepted, func() check.Finding {
		f := about(s, "%s was accepted at most %d times and is in the topic under %d ids", s.Name(), accepted, distinct)
		for _, r := range s.Records {
			f.Witness = append(f.Witness, r.Event.Seq)
		}
		return f
	})
}
