package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"tahanuji/system/seed"
	"tahanuji/system/target"
)

// Plan is what a run does to the system: a set of (moment, action) pairs, replayable and the same for clients in any language.
type Plan struct {
	Seed  uint64
	Steps []target.Step
}

// file is a plan as plan.json holds it: the seed is a decimal string, since 64-bit numbers do not survive JSON readers.
type file struct {
	Seed  string        `json:"seed"`
	Steps []target.Step `json:"steps"`
}

// MarshalJSON writes the seed as a decimal string, durations as whole nanoseconds, and an empty plan as an empty list.
func (p Plan) MarshalJSON() ([]byte, error) {
	f := file{Seed: seed.Format(p.Seed), Steps: p.Steps}
	if f.Steps == nil {
		f.Steps = []target.Step{}
	}
	return json.Marshal(f)
}

// UnmarshalJSON reads what MarshalJSON wrote, strictly: a name that it does not know is an error.
func (p *Plan) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var f file
	if err := d.Decode(&f); err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("plan: something follows the plan at byte %d", d.InputOffset())
	}
	from, err := seed.Parse(f.Seed)
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	*p = Plan{Seed: from, Steps: f.Steps}
	return nil
}

// Shrink gives smaller plans to try, the smallest first: either half of the steps, then all but one, then steps with a smaller
// budget, count or length of time. A plan of one step that can't be made smaller gives none.
func (p Plan) Shrink() []Plan {
	var out []Plan
	n := len(p.Steps)
	with := func(steps ...target.Step) { out = append(out, Plan{p.Seed, steps}) }
	if n > 2 {
		with(clone(p.Steps[:n/2])...)
		with(clone(p.Steps[n/2:])...)
	}
	if n > 1 {
		for i := range p.Steps {
			with(append(clone(p.Steps[:i]), p.Steps[i+1:]...)...)
		}
	}
	for i, s := range p.Steps {
		for _, smaller := range halves(s) {
			steps := clone(p.Steps)
			steps[i] = smaller
			with(steps...)
		}
	}
	return out
}

func clone(steps []target.Step) []target.Step { return append([]target.Step{}, steps...) }

// shortest is the length of time below which a step is not shortened.
const shortest = 50 * time.Millisecond

// halves makes one number of a step smaller at a time.
func halves(s target.Step) []target.Step {
	var out []target.Step
	if s.Budget > 1 {
		t := s
		t.Budget /= 2
		out = append(out, t)
	}
	if s.Do.Count > 2 {
		t := s
		t.Do.Count /= 2
		out = append(out, t)
	}
	if s.Do.For > 2*shortest {
		t := s
		t.Do.For /= 2
		out = append(out, t)
	}
	return out
}
