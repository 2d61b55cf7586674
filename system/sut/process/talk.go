package process

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
)

// ErrEnded says that the process ended, or its input closed, before it answered.
var ErrEnded = errors.New("the process ended before it answered")

// Talk asks a process over standard input and output: one JSON object a line, with an id that the answer repeats. Answers come in
// any order. What the process prints beside answers is its log.
type Talk struct {
	mu      sync.Mutex
	next    int64
	waiting map[string]chan json.RawMessage
	queue   []question
	wake    chan struct{}
	ended   chan struct{}
	once    sync.Once
}

type question struct {
	id   string
	line []byte
}

// NewTalk begins a conversation; Serve it with the process's standard input.
func NewTalk() *Talk {
	return &Talk{waiting: map[string]chan json.RawMessage{}, wake: make(chan struct{}, 1), ended: make(chan struct{})}
}

// Serve writes questions until End. A process that does not read holds up those that follow, which then run out of time unsent.
func (t *Talk) Serve(in io.Writer) {
	for {
		select {
		case <-t.ended:
			return
		case <-t.wake:
		}
		for {
			t.mu.Lock()
			if len(t.queue) == 0 {
				t.mu.Unlock()
				break
			}
			q := t.queue[0]
			t.queue = t.queue[1:]
			t.mu.Unlock()
			if _, err := in.Write(q.line); err != nil {
				t.End()
				return
			}
		}
	}
}

// End lets all that wait know that no answer will come.
func (t *Talk) End() { t.once.Do(func() { close(t.ended) }) }

// Ask sends the members of a question, to which an id is added, and waits for its answer. sent is false when it certainly never
// got to the process. The error is ErrEnded or the context's.
func (t *Talk) Ask(ctx context.Context, members map[string]json.RawMessage) (answer json.RawMessage, sent bool, err error) {
	t.mu.Lock()
	t.next++
	id := strconv.FormatInt(t.next, 10)
	reply := make(chan json.RawMessage, 1)
	whole := map[string]json.RawMessage{"id": json.RawMessage(strconv.Quote(id))}
	for k, v := range members {
		whole[k] = v
	}
	var line bytes.Buffer
	text := json.NewEncoder(&line)
	text.SetEscapeHTML(false)
	if err := text.Encode(whole); err != nil {
		t.mu.Unlock()
		return nil, false, fmt.Errorf("process: a question that is no JSON: %w", err)
	}
	t.waiting[id] = reply
	t.queue = append(t.queue, question{id, line.Bytes()})
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default:
	}
	select {
	case answer = <-reply:
		return answer, true, nil
	case <-t.ended:
		err = ErrEnded
	case <-ctx.Done():
		err = ctx.Err()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.waiting, id)
	for i, q := range t.queue {
		if q.id == id {
			t.queue = append(t.queue[:i:i], t.queue[i+1:]...)
			return nil, false, err
		}
	}
	select {
	case answer = <-reply: // it came in the same instant
		return answer, true, nil
	default:
		return nil, true, err
	}
}

// Hear takes a line of output if it is the answer to a question that still waits.
func (t *Talk) Hear(line string) bool {
	var head struct {
		ID json.RawMessage `json:"id"`
	}
	if len(line) == 0 || line[0] != '{' || json.Unmarshal([]byte(line), &head) != nil || len(head.ID) == 0 {
		return false
	}
	id := string(head.ID)
	if text := ""; json.Unmarshal(head.ID, &text) == nil {
		id = text
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	reply, ok := t.waiting[id]
	if !ok {
		return false
	}
	delete(t.waiting, id)
	reply <- json.RawMessage(line)
	return true
}
