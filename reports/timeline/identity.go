package timeline

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// identities knows which event of the workload a thing is about, whatever it is called there: by label where the run
// labelled it, by the event id where a record or a store names that.
type identities struct {
	pointer contract.Pointer
	labels  map[string]string // event id -> label
	member  map[string]bool   // doors that spoke for a consumer group
}

func newIdentities(s Story) *identities {
	ids := &identities{pointer: s.EventID, labels: map[string]string{}, member: map[string]bool{}}
	for i := range s.History.Events {
		e := &s.History.Events[i]
		if e.Op != history.OpSend {
			continue
		}
		if e.Phase == history.Invoke {
			ids.note(ids.inRecord(e.Value), e.Key)
		}
		if e.Phase == history.OK {
			ids.note(e.Value, e.Key)
		}
	}
	for i := range s.History.Ledger {
		if s.History.Ledger[i].Group != "" {
			ids.member[s.History.Ledger[i].Door] = true
		}
	}
	return ids
}

func (ids *identities) note(id, label string) {
	if id != "" && label != "" {
		ids.labels[id] = label
	}
}

// of is the label of the event that e is about, its id when no label is known, "" when it is about none.
func (ids *identities) of(e *history.Event) string {
	switch e.Op {
	case history.OpSend:
		return e.Key
	case history.OpStored:
		return ids.named(e.Key)
	case history.OpRecord:
		return ids.named(ids.inRecord(e.Value))
	}
	return ""
}

func (ids *identities) named(id string) string {
	if label := ids.labels[id]; label != "" {
		return label
	}
	return id
}

func (ids *identities) rankOf(door string) Rank {
	if ids.member[door] {
		return Member
	}
	return Sender
}

// inRecord reads the id out of a record, "" when the record has none or is no JSON.
func (ids *identities) inRecord(record string) string {
	if ids.pointer == "" {
		return ""
	}
	var v any
	if json.Unmarshal([]byte(record), &v) != nil {
		return ""
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(string(ids.pointer), "/"), "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch at := v.(type) {
		case map[string]any:
			v = at[token]
		case []any:
			n, err := strconv.Atoi(token)
			if err != nil || n < 0 || n >= len(at) {
				return ""
			}
			v = at[n]
		default:
			return ""
		}
	}
	switch id := v.(type) {
	case string:
		return id
	case float64:
		return fmt.Sprint(id)
	}
	return ""
}
