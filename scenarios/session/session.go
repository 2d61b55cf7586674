package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"tahanuji/faults"
	"tahanuji/reports"
	"tahanuji/reports/format"
	"tahanuji/scenarios/run"
	"tahanuji/system/broker"
	"tahanuji/system/check"
	"tahanuji/system/check/checkers"
	"tahanuji/system/contract"
	"tahanuji/system/sut"
	"tahanuji/system/workload"
)

// Session is one sitting: a document, a system under test, a broker, the cells to run, and the folder that they are kept in.
type Session struct {
	Options  Options
	Doc      *contract.Document
	System   string
	Profile  Profile
	Backend  broker.Backend
	Adapter  sut.Adapter
	Seed     uint64
	Out      string
	Cells    []Cell
	Skipped  []Cell // cells that the broker can't show
	Flaws    []FlawCell
	Explored *Cell // random plans on the model; nil: none
	Checkers []check.Checker

	command *sut.Command   // of -sut
	sample  *workload.Load // events like those of the cells; nil where they are recorded ones
	variant string         // of the reference, that a proposal names
	adr     string         // the proposal that the document is judged with
	typed   string         // how the command line begins: "go tool ginkgo ./scenarios --" or "go run . run"
	begun   time.Time
	mu      sync.Mutex
	sweep   sweeping
	again   int    // cells that were run again
	stopped string // why the sitting was cut short
}

// Edge is what only the edge knows: where files are, how the command is typed, what time it is.
type Edge struct {
	Root    string // the module's root, or the folder that relative paths start from
	Command string
	Now     time.Time
	// Profiles is the text of ginkgo.yml; nil reads it from Root.
	Profiles []byte
	// Follower: another process of the same sitting makes the out folder, and sets Out.
	Follower bool
	// Document is judged instead of the one that the options name, played by the reference's Variant: the proposal ADR. See Propose.
	Document     *contract.Document
	Variant, ADR string
}

// Open checks everything that the user gave, and makes and starts nothing: see Make. What it refuses is a Refusal.
func Open(o Options, at Edge) (*Session, error) {
	if len(o.wrong) > 0 {
		return nil, Refusal{o.wrong[0]}
	}
	s := &Session{Options: o, typed: at.Command, variant: at.Variant, adr: at.ADR, begun: at.Now, Checkers: checkers.All()}
	known, err := profiles(at)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, p := range known {
		names = append(names, p.Name)
		if p.Name == o.Profile {
			s.Profile = p
		}
	}
	if err := Known("-profile", o.Profile, names); err != nil {
		return nil, err
	}
	if s.Seed, err = o.seed(); err != nil {
		return nil, err
	}
	for _, check := range []func(Edge) error{s.openBroker, s.openDocument, s.openSystem, s.openInput, s.openNames} {
		if err := check(at); err != nil {
			return nil, err
		}
	}
	if s.Cells, err = s.pick(); err != nil {
		return nil, err
	}
	s.Flaws = s.pickFlaws()
	return s, s.openOut(at)
}

func (s *Session) openBroker(Edge) error {
	var names []string
	for _, b := range broker.Backends() {
		names = append(names, b.Name)
		if b.Name == s.Options.Broker {
			s.Backend = b
		}
	}
	if err := Known("-broker", s.Options.Broker, names); err != nil {
		return err
	}
	if s.Options.Bootstrap != "" {
		return refuse("-bootstrap: the %s broker starts a cluster of its own. Leave out -bootstrap", s.Options.Broker)
	}
	if missing := s.Backend.Missing(); missing != "" {
		return refuse("-broker %s: %s", s.Options.Broker, missing)
	}
	return nil
}

// openNames refuses names that are in no list: faults, clauses, flaws.
func (s *Session) openNames(Edge) error {
	if s.Options.Fault != "" {
		names := []string{faults.None, faults.Replayed, faults.Swept}
		for _, f := range faults.All() {
			names = append(names, f.Name)
		}
		if err := Known("-fault", s.Options.Fault, names); err != nil {
			return err
		}
	}
	if s.Options.Clause != "" {
		var ids []string
		for _, c := range contract.Clauses(s.Doc) {
			ids = append(ids, string(c.ID))
		}
		if err := Known("-clause", s.Options.Clause, ids); err != nil {
			return err
		}
	}
	if s.Options.Flaw == "" {
		return nil
	}
	if s.Options.Sut != "" {
		return refuse("-flaw: flaws are variants of the reference; leave out -sut, or leave out -flaw")
	}
	return Known("-flaw", s.Options.Flaw, flawNames())
}

// Run carries out one cell. A run that broke a clause is run again, to say how often that comes, and made as small as it gets. An error means that there was no run: the cell stays not-run.
func (s *Session) Run(ctx context.Context, c Cell) (reports.Run, error) {
	if err := s.ahead(ctx, c); err != nil {
		return reports.Run{}, err
	}
	cell := s.cell(c)
	if c.swept != nil && c.swept.model {
		return run.OnModel(ctx, cell)
	}
	r, err := run.Run(ctx, cell)
	for try := 1; err == nil && try < triesToAct && ctx.Err() == nil && len(BrokenIn(r)) == 0 && run.Hollow(r); try++ {
		if err = os.RemoveAll(cell.Dir); err != nil {
			return r, fmt.Errorf("%s: %w", c.ID, err)
		}
		cell.Try = try
		r, err = run.Run(ctx, cell)
	}
	if err != nil || len(BrokenIn(r)) == 0 || ctx.Err() != nil {
		return r, err
	}
	return r, s.examine(ctx, cell, &r)
}

