package roles

import (
	"context"
	"fmt"

	"tahanuji/reference/sensor"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sim/model"
	"tahanuji/system/sut"
)

// Cast is the reference's roles for one document. It is made once and used for many runs, by one goroutine at a time or many.
type Cast struct {
	doc    *contract.Document
	config sensor.Config
}

// New translates a document for the reference's roles.
func New(doc *contract.Document) (*Cast, error) {
	c, err := config(doc)
	if err != nil {
		return nil, err
	}
	return &Cast{doc: doc, config: c}, nil
}

// Flaws are the names of the reference's flaws, with what each must break.
func Flaws() []sensor.Flaw { return sensor.AllFlaws() }

// Roles are the roles with a flaw; "" is none.
func (c *Cast) Roles(flaw string) ([]model.Role, error) {
	flaws, err := sensor.NewFlaws(flaw)
	if err != nil {
		return nil, fmt.Errorf("roles: %w", err)
	}
	var out []model.Role
	had := map[string]bool{}
	for _, f := range c.doc.Flows {
		if had[f.Role] {
			continue
		}
		had[f.Role] = true
		r := model.Role{Name: f.Role, Kind: f.Kind}
		switch f.Kind {
		case contract.Recorder:
			r.New = func(p *model.Process) model.Program { return c.recorder(p, flaws) }
		case contract.Summarizer:
			r.New = func(p *model.Process) model.Program { return c.summarizer(p, flaws) }
		case contract.Display:
			r.New = func(p *model.Process) model.Program { return c.display(p, flaws) }
		}
		out = append(out, r)
	}
	return out, nil
}

// broken is a program that ends with err: a configuration that the reference refuses.
func broken(err error) model.Program {
	return model.Program{Run: func(context.Context) error { return err }}
}

func (c *Cast) recorder(p *model.Process, flaws sensor.Flaws) model.Program {
	r, err := sensor.NewRecorder(p, c.config, flaws)
	if err != nil {
		return broken(err)
	}
	return model.Program{Run: r.Run, Accept: func(ctx context.Context, record []byte) sut.Answer { return c.answer(r.Accept(ctx, record)) }}
}

func (c *Cast) answer(a sensor.Answer) sut.Answer {
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
			out.Where = &history.Position{Topic: c.config.Events.Name, Partition: a.Partition, Offset: a.Offset}
		}
	default:
		out.Phase = history.Unknown
		if a.Err != nil {
			out.Err = a.Err.Error()
		}
	}
	return out
}

func (c *Cast) summarizer(p *model.Process, flaws sensor.Flaws) model.Program {
	s, err := sensor.NewSummarizer(p, c.config, flaws)
	if err != nil {
		return broken(err)
	}
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
	if !p.Watched() {
		return model.Program{Run: s.Run}
	}
	s.Observe(sensor.Hooks{
		Storing: func(ids []string, at []sensor.Position) { open = open[:0]; note(history.Invoke, ids, at) },
		Stored:  func(ids []string, at []sensor.Position) { note(history.OK, ids, at) },
	})
	return model.Program{Run: s.Run}
}

func (c *Cast) display(p *model.Process, flaws sensor.Flaws) model.Program {
	d, err := sensor.NewDisplay(p, c.config, flaws)
	if err != nil {
		return broken(err)
	}
	return model.Program{Run: d.Run, Rows: func() ([]sut.Row, error) {
		rows := d.Rows()
		out := make([]sut.Row, len(rows))
		for i, r := range rows {
			out[i] = sut.Row{Key: r.Key, Value: r.Value}
		}
		return out, nil
	}}
}
