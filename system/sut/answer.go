package sut

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sut/services"
)

// recorded reads an answer with which the promise begins. What the answer should name and does not is told, and takes nothing
// from the promise.
func recorded(accept *services.Accept, topic string, answer []byte) Answer {
	a := Answer{Phase: history.OK, Reached: true}
	if accept.EventID != nil {
		id, ok := find(*accept.EventID, answer)
		if ok && id.Type == gjson.String || id.Type == gjson.Number {
			a.EventID = id.String()
		} else if accept.HTTP != nil {
			a.Err = fmt.Sprintf("the answer names no event id at %s: %s", *accept.EventID, short(answer))
		}
	}
	if accept.Position != nil {
		partition, ok1 := whole(find(accept.Position.Partition, answer))
		offset, ok2 := whole(find(accept.Position.Offset, answer))
		if ok1 && ok2 && partition >= 0 && partition < 1<<31 && offset >= 0 {
			a.Where = &history.Position{Topic: topic, Partition: int32(partition), Offset: offset}
		}
	}
	return a
}

// find is a pointer's value in an answer that is JSON.
func find(p contract.Pointer, answer []byte) (gjson.Result, bool) {
	if !json.Valid(answer) {
		return gjson.Result{}, false
	}
	return p.Get(answer)
}

func whole(v gjson.Result, ok bool) (int64, bool) {
	if !ok || v.Type != gjson.Number {
		return 0, false
	}
	n, err := strconv.ParseInt(v.Raw, 10, 64)
	return n, err == nil
}

// refused reads a refusal. Fields: each as a JSON Pointer, or as names joined by dots, or as a list of names.
func refused(accept *services.Accept, answer []byte) Answer {
	a := Answer{Phase: history.Fail, Reached: true}
	if accept.Fields == nil {
		return a
	}
	list, ok := find(accept.Fields.At, answer)
	if !ok {
		a.Err = fmt.Sprintf("the refusal has nothing at %q: %s", string(accept.Fields.At), short(answer))
		return a
	}
	if list.IsObject() { // {"/data/suhu_c": "why"}: the names are the fields
		list.ForEach(func(name, _ gjson.Result) bool {
			a.Fields = append(a.Fields, field(name))
			return true
		})
		return a
	}
	for _, item := range list.Array() {
		name, ok := find(accept.Fields.Field, []byte(item.Raw))
		if !ok && item.Type == gjson.String {
			name, ok = item, true
		}
		if ok {
			a.Fields = append(a.Fields, field(name))
		}
	}
	return a
}

func field(name gjson.Result) contract.Pointer {
	if name.IsArray() {
		var p contract.Pointer
		for _, part := range name.Array() {
			p = p.Join(part.String())
		}
		return p
	}
	s := name.String()
	if s == "" || strings.HasPrefix(s, "/") {
		return contract.Pointer(s)
	}
	return contract.Pointer("/" + strings.ReplaceAll(s, ".", "/"))
}

// short quotes the beginning of an answer.
func short(answer []byte) string {
	const most = 200
	if len(answer) > most {
		return strconv.QuoteToGraphic(strings.ToValidUTF8(string(answer[:most]), "?")) + " ..."
	}
	return strconv.QuoteToGraphic(strings.ToValidUTF8(string(answer), "?"))
}

// History is the event that an answer to the send of is: what the source was told of the event with a label by a role.
func (a Answer) History(role, label string, of history.Seq) history.Event {
	e := history.Event{Proc: role, Op: history.OpSend, Phase: a.Phase, Of: of, Key: label, Err: a.Err}
	switch a.Phase {
	case history.OK:
		e.Value, e.Where = a.EventID, a.Where
	case history.Fail:
		fields, _ := json.Marshal(a.Fields) // strings always marshal
		e.Value = string(fields)
	case history.Unknown, history.Invoke:
		if !a.Reached {
			e.Tag = "not-reached"
		}
	}
	return e
}
