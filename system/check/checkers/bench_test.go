package checkers

import (
	"context"
	"fmt"
	"testing"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// week is a run of 20 devices with one reading a minute: sends, answers, stored events, records, hourly summaries, and the wire. n
// readings make 5n events and some.
func week(doc *contract.Document, n int) *history.History {
	rng := uint32(1)
	draw := func(limit int) int {
		rng = rng*1664525 + 1013904223
		return int(rng>>8) % limit
	}
	s := subjects[1]
	s.keys = nil
	for i := range 20 {
		s.keys = append(s.keys, fmt.Sprintf("sensor-%02d", i))
	}
	w := newWorld(s, doc, draw)
	w.h.Events = make([]history.Event, 0, 5*n+n/20)
	w.phase("load")
	for i := range n {
		at := w.base().Add(time.Duration(i/len(s.keys)) * time.Minute)
		e := w.makeEvent(i, s.keys[i%len(s.keys)], at)
		w.events = append(w.events, e)
		of := w.add(history.Event{Proc: w.source.Role, Op: history.OpSend, Phase: history.Invoke, Key: e.label, Value: e.value})
		p := w.home(e.key, w.in.Partitions)
		where := w.append(w.in, p, w.source.Role+"/1", logged{label: e.label, key: e.key, value: e.value, event: e})
		w.add(history.Event{Proc: w.source.Role, Op: history.OpSend, Phase: history.OK, Of: of, Key: e.label, Value: e.id, Where: &where})
		if i%1200 == 1199 {
			for p := range w.in.Partitions {
				w.summarize(int32(p), false)
			}
		}
	}
	w.phase("settle")
	for p := range w.in.Partitions {
		w.summarize(int32(p), false)
	}
	w.fetchedByDisplay()
	w.phase("rest")
	w.scan(history.ScanRest)
	return w.h
}

func BenchmarkAWeekIsJudged(b *testing.B) {
	doc := load(b, subjects[1].file)
	clauses := contract.Clauses(doc)
	for _, n := range []int{50_000, 200_000} {
		h := week(doc, n)
		b.Run(fmt.Sprintf("%dk-events", len(h.Events)/1000), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				in := &check.Input{Doc: doc, History: h}
				for _, v := range check.Judge(context.Background(), clauses, in, All()) {
					if v.Outcome == check.Broken || v.Detail != "" {
						b.Fatalf("%s: %s %s", v.Clause, v.Why, v.Detail)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(h.Events)), "ns/event")
		})
	}
}
