package delivery

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/contract/strictjson"
	"tahanuji/system/history"
)

// ValidOnly: each record of a topic with a payload has its form, and an event that the source broke on purpose is refused, with
// every wrong field named, and never in the topic. Records that the harness itself wrote are not held against anybody.
var ValidOnly = check.One("schema.valid-only", "Every record in a topic validates; an invalid input is refused with its fields named and never sent.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		ix := in.Index()
		slipped := map[*check.Sent]*check.Record{}
		for _, topic := range ix.Topics {
			if topic.Payload == nil {
				continue
			}
			for i := range topic.Records {
				r := &topic.Records[i]
				if r.Poison {
					continue
				}
				t.Look(1)
				if s := r.Broken; s != nil {
					if slipped[s] == nil {
						slipped[s] = r
					}
					continue
				}
				if r.State != check.Valid {
					t.Find(func() check.Finding { return malformed(topic, r) })
				}
			}
		}
		records := t.Examined()
		for _, s := range ix.Sent {
			if s.Invalid && s.Topic != nil {
				t.Look(1)
				if text := admitted(in, s, slipped[s]); text != "" {
					t.Find(func() check.Finding {
						f := about(s, "%s", text)
						if r := slipped[s]; r != nil {
							f.Witness = append(f.Witness, r.Event.Seq)
						}
						return f
					})
				}
			}
		}
		if n := refusedThoughValid(ix); n > 0 {
			t.Note("refused as well: %s that the source did not break", check.Plural(n, "event"))
		}
		return t.Verdict(fmt.Sprintf("%s have their payload's form and %s refused", check.Plural(records, "record"), were(t.Examined()-records)),
			"no topic with a payload holds a record and no invalid event was sent")
	})

// refusedThoughValid counts events that were refused and never recorded though the source did not break them.
func refusedThoughValid(ix *check.Index) int {
	n := 0
	for _, s := range good(ix) {
		if s.Recorded == nil && slices.ContainsFunc(s.Tries, func(t check.Try) bool { return t.Outcome() == history.Fail }) {
			n++
		}
	}
	return n
}

func were(n int) string {
	if n == 1 {
		return "1 invalid event was"
	}
	return fmt.Sprintf("%d invalid events were", n)
}

func malformed(topic *check.Topic, r *check.Record) check.Finding {
	what := "is no JSON"
	if r.State == check.Invalid {
		var fields []contract.Pointer
		for _, p := range topic.Problems(r.Event.Value) {
			fields = append(fields, p.Field)
		}
		what = "breaks its payload's form at " + fieldList(fields)
	}
	id := ""
	if r.ID != "" {
		id = fmt.Sprintf(" (id %s)", r.ID)
	}
	f := check.Finding{Text: fmt.Sprintf("the record at %s%s %s", r.Place(), id, what), Witness: []history.Seq{r.Event.Seq}}
	if r.Sent != nil {
		f.Witness, f.Labels = append(f.Witness, r.Sent.Trace()...), []string{r.Sent.Label}
	}
	return f
}

// admitted says what went wrong with an event that had to be refused, "" if nothing. An event without an answer is in doubt, and
// wrong only if it is in the topic.
func admitted(in *check.Input, s *check.Sent, r *check.Record) string {
	name := fmt.Sprintf("%s, wrong at %s,", s.Name(), fieldList(s.Wrong))
	if r != nil {
		how := "without an answer"
		switch s.Tries[len(s.Tries)-1].Outcome() {
		case history.OK:
			how = "recorded"
		case history.Fail:
			how = "refused"
		case history.Unknown, history.Invoke:
		}
		return fmt.Sprintf("%s was %s and is in the topic at %s", name, how, r.Place())
	}
	if s.Recorded != nil {
		return name + " was recorded and not refused"
	}
	if _, lacks := in.Lacks[contract.NeedsFields]; lacks {
		return ""
	}
	handed := []byte(s.Tries[0].Invoke.Value)
	if _, flaws, ok := strictjson.Parse(handed); !ok || len(flaws) > 0 {
		return "" // readers do not agree on which field of a text is wrong that is no proper JSON
	}
	data := in.Doc.Envelope.Data
	if _, whole := data.Get(handed); whole {
		data = ""
	}
	for _, try := range s.Tries {
		if try.Outcome() != history.Fail {
			continue
		}
		if missing := unnamed(s.Wrong, try.Answer.Value, data); len(missing) > 0 {
			return fmt.Sprintf("%s was refused without naming %s", name, fieldList(missing))
		}
	}
	return ""
}

// unnamed are the wrong fields that an answer does not name. A role that is given the data alone may name places in what it was
// given.
func unnamed(wrong []contract.Pointer, answer string, data contract.Pointer) []contract.Pointer {
	var named []contract.Pointer
	if json.Unmarshal([]byte(answer), &named) != nil {
		named = nil
	}
	return slices.DeleteFunc(slices.Clone(wrong), func(p contract.Pointer) bool {
		inData := contract.Pointer(strings.TrimPrefix(string(p), string(data)))
		return slices.Contains(named, p) || data.Under(p) && slices.Contains(named, inData)
	})
}
