package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"tahanuji/reports"
	"tahanuji/scenarios/run"
	"tahanuji/scenarios/scenario"
	"tahanuji/scenarios/sweep"
	"tahanuji/system/seed"
	"tahanuji/system/sim/model"
)

// sweepFile holds, in a sitting's out folder, what the recorded run of a sweep showed.
const sweepFile = "sweep.json"

// sweeping is a sitting's sweep: its squares, and what the recorded run shows.
type sweeping struct {
	grid   []sweep.Square
	mu     sync.Mutex
	record *sweep.Record
}

// swept is what a cell of a sweep is about: the recorded run, a square, or the n-th pair of them.
type swept struct {
	square *sweep.Square
	pair   int  // from 1; 0: no pair
	model  bool // on the model of a broker, before the broker itself
}

// On is the broker that a cell runs on: the sitting's, or the model for a sweep's first pass.
func (c Cell) On(backend string) string {
	if c.swept != nil && c.swept.model {
		return Model
	}
	return backend
}

// nothingToRun says that a cell has nothing to run here, which is no failure.
type nothingToRun struct{ why string }

func (n nothingToRun) Error() string { return n.why }

// pickSweep lists the cells of a sweep, less what the flags leave out: the recorded run, each square that the protocol allows,
// and the pairs. All have one seed, so that the records which name a moment are the recorded run's.
func (s *Session) pickSweep() ([]Cell, error) {
	s.sweep.grid = sweep.Grid(s.Doc)
	from := seed.Derive(s.Seed, s.System, "sweep")
	recorded := func() (sweep.Record, error) { return s.recorded(context.Background()) }
	about := map[string]*swept{sweep.Recorded: {}}
	all := []scenario.Scenario{sweep.RecordedScenario(s.Doc)}
	for i := range s.sweep.grid {
		q := &s.sweep.grid[i]
		sc := q.Scenario(recorded)
		if q.Impossible == "" {
			q.Impossible = s.lacking(sc)
		}
		if q.Impossible != "" {
			continue
		}
		all = append(all, sc)
		about[q.Name] = &swept{square: q}
	}
	for n := range s.Profile.Sweep.Pairs {
		sc := sweep.PairScenario(s.sweep.grid, n+1, recorded)
		all = append(all, sc)
		about[sc.Name] = &swept{pair: n + 1}
	}
	wanted, err := s.wantedScenarios(all)
	if err != nil {
		return nil, err
	}
	var cells []Cell
	for _, sc := range wanted {
		if about := about[sc.Name]; about != nil && s.modelled(about.square) {
			id := cellID(s.System, sc, Model, 0, s.Options.Flaw)
			cells = append(cells, Cell{ID: id, Scenario: sc, Seed: from, Flaw: s.Options.Flaw, swept: &swept{square: about.square, model: true}})
		}
	}
	for _, sc := range wanted {
		id := cellID(s.System, sc, s.Backend.Name, 0, s.Options.Flaw)
		cells = append(cells, Cell{ID: id, Scenario: sc, Seed: from, Flaw: s.Options.Flaw, swept: about[sc.Name]})
	}
	return s.mine(cells)
}

// modelled says whether a square has a first pass on the model: where the reference plays, at requests that the model's clients make.
// What it breaks there is broken; what it does not reach there counts for nothing.
func (s *Session) modelled(q *sweep.Square) bool {
	return q != nil && q.When == sweep.Load && s.Options.Sut == "" && s.Options.Input == "" && slices.Contains(model.APIs(), q.API)
}

// ahead of a sweep's cell comes the recorded run. It says when the cell has nothing to run: the client never comes to its moment.
func (s *Session) ahead(ctx context.Context, c Cell) error {
	if c.swept == nil || c.Scenario.Name == sweep.Recorded {
		return nil
	}
	r, err := s.recorded(ctx)
	if err != nil {
		return err
	}
	if q := c.swept.square; q != nil {
		if why := r.Missing(q.Moment); why != "" {
			return nothingToRun{why}
		}
	}
	return nil
}

