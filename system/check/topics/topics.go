// Package topics judges what the topics are and what they hold whoever wrote it: partitions, configuration, keys, the replay window,
// the document's arithmetic. It does not judge deliveries or summaries.
package topics

import (
	"encoding/json"
	"fmt"
	"strconv"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// described is a live topic as a describe showed it.
type described struct {
	Partitions int            `json:"partitions"`
	Config     map[string]any `json:"config"`
}

func describe(e *history.Event) (described, bool) {
	var d described
	return d, json.Unmarshal([]byte(e.Value), &d) == nil
}

// config is a value of the live configuration as Kafka writes it.
func (d described) config(name string) (string, bool) {
	switch v := d.Config[name].(type) {
	case nil:
		return "", false
	case string:
		return v, true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	default:
		return fmt.Sprint(v), true
	}
}

// eachListed calls judge for every listed topic in every describe of the history.
func eachListed(in *check.Input, judge func(t *contract.Topic, e *history.Event, d described)) {
	for _, e := range in.Index().Described {
		t := in.Index().Topic(e.Key)
		if t == nil {
			continue
		}
		if d, ok := describe(e); ok {
			judge(t.Doc, e, d)
		}
	}
}

const notDescribed = "no describe of a listed topic was seen"
