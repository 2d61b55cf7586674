package delivery

import (
	"fmt"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// InDoubt: an event whose send reached the role and got no answer is in the topic, or was sent again under the same id. It also finds
// such events, and events that are nowhere under their own id, under an id that the source did not give them. Where the document
// lets the source give up, an event without an answer may be nowhere: nobody promised it.
var InDoubt = check.One("delivery.in-doubt", "An event without an answer is in the topic or was sent again under the same id.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		given := 0
		for _, s := range good(ix) {
			doubt := lastDoubt(s)
			if doubt < 0 || !s.Topic.Scanned[history.ScanRest] {
				continue
			}
			t.Look(1)
			switch {
			case len(s.Records) > 0 || s.Recorded != nil || doubt < len(s.Tries)-1:
			case in.Doc.Source.Resend != "until-recorded":
				given++
			default:
				t.Find(func() check.Finding {
					return about(s, "%s got no answer, is nowhere in %s, and was not sent again", s.Name(), s.Topic.Doc.Name)
				})
			}
		}
		for _, topic := range ix.Topics {
			for i := range topic.Records {
				if r := &topic.Records[i]; r.Like != nil && r.Like.ID != "" && (lastDoubt(r.Like) >= 0 || len(r.Like.Records) == 0) {
					t.Look(1)
					t.Find(func() check.Finding { return renamed(r) })
				}
			}
		}
		if given > 0 {
			t.Note("%s may be lost, since the source gave up as the document lets it", check.Plural(given, "event"))
		}
		return t.Verdict(fmt.Sprintf("%d events got no answer, and each is in its topic or was sent again under its id", t.Examined()),
			"every event that reached the role got an answer, or the topic was not scanned")
	})

// lastDoubt is the last try that reached the role and got no answer, -1 if each got one.
func lastDoubt(s *check.Sent) int {
	last := -1
	for i, try := range s.Tries {
		if try.Outcome() == history.Unknown && try.Reached() {
			last = i
		}
	}
	return last
}

func renamed(r *check.Record) check.Finding {
	f := about(r.Like, "%s is in the topic at %s under another id, %s", r.Like.Name(), r.Place(), r.ID)
	f.Witness = append(f.Witness, r.Event.Seq)
	return f
}
