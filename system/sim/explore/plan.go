// Package explore searches for runs that break a promise: it draws workloads, faults and crash points from a seed, runs them on
// the model, has them judged, and makes what breaks as small as it can. It judges nothing itself.
package explore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// Plan is all that a run on the model depends on, besides the document and the roles: it is played again from its file.
type Plan struct {
	Seed uint64 // of the model: latencies, member ids
	// LoadSeed, Events and Sources are the workload's options.
	LoadSeed uint64
	Events   int
	Sources  int
	// Keep are the events that the source sends, by label; nil is all.
	Keep    []string
	Members int // instances of each summarizer; 0 is 1
	Replay  bool
	Gap     time.Duration // between sends, see model.Timing
	Steps   []target.Step
}

// file is a plan as a file holds it: 64-bit numbers are decimal strings, since they do not survive JSON readers.
type file struct {
	Seed     string        `json:"seed"`
	LoadSeed string        `json:"loadSeed"`
	Events   int           `json:"events"`
	Sources  int           `json:"sources,omitempty"`
	Keep     []string      `json:"keep,omitempty"`
	Members  int           `json:"members,omitempty"`
	Replay   bool          `json:"replay,omitempty"`
	Gap      time.Duration `json:"gap,omitempty"`
	Steps    []target.Step `json:"steps"`
}

// MarshalJSON writes a plan with its seeds as decimal strings and its lengths of time in nanoseconds.
func (p Plan) MarshalJSON() ([]byte, error) {
	steps := p.Steps
	if steps == nil {
		steps = []target.Step{}
	}
	return json.Marshal(file{seed.Format(p.Seed), seed.Format(p.LoadSeed), p.Events, p.Sources, p.Keep, p.Members, p.Replay, p.Gap, steps})
}

// UnmarshalJSON reads what MarshalJSON wrote, strictly.
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
	own, err := seed.Parse(f.Seed)
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	load, err := seed.Parse(f.LoadSeed)
	if err != nil {
		return fmt.Errorf("plan: load: %w", err)
	}
	*p = Plan{own, load, f.Events, f.Sources, f.Keep, f.Members, f.Replay, f.Gap, f.Steps}
	return nil
}

// Save writes a plan to a file, whole or not at all.
func Save(path string, p Plan) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("explore: save plan: %w", err)
	}
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("explore: save plan: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("explore: save plan: %w", err)
	}
	return nil
}

// Open reads a plan that Save wrote.
func Open(path string) (Plan, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Plan{}, fmt.Errorf("explore: open plan: %w", err)
	}
	var p Plan
	if err := json.Unmarshal(text, &p); err != nil {
		return Plan{}, fmt.Errorf("explore: %s: %w", path, err)
	}
	return p, nil
}

// Sent counts the events that the source sends.
func (p Plan) Sent() int {
	if p.Keep != nil {
		return len(p.Keep)
	}
	return p.Events
}

// base is the event time at which every load begins: a Saturday, so that days and weeks have edges in it.
func base() time.Time { return time.Date(2026, 11, 7, 0, 0, 0, 0, time.UTC) }

// loads keeps the loads that were made: many plans share one.
type loads struct {
	doc  *contract.Document
	made map[workload.Options]*workload.Load
}

func (l *loads) of(p Plan) (*workload.Load, error) {
	o := workload.Options{Seed: p.LoadSeed, Base: base(), Events: p.Events, Sources: p.Sources}
	load := l.made[o]
	if load == nil {
		var err error
		if load, err = workload.Make(l.doc, o); err != nil {
			return nil, fmt.Errorf("explore: load: %w", err)
		}
		if l.made == nil {
			l.made = map[workload.Options]*workload.Load{}
		}
		l.made[o] = load
	}
	if p.Keep == nil {
		return load, nil
	}
	kept := *load
	kept.Sends = nil
	for _, s := range load.Sends {
		if slices.Contains(p.Keep, s.Event.Label) {
			kept.Sends = append(kept.Sends, s)
		}
	}
	return &kept, nil
}
