package topics

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Window: the live topic keeps records at least as long as the replay window, is not compacted, and holds the oldest event that was
// recorded within the window before the newest one.
var Window = check.One("replay.window", "An event as old as the window can still be replayed.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		replay := in.Doc.Replay
		topic := (*check.Topic)(nil)
		if replay != nil {
			topic = in.Index().Topic(replay.Topic)
		}
		if topic == nil {
			return t.NotApplicable("the document promises no replay")
		}
		eachListed(in, func(live *contract.Topic, e *history.Event, d described) {
			if live.Name == replay.Topic {
				kept(t, live, e, d, replay.Window)
			}
		})
		oldest(in, t, topic, replay.Window)
		return t.Verdict(fmt.Sprintf("%s keeps its events for the window of %s, and the oldest recorded event is readable", replay.Topic, contract.FormatDuration(replay.Window)),
			"the topic was neither described nor scanned")
	})

func kept(t *check.Tally, topic *contract.Topic, e *history.Event, d described, window time.Duration) {
	if text, has := d.config("retention.ms"); has {
		t.Look(1)
		ms, err := strconv.ParseInt(text, 10, 64)
		if err != nil || ms >= 0 && ms < window.Milliseconds() {
			t.Find(func() check.Finding {
				return check.Finding{
					Text:    fmt.Sprintf("topic %s keeps its records %s ms, and the replay window is %s (%d ms)", topic.Name, text, contract.FormatDuration(window), window.Milliseconds()),
					Witness: []history.Seq{e.Seq},
				}
			})
		}
	}
	if text, _ := d.config("cleanup.policy"); strings.Contains(text, "compact") {
		t.Look(1)
		t.Find(func() check.Finding {
			return check.Finding{Text: fmt.Sprintf("topic %s is compacted, so that older events of a key can't be replayed", topic.Name), Witness: []history.Seq{e.Seq}}
		})
	}
}

// oldest finds the oldest recorded event within the window that the topic does not hold. Events lost beside it are not this clause's.
func oldest(in *check.Input, t *check.Tally, topic *check.Topic, window time.Duration) {
	if len(topic.Records) == 0 {
		return
	}
	place := in.Doc.Envelope.Time
	var newest time.Time
	times := make([]time.Time, len(topic.Sent))
	for i, s := range topic.Sent {
		if s.Recorded == nil {
			continue
		}
		text, _ := place.Text([]byte(s.Tries[0].Invoke.Value))
		at, err := contract.ParseTime(text)
		if err != nil {
			continue
		}
		times[i] = at
		if at.After(newest) {
			newest = at
		}
	}
	first := -1
	for i, at := range times {
		if !at.IsZero() && !at.Before(newest.Add(-window)) && (first < 0 || at.Before(times[first])) {
			first = i
		}
	}
	if first < 0 {
		return
	}
	s := topic.Sent[first]
	t.Look(1)
	if len(s.Records) > 0 {
		return
	}
	if deletedTo(topic) == 0 {
		return // nothing was deleted from the start of a partition, so it never was in the topic
	}
	t.Find(func() check.Finding {
		return check.Finding{
			Text:    fmt.Sprintf("%s, %s older than the newest event, can't be read any more", s.Name(), contract.FormatDuration(newest.Sub(times[first]))),
			Witness: s.Trace(), Labels: []string{s.Label},
		}
	})
}

// deletedTo is the highest first offset of a partition: above 0, records were deleted.
func deletedTo(topic *check.Topic) int64 {
	highest := int64(0)
	for _, start := range topic.Starts {
		highest = max(highest, start)
	}
	return highest
}
