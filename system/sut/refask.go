package sut

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tahanuji/reference/sensor"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// answerWithin is how long a source waits for the reference's recorder.
const answerWithin = 5 * time.Second

// Send hands an event to a recorder of the reference, its instances in turn.
func (s *references) Send(ctx context.Context, role string, record []byte) Answer {
	r, err := s.role(role)
	if err != nil {
		return Answer{Phase: history.Unknown, Err: err.Error()}
	}
	l := r.next()
	if l == nil {
		return Answer{Phase: history.Unknown, Err: role + ": connection refused, no instance runs"}
	}
	if l.recorder == nil {
		return Answer{Phase: history.Unknown, Err: role + " records nothing"}
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	heard := make(chan sensor.Answer, 1)
	// A frozen role does not hear that its caller gave up, so the caller must not wait with it.
	go func() {
		l.gate.Pass()
		a := l.recorder.Accept(l.ctx, record)
		l.gate.Pass()
		heard <- a
	}()
	select {
	case a := <-heard:
		return l.answer(a)
	case <-l.killed:
		return Answer{Phase: history.Unknown, Reached: true, Err: r.proc(l.number) + ": connection reset"}
	case <-ctx.Done():
		return Answer{Phase: history.Unknown, Reached: true, Err: fmt.Sprintf("%s gave no answer within %s", r.proc(l.number), answerWithin)}
	}
}

// next is the instance to which an event goes, nil when none runs.
func (r *refRole) next() *life {
	r.mu.Lock()
	defer r.mu.Unlock()
	for range r.lives {
		l := r.lives[r.turn%len(r.lives)]
		r.turn++
		if l != nil {
			return l
		}
	}
	return nil
}

func (l *life) answer(a sensor.Answer) Answer {
	select {
	case <-l.killed: // it answered, and nobody heard it
		return Answer{Phase: history.Unknown, Reached: true, Err: l.role.proc(l.number) + ": connection reset"}
	default:
	}
	out := Answer{Reached: true, EventID: a.EventID}
	switch {
	case a.Err != nil:
		out.Phase, out.Err = history.Unknown, a.Err.Error()
	case len(a.Refused) > 0:
		out.Phase = history.Fail
		for _, f := range a.Refused {
			out.Fields = append(out.Fields, contract.Pointer(f.Field))
		}
	case a.Recorded:
		out.Phase = history.OK
		if a.HasPosition {
			out.Where = &history.Position{Topic: strings.TrimPrefix(l.role.config.Events.Name, l.role.system.env.Prefix),
				Partition: a.Partition, Offset: a.Offset}
		}
	default:
		out.Phase, out.Err = history.Unknown, "the recorder answered nothing"
	}
	return out
}

// Rows asks the running displays of a role what they show.
func (s *references) Rows(ctx context.Context, role string) ([]Row, error) {
	r, err := s.role(role)
	if err != nil {
		return nil, err
	}
	var out []Row
	seen := map[string]bool{}
	lives := r.running()
	if len(lives) == 0 {
		return nil, fmt.Errorf("sut: rows of %s: none of its instances runs", role)
	}
	for _, l := range lives {
		if l.display == nil {
			return nil, fmt.Errorf("sut: rows of %s: it shows nothing", role)
		}
		if err := l.gate.PassOr(ctx); err != nil {
			return nil, fmt.Errorf("sut: rows of %s: it is frozen: %w", r.proc(l.number), err)
		}
		for _, row := range l.display.Rows() {
			id := strings.Join(row.Key, "\x00") + "\x00\x00" + string(row.Value)
			if !seen[id] || r.system.flaws.Has(sensor.DisplayAppend) {
				seen[id] = true
				out = append(out, Row{Key: row.Key, Value: row.Value})
			}
		}
	}
	return out, nil
}