// triesToAct is how often a cell is run until its faults act. A moment may pass by on a machine that is busy; a run in which
// nothing was hurt says nothing, so another one hides nothing. A run that broke a clause is never tried again in its place.
const triesToAct = 3

func (s *Session) cell(c Cell) run.Cell {
	return run.Cell{
		ID: c.ID, System: s.System, Scenario: c.Scenario, Doc: s.Doc, Adapter: s.Adapter, Backend: s.Backend,
		Nodes: s.Options.Nodes, Seed: c.Seed, Flaw: c.Flaw, Variant: s.variant, Checkers: s.Checkers, Expected: expected(c.Flaw),
		Dir: reports.CellFolder(s.Out, c.ID), Repeat: s.repeat(c), Input: s.Options.Input, Limits: run.LimitsFor(s.Backend.Real, s.Options.Sut == ""), Today: s.begun,
	}
}

// repeat is the one command that runs a cell again.
func (s *Session) repeat(c Cell) string {
	parts := []string{s.typed}
	add := func(flag, value, usual string) {
		if value != usual {
			parts = append(parts, "-"+flag, quote(value))
		}
	}
	add("system", s.Options.System, "sensor")
	add("arch", s.Options.Arch, "")
	add("sut", s.Options.Sut, "")
	add("input", s.Options.Input, "")
	add("broker", s.Options.Broker, "embedded")
	if s.Options.Nodes > 0 {
		add("nodes", strconv.Itoa(s.Options.Nodes), "")
	}
	add("profile", s.Options.Profile, "smoke")
	add("seed", s.Options.Seed, "1")
	if c.ID != "" {
		add("scenario", c.Scenario.Name, "")
	} else {
		add("scenario", s.Options.Scenario, "")
		add("clause", s.Options.Clause, "")
		add("fault", s.Options.Fault, "")
		add("shard", s.Options.Shard, "")
	}
	add("flaw", c.Flaw, "")
	return strings.Join(parts, " ")
}

func quote(s string) string {
	if strings.ContainsAny(s, " \t\"'$`\\") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// Stop says that the sitting was cut short: its report is incomplete and says why.
func (s *Session) Stop(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = why
}

// Finish makes the report of everything that was run, writes it in all formats, and points out/latest at it.
func (s *Session) Finish(now time.Time) (*reports.Report, error) {
	runs, err := reports.ReadRuns(s.Out)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	report, err := reports.Build(runs, s.Doc, contract.Clauses(s.Doc), s.wanted(), s.environment(now))
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	if err := format.Write(s.Out, report, format.All()); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return report, s.pointLatest()
}

// pointLatest makes out/latest beside the runs point at this one. Only the usual place has one.
func (s *Session) pointLatest() error {
	if s.Options.Out != "" {
		return nil
	}
	latest := filepath.Join(filepath.Dir(s.Out), "latest")
	fresh := latest + "." + filepath.Base(s.Out)
	if err := os.Symlink(filepath.Base(s.Out), fresh); err != nil {
		return fmt.Errorf("out/latest: %w", err)
	}
	if err := os.Rename(fresh, latest); err != nil {
		return errors.Join(fmt.Errorf("out/latest: %w", err), os.Remove(fresh))
	}
	return nil
}

func (s *Session) environment(now time.Time) reports.Environment {
	env := reports.Environment{
		Setting: reports.Setting{
			System: s.System, Sut: s.Adapter.Name(), Broker: s.Backend.Name, Profile: s.Profile.Name,
			Seed: s.Options.Seed, Flaw: s.Options.Flaw, Repeat: s.repeat(Cell{Flaw: s.Options.Flaw}), Interrupted: s.stopped,
			Lacks: map[string]string{},
		},
		Begun: s.begun, Took: now.Sub(s.begun), Versions: versions(), Go: runtime.Version(),
		OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(),
	}
	env.Sweep = s.sweepPlan()
	for feature, why := range s.Backend.Lacks {
		env.Lacks[string(feature)] = why
	}
	for feature, why := range s.Adapter.Lacks(s.Doc) {
		env.Lacks[string(feature)] = why
	}
	for _, f := range faults.All() {
		env.Faults = append(env.Faults, f.Name)
	}
	return env
}

// versions are those of the modules whose behaviour a run hangs on.
func versions() map[string]string {
	out := map[string]string{}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return out
	}
	for _, m := range info.Deps {
		if strings.HasPrefix(m.Path, "github.com/twmb/franz-go") || strings.HasPrefix(m.Path, "modernc.org/sqlite") {
			out[m.Path] = m.Version
		}
	}
	return out
}

// wanted are the cells that the sitting asks for: the denominator of its report.
func (s *Session) wanted() []reports.Wanted {
	var out []reports.Wanted
	for _, c := range s.Cells {
		if c.swept != nil && c.swept.square != nil { // what a sweep wants is in its own matrix
			continue
		}
		out = append(out, reports.Wanted{Cell: c.ID, Faults: c.Scenario.Faults(), Flaw: c.Flaw, Expected: expected(c.Flaw)})
	}
	for _, c := range s.Skipped {
		out = append(out, reports.Wanted{Cell: c.ID, Faults: c.Scenario.Faults(), Flaw: s.Options.Flaw, Skip: s.skip(c.Scenario)})
	}
	if c := s.Explored; c != nil {
		out = append(out, reports.Wanted{Cell: c.ID, Flaw: c.Flaw, Expected: expected(c.Flaw)})
	}
	for _, f := range s.Flaws {
		out = append(out, reports.Wanted{Cell: f.ID, Faults: f.Scenario.Faults(), Flaw: f.Flaw, Expected: expected(f.Flaw)})
	}
	return out
}
