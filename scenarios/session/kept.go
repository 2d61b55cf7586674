package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tahanuji/faults"
	"tahanuji/reports"
	"tahanuji/scenarios/catalog"
	"tahanuji/scenarios/run"
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/seed"
	"tahanuji/system/workload"
)

// keptFile holds a sitting's options in its out folder, so that a run can be repeated and rechecked later.
const keptFile = "session.json"

// settings are what is kept of a sitting. Paths are absolute: a run may be repeated from another folder.
type settings struct {
	Options
	ADR string `json:",omitempty"` // the proposal that was judged
}

func (s *Session) saveOptions() error {
	o := s.Options
	for _, path := range []*string{&o.Arch, &o.Sut, &o.Input, &o.Out} {
		if *path == "" {
			continue
		}
		full, err := filepath.Abs(*path)
		if err != nil {
			return fmt.Errorf("session: %w", err)
		}
		*path = full
	}
	text, err := json.MarshalIndent(settings{o, s.adr}, "", "  ")
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	if err := os.WriteFile(filepath.Join(s.Out, keptFile), append(text, '\n'), 0o644); err != nil {
		return refuse("-out: %s can't be written: %v. Choose another folder", s.Out, err)
	}
	return nil
}

// Kept is an old run with the sitting that it belongs to.
type Kept struct {
	Session *Session
	Run     reports.Run
	Plan    faults.Plan
	History *history.History
	Cell    Cell
	load    *workload.Load // of the smallest plan; nil: as the cell makes it
}

// Reopen reads an old run's folder and opens its sitting again, to run into the folder out. It refuses a run whose document
// has changed since, unless changed is allowed.
func Reopen(folder, out string, at Edge) (*Kept, error) {
	r, err := reports.ReadRun(folder)
	if err != nil {
		return nil, refuse("%s is no run folder: %v. Name one under out/<run id>/cells", folder, err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "..", "..", keptFile))
	if err != nil {
		return nil, refuse("%s: the sitting's %s is missing: %v", folder, keptFile, err)
	}
	var o settings
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, refuse("%s: %v", keptFile, err)
	}
	o.Out, o.Shard, o.Scenario, o.Fault, o.Clause, o.Flaw = out, "", r.Scenario, "", "", r.Flaw
	s, err := Open(o.Options, at)
	if err == nil && o.ADR != "" {
		if at, _, err = at.Propose(s.Doc, o.ADR); err == nil {
			s, err = Open(o.Options, at)
		}
	}
	if err != nil {
		return nil, err
	}
	k := &Kept{Session: s, Run: r}
	if k.Plan, err = run.ReadPlan(folder); err != nil {
		return nil, refuse("%v", err)
	}
	if k.History, err = reports.ReadHistory(folder); err != nil {
		return nil, refuse("%v", err)
	}
	return k, k.find()
}

func (k *Kept) find() error {
	sc, ok := catalog.Named(k.Run.Scenario)
	for _, c := range k.Session.Cells {
		if c.swept != nil && c.Scenario.Name == k.Run.Scenario {
			sc, ok = c.Scenario, true
		}
	}
	if k.Run.Scenario == explored {
		sc, ok = scenario.Scenario{Name: explored, Doc: k.Run.Doc}, true
	}
	if !ok {
		return refuse("scenario %q of the run is not known any more", k.Run.Scenario)
	}
	number, err := seed.Parse(k.Run.Seed)
	if err != nil {
		return refuse("seed of the run: %v", err)
	}
	k.Cell = Cell{ID: k.Run.Cell, Scenario: sc, Seed: number, Flaw: k.Run.Flaw}
	return nil
}

// Changed says that the document is not the one that the run was judged by.
func (k *Kept) Changed() bool { return k.Session.Doc.Digest != k.Run.Document }

// Judge judges the old history with today's checkers.
func (k *Kept) Judge() (reports.Run, error) {
	fresh := k.Run
	cell := k.Session.cell(k.Cell)
	fresh.Verdicts = run.Judge(cell, k.History, k.Run.Acted, interrupted(k.Run))
	return fresh, nil
}

func interrupted(r reports.Run) error {
	if r.Complete {
		return nil
	}
	return errors.New(r.Err)
}

// Again runs the cell with the same plan and seed once more, as the n-th repetition.
func (k *Kept) Again(play func(run.Cell) (reports.Run, error), n int) (reports.Run, error) {
	cell := k.Session.cell(k.Cell)
	cell.ID = strings.Join([]string{k.Cell.ID, fmt.Sprintf("again-%d", n)}, "/")
	cell.Dir = reports.CellFolder(k.Session.Out, cell.ID)
	cell.Plan = k.Plan.Steps
	base, err := time.Parse(time.RFC3339, k.Run.Base)
	if err != nil {
		return reports.Run{}, refuse("base of the run: %v", err)
	}
	cell.Base, cell.Load = base, k.load
	return play(cell)
}

// UseMinimal takes the smallest plan of the run's minimal/ folder instead of the run's own.
func (k *Kept) UseMinimal(folder string) error {
	p, err := run.ReadMinimal(filepath.Join(folder, run.Minimal))
	if err != nil {
		return refuse("%s has no minimal plan: %v", folder, err)
	}
	if k.load, err = run.MinimalLoad(k.Session.Doc, p); err != nil {
		return refuse("%s: %v", folder, err)
	}
	k.Plan.Steps, k.Cell.Seed = p.Steps, p.Seed
	k.Cell.Scenario.Members, k.Cell.Scenario.Replay = p.Members, p.Replay
	return nil
}

// OnModel says whether the run was simulated.
func (k *Kept) OnModel() bool { return strings.HasPrefix(k.Run.Broker, Model) }

// BrokenIn lists the clauses that a run broke, in order.
func BrokenIn(r reports.Run) []contract.ID {
	var out []contract.ID
	for _, v := range r.Verdicts {
		if v.Outcome == "broken" {
			out = append(out, v.Clause)
		}
	}
	slices.Sort(out)
	return out
}
