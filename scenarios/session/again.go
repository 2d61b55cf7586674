package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"tahanuji/reports"
	"tahanuji/scenarios/run"
	"tahanuji/system/contract"
)

// Repetitions of a run that broke a clause: each costs a whole run, so a sitting with many of them repeats the first ones only.
const (
	repetitions = 2
	mostAgain   = 6 // cells of a sitting
)

// againFolder is where, in the out folder, runs are repeated. It is there for so long only.
const againFolder = "again"

// examine says of a run that broke a clause how often that comes again, and what the smallest plan is that still does it on the
// model. Both are written into the run's folder.
func (s *Session) examine(ctx context.Context, c run.Cell, r *reports.Run) error {
	s.mu.Lock()
	s.again++
	spent := s.again > mostAgain
	s.mu.Unlock()
	if spent {
		return nil
	}
	again, err := s.repeatRun(ctx, c, *r)
	if err != nil {
		return err
	}
	r.Again = again
	small, err := run.Minimize(ctx, c, BrokenIn(*r))
	if err != nil {
		return err
	}
	r.Minimal = small
	if err := reports.Write(c.Dir, *r); err != nil {
		return fmt.Errorf("%s: %w", c.ID, err)
	}
	*r, err = reports.ReadRun(c.Dir)
	return err
}

// repeatRun runs the cell again, elsewhere, and counts how often one of the same clauses breaks.
func (s *Session) repeatRun(ctx context.Context, c run.Cell, first reports.Run) (again *reports.Again, err error) {
	into := filepath.Join(filepath.Dir(filepath.Dir(c.Dir)), againFolder)
	defer func() {
		err = errors.Join(err, os.RemoveAll(filepath.Join(into, reports.FolderName(c.ID))))
		_ = os.Remove(into) // it is empty once the last cell was repeated
	}()
	again = &reports.Again{}
	was := BrokenIn(first)
	for range repetitions {
		c.Dir = filepath.Join(into, reports.FolderName(c.ID))
		r, err := run.Run(ctx, c)
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			break
		}
		again.N++
		if slices.ContainsFunc(BrokenIn(r), func(id contract.ID) bool { return slices.Contains(was, id) }) {
			again.K++
		}
		if err := os.RemoveAll(c.Dir); err != nil {
			return nil, fmt.Errorf("%s: again: %w", c.ID, err)
		}
	}
	return again, nil
}
