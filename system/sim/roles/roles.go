// Package roles puts the reference's roles on the model, as package sut puts them on a broker. It runs nothing by itself.
package roles

import (
	"context"
	"fmt"
	"time"

	"tahanuji/reference/sensor"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sim/model"
	"tahanuji/system/sut"
	"tahanuji/system/sut/inside"
)

// Cast is the reference's roles for one document. It is made once and used for many runs, by one goroutine at a time.
type Cast struct {
	doc    *contract.Document
	config map[string]sensor.Config // by role
}

// Quick are the patiences of roles in runs of virtual seconds.
func Quick() sensor.Timing {
	return sensor.Timing{Poll: 250 * time.Millisecond, Sweep: 250 * time.Millisecond, Housekeeping: 50 * time.Millisecond,
		Backoff: 20 * time.Millisecond, Claim: 500 * time.Millisecond, Close: 3 * time.Second}
}

// Slow are the patiences of roles in runs of virtual days: each idle wait costs a step, so there are few.
func Slow() sensor.Timing {
	return sensor.Timing{Poll: 10 * time.Minute, Sweep: 10 * time.Minute, Housekeeping: 10 * time.Minute, Renew: 6 * time.Hour,
		Claim: time.Minute}
}

// New translates a document for the reference's roles, with the patiences of Quick. Payloads are compiled here, once for all
// roles and runs. An error says why the reference can't play the document.
func New(doc *contract.Document) (*Cast, error) {
	c := &Cast{doc: doc, config: map[string]sensor.Config{}}
	checkers := inside.NewCheckers()
	for _, r := range doc.Roles() {
		config, err := inside.Config(doc, r.Name, "")
		if err == nil {
			err = checkers.Share(&config)
		}
		if err != nil {
			return nil, fmt.Errorf("roles: %w", err)
		}
		config.Timing = Quick()
		c.config[r.Name] = config
	}
	return c, nil
}

// Timed is the cast with other patiences.
func (c *Cast) Timed(t sensor.Timing) *Cast {
	out := &Cast{doc: c.doc, config: map[string]sensor.Config{}}
	for name, config := range c.config {
		config.Timing = t
		out.config[name] = config
	}
	return out
}

// Roles are the roles with a flaw; "" is none.
func (c *Cast) Roles(flaw string) ([]model.Role, error) {
	flaws, err := sensor.NewFlaws(flaw)
	if err != nil {
		return nil, fmt.Errorf("roles: %w", err)
	}
	var out []model.Role
	for _, r := range c.doc.Roles() {
		config := c.config[r.Name]
		kinds := map[contract.Kind]bool{}
		for _, f := range c.doc.FlowsOf(r.Name) {
			kinds[f.Kind] = true
		}
		out = append(out, model.Role{Name: r.Name, New: func(p *model.Process) model.Program {
			var all model.Program
			if kinds[contract.Recorder] {
				recorder(&all, p, config, flaws)
			}
			if kinds[contract.Summarizer] {
				summarizer(&all, p, config, flaws)
			}
			if kinds[contract.Display] {
				display(&all, p, config, flaws)
			}
			return all
		}})
	}
	return out, nil
}

// refuses is a core that ends with err: a configuration that the reference refuses.
func refuses(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

func recorder(to *model.Program, p *model.Process, c sensor.Config, flaws sensor.Flaws) {
	r, err := sensor.NewRecorder(p, c, flaws)
	if err != nil {
		to.Cores = append(to.Cores, refuses(err))
		return
	}
	to.Cores = append(to.Cores, r.Run)
	to.Ready = r.Ready
	to.Accept = func(ctx context.Context, record []byte) sut.Answer {
		return answer(r.Accept(ctx, record), c.Events.Name)
	}
}

func answer(a sensor.Answer, topic string) sut.Answer {
	out := sut.Answer{EventID: a.EventID, Reached: true}
	switch {
	case len(a.Refused) > 0:
		out.Phase = history.Fail
		for _, r := range a.Refused {
			out.Fields = append(out.Fields, contract.Pointer(r.Field))
		}
	case a.Recorded:
		out.Phase = history.OK
		if a.HasPosition {
			out.Where = &history.Position{Topic: topic, Partition: a.Partition, Offset: a.Offset}
		}
	default:
		out.Phase = history.Unknown
		if a.Err != nil {
			out.Err = a.Err.Error()
		}
	}
	return out
}

func summarizer(to *model.Program, p *model.Process, c sensor.Config, flaws sensor.Flaws) {
	s, err := sensor.NewSummarizer(p, c, flaws)
	if err != nil {
		to.Cores = append(to.Cores, refuses(err))
		return
	}
	to.Cores = append(to.Cores, s.Run)
	if p.Watched() {
		s.Observe(watch(p))
	}
}

// watch writes down what the summarizer's store takes in.
func watch(p *model.Process) sensor.Hooks {
	var open []history.Seq
	note := func(phase history.Phase, ids []string, at []sensor.Position) {
		where := make([]history.Position, len(ids))
		for i, id := range ids {
			where[i] = history.Position{Topic: at[i].Topic, Partition: at[i].Partition, Offset: at[i].Offset}
			e := history.Event{Proc: p.Door(), Op: history.OpStored, Phase: phase, Key: id, Where: &where[i]}
			if phase == history.OK && i < len(open) {
				e.Of = open[i]
			}
			seq := p.Record(e)
			if phase == history.Invoke {
				open = append(open, seq)
			}
		}
	}
	return sensor.Hooks{
		Storing: func(ids []string, at []sensor.Position) { open = open[:0]; note(history.Invoke, ids, at) },
		Stored:  func(ids []string, at []sensor.Position) { note(history.OK, ids, at) },
	}
}

func display(to *model.Program, p *model.Process, c sensor.Config, flaws sensor.Flaws) {
	d, err := sensor.NewDisplay(p, c, flaws)
	if err != nil {
		to.Cores = append(to.Cores, refuses(err))
		return
	}
	to.Cores = append(to.Cores, d.Run)
	to.Rows = func() ([]sut.Row, error) {
		rows := d.Rows()
		out := make([]sut.Row, len(rows))
		for i, r := range rows {
			out[i] = sut.Row{Key: r.Key, Value: r.Value}
		}
		return out, nil
	}
}
