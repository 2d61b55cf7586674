package topics

import (
	"fmt"
	"regexp"

	"tahanuji/system/check"
	"tahanuji/system/history"
)

// Key: a record's key is, byte for byte, what the document takes it from; it has the document's pattern; and one key stays in one
// partition. Which partition is not judged: clients hash differently. A record that lacks the field, or that the
// source broke on purpose, is the schema's matter.
var Key = check.One("topic.key", "A record's key is the field that the topic map names, and one key stays in one partition.",
	func(in *check.Input, t *check.Tally) check.Verdict {
		for _, topic := range in.Index().Topics {
			keys := keyed{tally: t, topic: topic, home: map[string]*check.Record{}, moved: map[string]bool{}}
			if p := topic.Doc.Key.Pattern; p != "" {
				pattern, err := regexp.Compile(p)
				if err == nil {
					keys.pattern = pattern
				}
			}
			for i := range topic.Records {
				if r := &topic.Records[i]; !r.Poison && r.Broken == nil && r.HasKey {
					keys.judge(r)
				}
			}
		}
		return t.Verdict(fmt.Sprintf("each of %s has the key that the document gives it, and each key one partition", check.Plural(t.Examined(), "record")),
			"no topic holds a record with a key field")
	})

type keyed struct {
	tally   *check.Tally
	topic   *check.Topic
	pattern *regexp.Regexp
	home    map[string]*check.Record // first record of each key
	moved   map[string]bool
}

func (k *keyed) judge(r *check.Record) {
	k.tally.Look(1)
	key := r.Event.Key
	if key != r.Key {
		k.tally.Find(func() check.Finding {
			shown := fmt.Sprintf("the key %q", key)
			if key == "" {
				shown = "no key"
			}
			return finding(r, fmt.Sprintf("the record at %s (id %s) has %s, and its %s is %q", r.Place(), r.ID, shown, k.topic.Doc.Key.From, r.Key))
		})
		return
	}
	first, known := k.home[key]
	if !known {
		k.home[key] = r
		if k.pattern != nil && !k.pattern.MatchString(key) {
			k.tally.Find(func() check.Finding {
				return finding(r, fmt.Sprintf("the key %q of the record at %s (id %s) does not match %s", key, r.Place(), r.ID, k.pattern))
			})
		}
		return
	}
	if first.Partition != r.Partition && !k.moved[key] {
		k.moved[key] = true
		k.tally.Find(func() check.Finding {
			f := finding(r, fmt.Sprintf("the key %q is in two partitions, at %s and at %s", key, first.Place(), r.Place()))
			f.Witness = append(f.Witness, first.Event.Seq)
			return f
		})
	}
}

func finding(r *check.Record, text string) check.Finding {
	f := check.Finding{Text: text, Witness: []history.Seq{r.Event.Seq}}
	if label := r.Label(); label != "" {
		f.Labels = []string{label}
	}
	if r.Sent != nil {
		f.Witness = append(f.Witness, r.Sent.Trace()...)
	}
	return f
}
