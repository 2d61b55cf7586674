package model

import (
	"fmt"
	"time"

	"tahanuji/system/history"
	"tahanuji/system/sim/virtual"
	"tahanuji/system/sut"
	"tahanuji/system/workload"
)

// ahead is how many sends may be under way or wait for their key at once, as in real runs.
const ahead = 32

// source hands events to the recorder as the document says. It is the only writer of OpSend.
type source struct {
	w      *world
	sends  []workload.Send
	next   int
	slots  int
	open   int
	lanes  map[string]*line
	ended  bool // no more resends
	waited bool
	gapEnd time.Duration // no send before it
	onward virtual.Event // dispatch
}

// line is a queue of sends of which one is under way.
type line struct {
	queue []*workload.Send
	busy  bool
}

func (s *source) begin(sends []workload.Send) {
	s.sends, s.next, s.ended = sends, 0, false
	s.onward = virtual.Call(s.dispatch)
	s.w.loop.Due(0, s.onward)
}

func (s *source) done() bool { return s.next == len(s.sends) && s.open == 0 }

// dispatch puts what may be sent into its line.
func (s *source) dispatch() {
	w := s.w
	doc := w.cfg.Doc.Source
	for s.next < len(s.sends) {
		one := &s.sends[s.next]
		if w.cfg.Paced {
			if at := one.Event.At.Sub(w.cfg.Load.Base); at > w.loop.Now() {
				if !s.waited {
					s.waited = true
					w.loop.After(at-w.loop.Now(), func() { s.waited = false; s.dispatch() })
				}
				return
			}
		} else if one.Burst == 0 {
			if s.slots == ahead || w.loop.Now() < s.gapEnd {
				return
			}
			gap := time.Duration(w.rng.Int64N(int64(w.time.Gap)))
			s.gapEnd = w.loop.Now() + gap
			w.loop.Due(gap, s.onward)
		}
		if one.Burst == 0 {
			s.slots++
		}
		key := one.Event.Key
		if !doc.OnePerKey {
			key = fmt.Sprint(s.next % max(1, doc.Concurrency))
		}
		s.next++
		s.open++
		l := s.lanes[key]
		if l == nil {
			l = &line{}
			s.lanes[key] = l
		}
		l.queue = append(l.queue, one)
		s.advance(l)
	}
}

func (s *source) advance(l *line) {
	if l.busy || len(l.queue) == 0 {
		return
	}
	l.busy = true
	one := l.queue[0]
	l.queue = l.queue[1:]
	s.deliver(l, one, 0)
}

// deliver makes one try of a send.
func (s *source) deliver(l *line, one *workload.Send, try int) {
	w := s.w
	role := w.cfg.Load.Role
	invoked := w.add(one.History(role, one.Event.Record))
	settled := false
	settle := func(a sut.Answer) {
		if settled {
			return
		}
		settled = true
		w.add(a.History(role, one.Event.Label, invoked))
		if a.Phase == history.OK {
			w.promise(one.Event.Label)
		}
		if a.Phase == history.Unknown && s.again(try) {
			w.loop.After(w.resend, func() { s.deliver(l, one, try+1) })
			return
		}
		s.open--
		if one.Burst == 0 {
			s.slots--
		}
		l.busy = false
		s.advance(l)
		s.dispatch()
	}
	w.loop.After(w.latency(), func() {
		p := w.recorder(one)
		if p == nil {
			settle(sut.Answer{Phase: history.Unknown, Err: "connection refused"})
			return
		}
		limit := w.loop.After(w.time.Accept, func() {
			settle(sut.Answer{Phase: history.Unknown, Err: "no answer within " + w.time.Accept.String(), Reached: true})
		})
		p.accept(&job{label: one.Event.Label, record: one.Event.Record, done: func(a sut.Answer) {
			limit.Stop()
			w.loop.After(w.latency(), func() { settle(a) })
		}})
	})
}

// recorder is the process that takes a send: one recorder keeps one key's events.
func (w *world) recorder(one *workload.Send) *Process {
	r := w.roles[w.cfg.Load.Role]
	if r == nil {
		return nil
	}
	for n := range r.instances {
		p := r.instances[(one.Event.Index+n)%len(r.instances)].proc
		if p != nil && !p.dead && p.ready && p.program.Accept != nil {
			return p
		}
	}
	return nil
}

func (s *source) again(try int) bool {
	if s.ended {
		return false
	}
	switch s.w.cfg.Doc.Source.Resend {
	case "until-recorded":
		return true
	case "never":
		return false
	}
	return try < s.w.cfg.Doc.Source.Times
}
