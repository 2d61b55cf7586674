package timeline

import (
	"encoding/json"
	"fmt"
	"strings"

	"tahanuji/system/history"
)

// words says what an event is, for a reader who knows the document and not this program.
func words(e *history.Event) (what, detail string) {
	switch e.Op {
	case history.OpSend:
		return sendWords(e)
	case history.OpRecord:
		return fmt.Sprintf("%s holds a record at offset %d", partition(e.Where), offset(e.Where)), trimmed(scanned(e), "key "+quoted(e.Key), e.Value)
	case history.OpTopic:
		return "the live topic is " + e.Key, short(e.Value)
	case history.OpCommitted:
		if offset(e.Where) < 0 {
			return "the group has no committed offset for " + partition(e.Where), scanned(e)
		}
		return fmt.Sprintf("the group's committed offset of %s is %d", partition(e.Where), offset(e.Where)), scanned(e)
	case history.OpEnd:
		return fmt.Sprintf("%s ends at offset %d", partition(e.Where), offset(e.Where)), scanned(e)
	case history.OpLag:
		return fmt.Sprintf("the group is %s records behind", e.Value), e.Tag
	case history.OpRow:
		return "the display shows " + rowKey(e.Key), trimmed(scanned(e), e.Value)
	case history.OpStored:
		return storedWords(e)
	case history.OpFault:
		if e.Phase == history.Invoke {
			return "fault " + e.Key + " begins", short(e.Value)
		}
		return "fault " + e.Key + " is healed", short(e.Value)
	case history.OpRole:
		return e.Proc + " " + e.Key, trimmed(e.Value, e.Err)
	case history.OpGroup:
		return "the group is " + e.Key, short(e.Value)
	case history.OpPhase:
		return "the run enters the phase " + e.Key, ""
	}
	return e.Op + " " + string(e.Phase), trimmed(e.Key, e.Value, e.Err)
}

func sendWords(e *history.Event) (what, detail string) {
	switch e.Phase {
	case history.Invoke:
		what = "the source sends " + e.Key
		if e.Tag != "" {
			what += " (" + e.Tag + ")"
		}
		return what, short(e.Value)
	case history.OK:
		what = e.Proc + " answers: " + e.Key + " is recorded"
		if e.Where != nil {
			what += fmt.Sprintf(" at %s offset %d", partition(e.Where), e.Where.Offset)
		}
		return what, idDetail(e.Value)
	case history.Fail:
		return e.Proc + " refuses " + e.Key, "fields " + short(e.Value)
	case history.Unknown:
		return "no answer for " + e.Key + ": it may or may not be recorded", e.Err
	}
	return "send " + string(e.Phase), e.Key
}

func storedWords(e *history.Event) (what, detail string) {
	at := ""
	if e.Where != nil {
		at = fmt.Sprintf("from %s offset %d", partition(e.Where), e.Where.Offset)
	}
	if e.Phase == history.Invoke {
		return e.Proc + " begins to store event id " + e.Key, at
	}
	if e.Phase == history.OK {
		return e.Proc + " stored event id " + e.Key, at
	}
	return e.Proc + " did not store event id " + e.Key, trimmed(at, e.Err)
}

// exchangeWords tells a request as it was in truth, and what the client was told.
func exchangeWords(x *history.Exchange) (what, detail string) {
	what = x.Door + ": " + x.API
	if x.Copy {
		what = "a copy of " + x.Door + "'s " + x.API
	}
	if it := mainItem(x); it != nil {
		what += itemWords(x.API, it)
	}
	switch x.Applied {
	case history.OK:
		what += "; the broker answered" + codeWords(x)
	case history.Fail:
		what += "; the broker never saw it"
	case history.Unknown:
		what += "; whether the broker applied it is not known"
	case history.Invoke:
		what += "; still under way"
	}
	switch x.Told {
	case history.OK:
	case history.Fail:
		what += "; the client was told an error that the broker did not give" + toldWords(x)
	case history.Unknown:
		what += "; the client heard nothing"
	case history.Invoke:
	}
	var answered string
	if x.Took > 0 && x.Told != history.Unknown {
		answered = "answered after " + Clock(x.Took)
	}
	if x.Do != "" {
		detail = "action " + x.Do
	}
	return what, trimmed(detail, answered, x.Err)
}

func mainItem(x *history.Exchange) *history.Item {
	for i := range x.Items {
		if len(x.Items[i].Labels) > 0 {
			return &x.Items[i]
		}
	}
	if len(x.Items) > 0 {
		return &x.Items[0]
	}
	return nil
}

func itemWords(api string, it *history.Item) string {
	s := ""
	if len(it.Labels) > 0 {
		s = " of " + strings.Join(it.Labels[:min(3, len(it.Labels))], ", ")
		if n := len(it.Labels) - 3; n > 0 {
			s += fmt.Sprintf(" and %d more", n)
		}
	}
	if it.Topic == "" {
		return s
	}
	s += fmt.Sprintf(" on %s/%d", it.Topic, it.Partition)
	if api == "OffsetCommit" || api == "Fetch" || api == "Produce" && it.Offset >= 0 {
		s += fmt.Sprintf(" offset %d", it.Offset)
	}
	return s
}

func codeWords(x *history.Exchange) string {
	for _, it := range x.Items {
		if it.Code != 0 {
			return fmt.Sprintf(" with error code %d", it.Code)
		}
	}
	return ""
}

func toldWords(x *history.Exchange) string {
	for _, it := range x.Items {
		if it.ToldCode != 0 {
			return fmt.Sprintf(" (code %d)", it.ToldCode)
		}
	}
	return ""
}

func partition(p *history.Position) string {
	if p == nil {
		return "a place unknown"
	}
	return fmt.Sprintf("%s/%d", p.Topic, p.Partition)
}

func offset(p *history.Position) int64 {
	if p == nil {
		return -1
	}
	return p.Offset
}

func scanned(e *history.Event) string {
	if e.Tag == "" {
		return ""
	}
	return "scan " + e.Tag
}

func rowKey(key string) string {
	var parts []any
	if json.Unmarshal([]byte(key), &parts) != nil || len(parts) == 0 {
		return key
	}
	var words []string
	for _, p := range parts {
		words = append(words, fmt.Sprint(p))
	}
	return strings.Join(words, ", ")
}

func idDetail(id string) string {
	if id == "" {
		return ""
	}
	return "event id " + id
}

func quoted(s string) string { return fmt.Sprintf("%q", short(s)) }

// maxDetail bounds a value in a row, in characters; the whole value is in the history.
const maxDetail = 220

func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > maxDetail {
		return string(r[:maxDetail]) + "…"
	}
	return s
}

func trimmed(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, short(p))
		}
	}
	return strings.Join(out, "; ")
}
