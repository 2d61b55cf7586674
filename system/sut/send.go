package sut

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sut/process"
	"tahanuji/system/sut/services"
)

// answerLimit is the longest answer that is read, in bytes.
const answerLimit = 64 << 20

// newClient makes the HTTP client of one start of an instance: no proxy, no redirect followed, no request repeated by itself.
func newClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext:     (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			IdleConnTimeout: time.Second, // servers close idle connections; one that is closed under a request makes it unknown
			MaxIdleConns:    100, MaxIdleConnsPerHost: 100, DisableCompression: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Send hands an event to the recorder role and waits for its answer. Any answer but those that the file lists, or none, is Unknown.
func (s *commands) Send(ctx context.Context, role string, record []byte) Answer {
	r := s.role(role)
	if r == nil && s.rest != nil {
		return s.rest.Send(ctx, role, record)
	}
	if r == nil || r.form.Accept == nil {
		return Answer{Phase: history.Unknown, Err: "role " + role + " accepts nothing (sut.yaml has no accept for it)"}
	}
	leave, err := r.gate.enter(ctx, keyOf(s.env.Doc, s.topicOf(role), record))
	if err != nil {
		return Answer{Phase: history.Unknown, Err: "it waited for its turn: " + err.Error()}
	}
	defer leave()
	ctx, cancel := context.WithTimeout(ctx, r.form.Accept.Within)
	defer cancel()
	in := r.next()
	if r.form.Accept.HTTP == nil {
		return in.tell(ctx, record)
	}
	return in.post(ctx, record)
}

// keyOf is the topic's key of a record, "" where it can't be read.
func keyOf(doc *contract.Document, topic string, record []byte) string {
	for _, t := range doc.Topics {
		if t.Name == topic {
			key, _ := t.Key.From.Get(record)
			return key.String()
		}
	}
	return ""
}

func (in *instance) post(ctx context.Context, record []byte) Answer {
	accept := in.role.form.Accept
	body := record
	if accept.HTTP.Data {
		// A record that has no data is sent as it is: it is a broken variant, and the role is to refuse it.
		if data, ok := in.role.system.env.Doc.Envelope.Data.Get(record); ok {
			body = []byte(data.Raw)
		}
	}
	status, answer, reached, err := in.request(ctx, accept.HTTP, "", body)
	if err != nil {
		return Answer{Phase: history.Unknown, Reached: reached, Err: in.why(ctx, err)}
	}
	switch {
	case accept.Recorded[status]:
		return recorded(accept, in.role.system.topicOf(in.role.Name()), answer)
	case accept.Refused[status]:
		return refused(accept, answer)
	}
	return Answer{Phase: history.Unknown, Reached: true,
		Err: fmt.Sprintf("status %d is neither recorded nor refused: %s", status, short(answer))}
}

// why says in a sentence what became of a request without an answer.
func (in *instance) why(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return fmt.Sprintf("%s gave no answer within %s", in.proc(), in.role.form.Accept.Within)
	}
	return in.proc() + ": " + err.Error()
}

// request makes one HTTP request and reads the whole answer. reached is false when no connection came about.
func (in *instance) request(ctx context.Context, call *services.Call, url string, body []byte) (status int, answer []byte, reached bool,
	err error) {
	in.mu.Lock()
	client, value := in.client, in.value
	in.mu.Unlock()
	if value == nil {
		return 0, nil, false, errors.New("it was never started")
	}
	var met atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { met.Store(true) }})
	if url == "" {
		url = services.Expand(call.URL.Value, value)
	}
	var from io.Reader
	if body != nil {
		// A reader that can't be rewound: the client then never repeats a request on its own.
		from = io.NopCloser(bytes.NewReader(body))
	}
	req, err := http.NewRequestWithContext(ctx, call.Method, url, from)
	if err != nil {
		return 0, nil, false, err
	}
	if body != nil {
		req.ContentLength = int64(len(body))
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	for _, h := range call.Headers {
		req.Header.Set(h.Name, services.Expand(h.Value.Value, value))
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, nil, met.Load(), err
	}
	answer, err = io.ReadAll(io.LimitReader(res.Body, answerLimit+1))
	if err = errors.Join(err, res.Body.Close()); err != nil {
		return 0, nil, true, fmt.Errorf("status %d, then the answer broke off: %w", res.StatusCode, err)
	}
	if len(answer) > answerLimit {
		return 0, nil, true, fmt.Errorf("the answer is longer than %d bytes", answerLimit)
	}
	return res.StatusCode, answer, true, nil
}

// tell hands an event over on standard input.
func (in *instance) tell(ctx context.Context, record []byte) Answer {
	if !json.Valid(record) {
		// A line holds one JSON object, so text that is no JSON can't be handed over as itself.
		record = []byte(strconv.Quote(string(record)))
	}
	answer, sent, err := in.ask(ctx, map[string]json.RawMessage{"record": record})
	if errors.Is(err, process.ErrEnded) || errors.Is(err, errNotRunning) {
		return Answer{Phase: history.Unknown, Reached: sent, Err: in.proc() + ": " + err.Error()}
	}
	if err != nil {
		return Answer{Phase: history.Unknown, Reached: sent, Err: in.why(ctx, err)}
	}
	accept := in.role.form.Accept
	if body, ok := contract.Pointer("/recorded").Get(answer); ok && body.Type.String() != "False" && body.Type.String() != "Null" {
		return recorded(accept, in.role.system.topicOf(in.role.Name()), []byte(body.Raw))
	}
	if body, ok := contract.Pointer("/refused").Get(answer); ok && body.Type.String() != "False" && body.Type.String() != "Null" {
		return refused(accept, []byte(body.Raw))
	}
	return Answer{Phase: history.Unknown, Reached: true, Err: in.proc() + ": the answer says neither recorded nor refused: " + short(answer)}
}

var errNotRunning = errors.New("it does not run")

func (in *instance) ask(ctx context.Context, question map[string]json.RawMessage) (json.RawMessage, bool, error) {
	in.mu.Lock()
	talk, on := in.talk, in.process != nil
	in.mu.Unlock()
	if !on {
		return nil, false, errNotRunning
	}
	return talk.Ask(ctx, question)
}

// gate bounds how many events of a role are in flight.
type gate struct {
	all  chan struct{}
	mu   sync.Mutex
	keys map[string]chan struct{} // nil: no bound by key
}

func newGate(a *services.Accept) *gate {
	g := &gate{}
	if a != nil && a.Concurrency > 0 {
		g.all = make(chan struct{}, a.Concurrency)
	}
	if a != nil && a.OnePerKey {
		g.keys = map[string]chan struct{}{}
	}
	return g
}

func (g *gate) enter(ctx context.Context, key string) (leave func(), err error) {
	turn := g.all
	if g.keys != nil {
		g.mu.Lock()
		if g.keys[key] == nil {
			g.keys[key] = make(chan struct{}, 1)
		}
		turn = g.keys[key]
		g.mu.Unlock()
	}
	if turn == nil {
		return func() {}, nil
	}
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