// recorded is what the recorded run shows: of another process of this sitting, or of a run that is made now, once.
func (s *Session) recorded(ctx context.Context) (sweep.Record, error) {
	s.sweep.mu.Lock()
	defer s.sweep.mu.Unlock()
	if s.sweep.record != nil {
		return *s.sweep.record, nil
	}
	r, err := s.readRecord()
	if errors.Is(err, fs.ErrNotExist) {
		r, err = s.makeRecord(ctx)
	}
	if err != nil {
		return sweep.Record{}, fmt.Errorf("sweep: the recorded run: %w", err)
	}
	s.sweep.record = &r
	return r, nil
}

func (s *Session) readRecord() (sweep.Record, error) {
	var r sweep.Record
	text, err := os.ReadFile(filepath.Join(s.Out, sweepFile))
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(text, &r)
}

// makeRecord runs what is recorded, keeps what it shows in the out folder, and nothing else: the cell of that name is a run of
// its own.
func (s *Session) makeRecord(ctx context.Context) (r sweep.Record, err error) {
	into, err := os.MkdirTemp("", "tahanuji-sweep-")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(into)) }()
	sc := sweep.RecordedScenario(s.Doc)
	id := cellID(s.System, sc, s.Backend.Name, 0, s.Options.Flaw)
	cell := s.cell(Cell{ID: id, Scenario: sc, Seed: seed.Derive(s.Seed, s.System, "sweep"), Flaw: s.Options.Flaw})
	cell.Dir = filepath.Join(into, reports.FolderName(id))
	made, err := run.Run(ctx, cell)
	if err != nil {
		return r, err
	}
	if !made.Complete {
		return r, errors.New(made.Err)
	}
	load, err := cell.Made()
	if err != nil {
		return r, err
	}
	h, err := reports.ReadHistory(cell.Dir)
	if err != nil {
		return r, err
	}
	r = sweep.Read(load, h)
	if len(r.Events) == 0 {
		return r, errors.New("no event of the load's second third reached its topic, so no moment can be named")
	}
	return r, s.keepRecord(r)
}

// keepRecord writes the file as a whole or not at all: other processes of the sitting look for it.
func (s *Session) keepRecord(r sweep.Record) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(s.Out, "."+sweepFile+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), filepath.Join(s.Out, sweepFile))
}

// sweepPlan is the sweep as its report counts it: the squares of this sitting's cells, and beside them those that can't be.
func (s *Session) sweepPlan() *reports.SweepPlan {
	if s.Profile.Sweep == nil {
		return nil
	}
	s.sweep.mu.Lock()
	r := s.sweep.record
	s.sweep.mu.Unlock()
	plan := &reports.SweepPlan{Least: s.Profile.Sweep.Least}
	for _, a := range sweep.Actions() {
		plan.Actions = append(plan.Actions, string(a))
	}
	cells := map[string]string{}
	for _, c := range s.Cells {
		if c.swept != nil && c.swept.model {
			continue
		}
		cells[c.Scenario.Name] = c.ID
		if c.swept != nil && c.swept.pair > 0 {
			plan.Pairs = append(plan.Pairs, c.ID)
		}
	}
	for _, row := range rows(s.sweep.grid) {
		if r != nil {
			if why := r.Missing(row[0].Moment); why != "" {
				plan.Unused = append(plan.Unused, why)
				continue
			}
		}
		plan.Moments = append(plan.Moments, momentsOf(row, cells)...)
	}
	slices.Sort(plan.Unused)
	plan.Unused = slices.Compact(plan.Unused)
	return plan
}

// rows cuts a grid into the squares of each moment.
func rows(grid []sweep.Square) [][]sweep.Square {
	var out [][]sweep.Square
	for i, q := range grid {
		if i == 0 || q.Moment != grid[i-1].Moment {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], q)
	}
	return out
}

// momentsOf are a row's squares; none where no cell of this sitting has to do with it.
func momentsOf(row []sweep.Square, cells map[string]string) []reports.SweepMoment {
	var out []reports.SweepMoment
	asked := false
	for _, q := range row {
		m := reports.SweepMoment{API: q.API, Role: q.Role, When: string(q.When), Action: string(q.Action), Cell: cells[q.Name], Impossible: q.Impossible}
		asked = asked || m.Cell != ""
		if m.Cell != "" || m.Impossible != "" {
			out = append(out, m)
		}
	}
	if !asked {
		return nil
	}
	return out
}
