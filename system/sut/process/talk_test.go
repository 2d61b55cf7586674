package process

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"testing"
	"time"
)

func TestAnswersComeInAnyOrder(t *testing.T) {
	talk := NewTalk()
	r, w := io.Pipe()
	go talk.Serve(w)
	defer talk.End()
	go func() {
		in := json.NewDecoder(r)
		var first, second struct {
			ID string `json:"id"`
			N  int    `json:"n"`
		}
		if in.Decode(&first) != nil || in.Decode(&second) != nil {
			return
		}
		for _, q := range []any{map[string]any{"id": second.ID, "n": second.N}, map[string]any{"id": first.ID, "n": first.N}} {
			line, _ := json.Marshal(q)
			talk.Hear(string(line))
		}
	}()
	var wait sync.WaitGroup
	for _, n := range []string{"1", "2"} {
		wait.Go(func() {
			answer, sent, err := talk.Ask(t.Context(), map[string]json.RawMessage{"n": json.RawMessage(n)})
			var got struct{ N json.Number }
			if err != nil || !sent || json.Unmarshal(answer, &got) != nil || got.N.String() != n {
				t.Errorf("question %s got %s, sent %v, error %v", n, answer, sent, err)
			}
		})
	}
	wait.Wait()
}

func TestAQuestionThatNeverLeftIsNotSent(t *testing.T) {
	talk := NewTalk()
	defer talk.End()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, sent, err := talk.Ask(ctx, nil); sent || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nobody serves: sent %v, error %v", sent, err)
	}
	r, w := io.Pipe()
	go talk.Serve(w)
	part, stop := context.WithCancel(t.Context())
	go func() {
		_, _ = io.ReadFull(r, make([]byte, 3)) // a part of it is read, then no more
		stop()
	}()
	if _, sent, err := talk.Ask(part, nil); !sent || !errors.Is(err, context.Canceled) {
		t.Errorf("a part left: sent %v, error %v", sent, err)
	}
}

func TestTheEndOfAProcessEndsItsQuestions(t *testing.T) {
	talk := NewTalk()
	go talk.Serve(io.Discard)
	time.AfterFunc(10*time.Millisecond, talk.End)
	if _, _, err := talk.Ask(t.Context(), nil); !errors.Is(err, ErrEnded) {
		t.Errorf("error %v", err)
	}
}

func TestLogLinesAreNoAnswers(t *testing.T) {
	talk := NewTalk()
	for _, line := range []string{"", "x", "{", `{"level":"info"}`, `{"id":"1"}`, `{"id":null}`, `["id"]`, `"id"`} {
		if talk.Hear(line) {
			t.Errorf("%s was taken for an answer, and nobody asked", line)
		}
	}
}

func FuzzHear(f *testing.F) {
	for _, seed := range []string{`{"id":"1","recorded":{}}`, `{"id":1}`, `{"id":[1]}`, `{"id":"\u0031"}`, `{"id":"1","id":"2"}`, "{}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		talk := NewTalk()
		reply := make(chan json.RawMessage, 1)
		talk.waiting["1"] = reply
		if talk.Hear(line) != (len(talk.waiting) == 0) {
			t.Fatal("taken and still waiting, or the reverse")
		}
		if len(talk.waiting) == 0 && !json.Valid(<-reply) {
			t.Fatal("an answer that is no JSON was taken")
		}
	})
}
