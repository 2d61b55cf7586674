package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"

	"tahanuji/reports"
	"tahanuji/scenarios/run"
	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/seed"
)

// Watch is told how a sitting goes on. Its methods are called from several goroutines.
type Watch interface {
	Begin(cell string)
	End(cell, outcome string)
}

// usualBeside is how many cells run at once: they wait most of their time.
const usualBeside = 4

// beside is how many cells run at once on the sitting's broker.
func (s *Session) beside() int {
	if n := s.Backend.Beside; n > 0 {
		return n
	}
	return usualBeside
}

// Result of a cell.
type Result struct {
	Run  reports.Run
	Err  error  // there was no run
	Skip string // why there is nothing to run, "" where there is
}

func resultOf(r reports.Run, err error) Result {
	var nothing nothingToRun
	if errors.As(err, &nothing) {
		return Result{Skip: nothing.why}
	}
	return Result{Run: r, Err: err}
}

// job is a cell to run, and how.
type job struct {
	id string
	do func(context.Context) (reports.Run, error)
}

// jobs lists all runs of the sitting: the cells first, then the flawed ones.
func (s *Session) jobs() []job {
	var out []job
	for _, c := range s.Cells {
		out = append(out, job{c.ID, func(ctx context.Context) (reports.Run, error) { return s.Run(ctx, c) }})
	}
	if c := s.Explored; c != nil {
		out = append(out, job{c.ID, func(ctx context.Context) (reports.Run, error) {
			return run.Explore(ctx, s.cell(*c), s.Profile.Explore)
		}})
	}
	for _, f := range s.Flaws {
		out = append(out, job{f.ID, func(ctx context.Context) (reports.Run, error) { return s.RunFlaw(ctx, f) }})
	}
	return out
}

// Size is how many runs the sitting has.
func (s *Session) Size() int { return len(s.jobs()) }

// Only keeps the runs that keep wants: a filter left out the others.
func (s *Session) Only(keep func(id string) bool) {
	s.Cells = slices.DeleteFunc(s.Cells, func(c Cell) bool { return !keep(c.ID) })
	s.Flaws = slices.DeleteFunc(s.Flaws, func(f FlawCell) bool { return !keep(f.ID) })
	if s.Explored != nil && !keep(s.Explored.ID) {
		s.Explored = nil
	}
}

// Do runs the one cell with this id now.
func (s *Session) Do(ctx context.Context, id string) Result {
	for _, j := range s.jobs() {
		if j.id == id {
			return resultOf(j.do(ctx))
		}
	}
	return Result{Err: fmt.Errorf("%s: no such cell", id)}
}

// RunAll runs everything, several cells at once, and tells watch. When ctx ends the running cells heal and stop, the others are
// not run, and the report says so. The error joins the reasons for which there were no runs.
func (s *Session) RunAll(ctx context.Context, watch Watch) error {
	b := s.Background(ctx, watch)
	var errs []error
	for _, j := range s.jobs() {
		if r := b.Await(ctx, j.id); r.Err != nil && ctx.Err() == nil {
			errs = append(errs, r.Err)
		}
	}
	b.Wait()
	if ctx.Err() != nil {
		s.Stop("interrupted")
	}
	return errors.Join(errs...)
}

// Background runs the cells of a sitting, several at once, in the order in which a reader asks for them.
type Background struct {
	mu      sync.Mutex
	results map[string]chan Result
	wg      sync.WaitGroup
}

// Background starts running everything.
func (s *Session) Background(ctx context.Context, watch Watch) *Background {
	jobs := s.jobs()
	b := &Background{results: map[string]chan Result{}}
	queue := make(chan job, len(jobs))
	for _, j := range jobs {
		b.results[j.id] = make(chan Result, 1)
		queue <- j
	}
	close(queue)
	for range s.beside() {
		b.wg.Go(func() {
			for j := range queue {
				if ctx.Err() != nil {
					b.results[j.id] <- Result{Err: fmt.Errorf("%s: not run: %w", j.id, context.Cause(ctx))}
					continue
				}
				watch.Begin(j.id)
				r, err := j.do(ctx)
				watch.End(j.id, s.word(r, err))
				b.results[j.id] <- resultOf(r, err)
			}
		})
	}
	return b
}

// Await gives a cell's result once it has one.
func (b *Background) Await(ctx context.Context, id string) Result {
	b.mu.Lock()
	c := b.results[id]
	b.mu.Unlock()
	if c == nil {
		return Result{Err: fmt.Errorf("%s: no such cell", id)}
	}
	select {
	case r := <-c:
		c <- r // for whoever asks again
		return r
	case <-ctx.Done():
		return Result{Err: fmt.Errorf("%s: %w", id, context.Cause(ctx))}
	}
}

// Wait returns when every running cell has ended.
func (b *Background) Wait() { b.wg.Wait() }

// Tries of a flawed cell: a flaw is small, and one seed's faults may pass it by. The first seed that shows it counts, and the
// cell says which it was.
const (
	triesOnModel  = 12
	triesOnBroker = 3
)

// RunFlaw runs the reference with a flaw, on the model or on the broker, until it is caught or the tries are used up.
func (s *Session) RunFlaw(ctx context.Context, f FlawCell) (reports.Run, error) {
	play, tries := run.Run, triesOnBroker
	if f.Lane == Model {
		play, tries = run.OnModel, triesOnModel
	}
	var last reports.Run
	for try := range tries {
		cell := s.cell(f.Cell)
		if try > 0 {
			cell.Seed = seed.Derive(f.Seed, "try", strconv.Itoa(try))
		}
		if err := os.RemoveAll(cell.Dir); err != nil {
			return last, fmt.Errorf("%s: %w", f.ID, err)
		}
		var err error
		if last, err = play(ctx, cell); err != nil {
			return last, err
		}
		if Caught(last) || ctx.Err() != nil {
			break
		}
	}
	return last, nil
}

// Caught says whether a flawed run broke one of the clauses that its flaw must break.
func Caught(r reports.Run) bool {
	return slices.ContainsFunc(BrokenIn(r), func(id contract.ID) bool { return slices.Contains(r.Expected, id) })
}

// word says how a run went. A flawed run that proves that the checks bite is caught or unnoticed.
func (s *Session) word(r reports.Run, err error) string {
	switch {
	case resultOf(r, err).Skip != "":
		return "skipped"
	case err != nil:
		return "failed"
	case r.Flaw != s.Options.Flaw && Caught(r):
		return "caught"
	case r.Flaw != s.Options.Flaw:
		return "unnoticed"
	}
	return worst(r)
}

// worst is the word for the verdicts of a run.
func worst(r reports.Run) string {
	out := string(check.Holds)
	for _, v := range r.Verdicts {
		switch v.Outcome {
		case check.Broken:
			return string(check.Broken)
		case check.Inconclusive, check.NotRun, check.Unset:
			out = string(check.Inconclusive)
		case check.Holds, check.NotApplicable, check.Waived:
		}
	}
	return out
}
