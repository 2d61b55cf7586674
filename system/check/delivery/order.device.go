package delivery

import (
	"cmp"
	"fmt"
	"slices"

	"tahanuji/system/check"
)

// Order: of one key, an event that the source sent after it was told that another is recorded stands behind that one in the topic,
// by the first record of each, in one partition. Events that were under way at the same time have no order. Who wrote the records,
// one producer or several, makes no difference.
var Order = check.One("order.device", "Per key, events are in the topic in the order in which the source sent them.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		for _, topic := range in.Index().Topics {
			o := order{tally: t, topic: topic, last: map[string]*check.Sent{}, culprits: map[*check.Sent]int{}, split: map[string]bool{}}
			o.judge()
			for _, f := range o.found {
				t.Find(func() check.Finding {
					if others := o.culprits[f.first] - 1; others > 0 && !f.split {
						f.Text += fmt.Sprintf(", and so of %d more", others)
					}
					return f.Finding
				})
			}
		}
		return t.Verdict(fmt.Sprintf("each of %s stands behind the events of its key that were recorded before it was sent", check.Plural(t.Examined(), "event")),
			"no key has two events of which the second was sent after the first was recorded")
	})

type order struct {
	tally    *check.Tally
	topic    *check.Topic
	last     map[string]*check.Sent // per key the recorded event that stands last
	culprits map[*check.Sent]int
	split    map[string]bool
	found    []misplaced
}

type misplaced struct {
	check.Finding
	first *check.Sent
	split bool
}

// judge walks through the events as they were sent, and beside it through the answers: an event is held against the last place of
// those that were recorded before its first send. One event that stands too far behind is one finding, however many stand before it.
func (o *order) judge() {
	var sent, recorded []*check.Sent
	for _, s := range o.topic.Sent {
		if len(s.Records) == 0 || s.Key == "" || len(s.Twins) > 0 {
			continue
		}
		sent = append(sent, s)
		if s.Recorded != nil {
			recorded = append(recorded, s)
		}
	}
	slices.SortStableFunc(recorded, func(a, b *check.Sent) int { return cmp.Compare(a.Recorded.Seq, b.Recorded.Seq) })
	next := 0
	for _, s := range sent {
		for ; next < len(recorded) && recorded[next].Recorded.Seq < s.Tries[0].Invoke.Seq; next++ {
			o.recorded(recorded[next])
		}
		before := o.last[s.Key]
		if before == nil {
			continue
		}
		o.tally.Look(1)
		a, b := before.Records[0], s.Records[0]
		switch {
		case a.Partition != b.Partition:
			if !o.split[s.Key] {
				o.split[s.Key] = true
				o.find(before, s, true, "%s was sent after %s was recorded and is in another partition (%s, %s), where nothing orders them")
			}
		case b.Offset < a.Offset:
			o.culprits[before]++
			if o.culprits[before] == 1 {
				o.find(before, s, false, "%s was sent after %s was recorded and stands before it (%s, %s)")
			}
		}
	}
}

func (o *order) recorded(s *check.Sent) {
	have := o.last[s.Key]
	if have == nil || have.Records[0].Partition != s.Records[0].Partition || have.Records[0].Offset < s.Records[0].Offset {
		o.last[s.Key] = s
	}
}

func (o *order) find(before, s *check.Sent, split bool, format string) {
	f := about(s, format, s.Name(), before.Name(), s.Records[0].Place(), before.Records[0].Place())
	f.Witness = append(f.Witness, before.Trace()...)
	f.Labels = append(f.Labels, before.Label)
	o.found = append(o.found, misplaced{Finding: f, first: before, split: split})
}
