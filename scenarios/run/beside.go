package run

import (
	"context"
	"fmt"
	"sync"

	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/workload"
)

// beside makes loads for the recorders' other topics, so that nothing of the document holds because nobody tried it. Faults are
// aimed at the first load alone, whose sends with the plan's are given. A topic that several flows write gets the events of its first one, which is noted.
func (c Cell) beside(first *workload.Load, sends []workload.Send) (loads []*workload.Load, notes []string, err error) {
	if c.Input != "" || c.Doc.Workload.From == "file" {
		return nil, nil, nil // recorded events are of one flow
	}
	fed, next := map[string]bool{first.Topic: true}, len(first.Events)
	for _, s := range sends { // the plan may have added events
		next = max(next, s.Event.Index+1)
	}
	for _, f := range c.Doc.Flows {
		if f.Kind != contract.Recorder || f.Writes == "" || f.Name == first.Flow {
			continue
		}
		if fed[f.Writes] {
			notes = append(notes, fmt.Sprintf("flow %s was sent no events: its topic %s had those of another flow", f.Name, f.Writes))
			continue
		}
		fed[f.Writes] = true
		l, err := workload.Make(c.Doc, workload.Options{
			Seed: seed.Derive(c.Seed, "load/"+f.Name), Base: first.Base, Events: c.Scenario.Events, Flow: f.Name, First: next,
		})
		if err != nil {
			return nil, nil, err
		}
		loads, next = append(loads, l), next+len(l.Events)
	}
	return loads, notes, nil
}

// sendBeside sends the loads beside the first one, once, and returns what waits until all have their answers.
func (st *stage) sendBeside(ctx context.Context, like *sender) (done func()) {
	var wg sync.WaitGroup
	for _, l := range st.beside {
		s := &sender{source: like.source, after: like.after, system: like.system, role: l.Role, handed: l.Handed, rec: like.rec, pace: st.pace()}
		s.pace.spent = new(bool) // its own: this one waits at other times
		st.senders = append(st.senders, s)
		wg.Go(func() { s.send(ctx, l.Sends) })
	}
	st.beside = nil
	return wg.Wait
}
