// Package run carries out one cell: it starts a broker, the proxy and the system under test, sends the workload beside the
// plan, heals, lets things settle, looks at what is there, saves it, and only then has it judged. It decides no verdict.
package run

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"tahanuji/faults"
	"tahanuji/reports"
	"tahanuji/scenarios/scenario"
	"tahanuji/system/broker"
	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/seed"
	"tahanuji/system/sut"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// Cell is what one run does.
type Cell struct {
	ID       string // stable id, see reports.Run
	System   string // name of the system or document
	Scenario scenario.Scenario
	Doc      *contract.Document
	Adapter  sut.Adapter
	Backend  broker.Backend
	Nodes    int // 0: the backend's own number
	Seed     uint64
	Flaw     string
	Variant  string        // of the reference, that a proposal names; plays like a flaw and is not counted as one
	Expected []contract.ID // clauses that the flaw must break
	Checkers []check.Checker
	Dir      string // the run's folder
	Repeat   string // the one command that repeats it
	Input    string // recorded events instead of made ones
	Base     time.Time
	Limits   Limits
	Today    time.Time // the day that waivers are held against; zero lets none expire
	// Try counts the runs before this one in which no fault acted.
	Try int
	// Plan and Load of an old run are played again instead of aiming and making them anew.
	Plan []target.Step
	Load *workload.Load
}

// plays is the flaw or variant that the reference plays.
func (c Cell) plays() string { return cmp.Or(c.Variant, c.Flaw) }

// Limits bound every wait of a run.
type Limits struct {
	Start    time.Duration // until every role is ready
	Load     time.Duration // for the sends, with the faults
	Settle   time.Duration // nothing new for so long means rest
	Patience time.Duration // no progress for so long means that none will come
	Rest     time.Duration // from healing to rest, at most
	Stop     time.Duration // for stopping everything
	Watch    time.Duration // how long services are watched that take no events from the source
	// OwnClock: the roles have a clock that is not ours.
	OwnClock bool
	// Scale shortens the lengths of time in a plan, where sessions and timeouts of the roles are as much shorter than Kafka's
	// defaults; 0 is 1.
	Scale float64
	// Session is the group session that the reference asks for; 0 is its own choice.
	Session time.Duration
}

// LimitsFor are the limits for a backend, and for roles whose clock is ours (the reference in this process) or their own.
func LimitsFor(real, ours bool) Limits {
	l := Limits{
		Start: 90 * time.Second, Load: 2 * time.Minute, Settle: 2 * time.Second,
		Patience: 30 * time.Second, Rest: 60 * time.Second, Stop: 30 * time.Second, Watch: 20 * time.Second, OwnClock: true,
	}
	if ours {
		l = Limits{
			Start: 20 * time.Second, Load: 30 * time.Second, Settle: 60 * time.Millisecond,
			Patience: 3 * time.Second, Rest: 12 * time.Second, Stop: 10 * time.Second, Scale: 0.1,
		}
	}
	if real {
		l.Start, l.Stop = 2*time.Minute, 30*time.Second
		if ours {
			l.Load, l.Settle, l.Patience, l.Rest = time.Minute, 200*time.Millisecond, 10*time.Second, 40*time.Second
			l.Scale, l.Session = 0.35, 2*time.Second
		}
	}
	return l
}

// Run carries out a cell. An error means that there was no run: nothing could be started, or nothing could be saved. A run that
// was cut short or whose waits ran out is a run: it says so, and its evidence is on disk.
func Run(ctx context.Context, c Cell) (reports.Run, error) {
	begun := time.Now()
	out := c.blank()
	load, steps, err := c.prepare()
	if err != nil {
		return out, fmt.Errorf("run %s: %w", c.ID, err)
	}
	sends, acted, err := workload.Apply(load, steps)
	if err != nil {
		return out, fmt.Errorf("run %s: %w", c.ID, err)
	}
	out.Base, out.Events, out.Covered = load.Base.Format(time.RFC3339), len(load.Events), load.Covered
	st := &stage{cell: c, rec: history.NewRecorder(), load: load, steps: steps, sends: sends, acted: acted}
	var notes []string
	if st.beside, notes, err = c.beside(load, sends); err != nil {
		return out, fmt.Errorf("run %s: %w", c.ID, err)
	}
	runErr := st.play(ctx)
	h := st.history()
	out.Acted, out.Moments, out.Measured, out.Notes = st.acted, moments(h), st.measured(), append(notes, st.notes...)
	if err := reports.SaveEvidence(c.Dir, faults.Plan{Seed: c.Seed, Steps: steps}, h); err != nil {
		return out, fmt.Errorf("run %s: %w", c.ID, err)
	}
	out.Complete = runErr == nil
	if runErr != nil {
		out.Err = runErr.Error()
	}
	out.Verdicts = Judge(c, h, st.acted, runErr)
	out.Took = time.Since(begun)
	return out, finish(c.Dir, &out)
}

// Made is the load that a run of the cell is made of.
func (c Cell) Made() (*workload.Load, error) { return c.load() }

func (c Cell) load() (*workload.Load, error) {
	if c.Load != nil {
		return c.Load, nil
	}
	o := workload.Options{Seed: seed.Derive(c.Seed, "load"), Base: c.base(), Events: c.Scenario.Events}
	if by, ok := c.Adapter.(interface {
		Body(*contract.Document) contract.Pointer
	}); ok {
		o.Body = by.Body(c.Doc)
	}
	if c.Input != "" {
		return workload.FromFile(c.Doc, c.Input, o)
	}
	return workload.Make(c.Doc, o)
}

// firstEvent is the event time at which workloads begin when the roles' clock is ours: equal seeds then make equal records.
var firstEvent = time.Date(2026, time.November, 7, 0, 0, 0, 0, time.UTC)

// base is the workload's first event time. Where the roles have a clock of their own it is two days ago, so that neither
// retention nor a service's own idea of "too old" gets in the way.
func (c Cell) base() time.Time {
	switch {
	case !c.Base.IsZero():
		return c.Base
	case c.Limits.OwnClock:
		return time.Now().UTC().Truncate(24 * time.Hour).Add(-48 * time.Hour)
	}
	return firstEvent
}
