package sut

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"tahanuji/reference/port/kafka"
	"tahanuji/reference/sensor"
	"tahanuji/system/contract"
	"tahanuji/system/sut/inside"
	"tahanuji/system/target"
)

// Reference plays a document's roles in this process with the reference's cores: kill -9 resets their connections and takes away
// everything but their stores, SIGSTOP freezes their calls and connections. Their clock is ours.
type Reference struct {
	// SQLite keeps stores in files under Dir/state; otherwise they are kept in memory, outside of the roles, and outlive
	// them all the same.
	SQLite bool
	only   map[string]bool // roles to play; nil: all
}

var _ Adapter = Reference{}

// Name of the adapter.
func (Reference) Name() string { return "reference" }

// Lacks is empty: what the reference shows, it shows for every document that it can play; Plays says why
// it can't play others.
func (Reference) Lacks(*contract.Document) map[contract.Feature]string {
	return map[contract.Feature]string{}
}

// references is the running reference.
type references struct {
	env   Env
	own   Reference
	clock *kafka.Clock
	flaws sensor.Flaws
	roles []*refRole
	tasks sync.WaitGroup
	over  context.Context // ends with Close
	end   context.CancelFunc

	mu      sync.Mutex
	notes   []string
	closing sync.Once
	closed  error
}

var _ System = (*references)(nil)

// startWithin bounds the readiness of the reference's roles.
const startWithin = 30 * time.Second

// Start starts every role and waits until all are ready: the recorder takes events, the groups have their members.
func (r Reference) Start(ctx context.Context, env Env) (System, error) {
	flaws, err := sensor.NewFlaws(env.Flaw)
	if err != nil {
		return nil, fmt.Errorf("sut: reference: %w", err)
	}
	s := &references{env: env, own: r, clock: kafka.NewClock(env.Base), flaws: flaws}
	s.over, s.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.start(ctx); err != nil {
		// What failed to start says more than what then failed to end.
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandoned)
		defer cancel()
		_ = s.Close(limited)
		return nil, err
	}
	return s, nil
}

func (s *references) start(ctx context.Context) error {
	checkers := inside.NewCheckers()
	for _, role := range s.env.Doc.Roles() {
		if s.own.only != nil && !s.own.only[role.Name] {
			continue
		}
		config, err := inside.Config(s.env.Doc, role.Name, s.env.Prefix)
		if err == nil {
			err = checkers.Share(&config)
		}
		if err != nil {
			return fmt.Errorf("sut: reference: %w", err)
		}
		config.Timing = quick()
		made, err := newRefRole(s, role, config)
		if err != nil {
			return err
		}
		s.roles = append(s.roles, made)
	}
	for _, r := range s.roles {
		for range max(1, s.env.Instances[r.Name()]) {
			if _, err := r.Start(ctx, 0); err != nil {
				return err
			}
		}
	}
	return s.ready(ctx)
}

// quick are the patiences of roles that run for seconds.
func quick() sensor.Timing {
	return sensor.Timing{Poll: 50 * time.Millisecond, Sweep: 50 * time.Millisecond, Housekeeping: 20 * time.Millisecond,
		Backoff: 10 * time.Millisecond, Claim: 500 * time.Millisecond, Close: 3 * time.Second}
}

// ready waits until every role is ready, and says what it last saw when one is not.
func (s *references) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for _, r := range s.roles {
		for {
			ok, saw := r.ready(ctx)
			if ok {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("sut: reference: %s was not ready within %s; last seen: %s", r.Name(), startWithin, saw)
			case <-tick.C:
			}
		}
		for _, n := range r.Instances() {
			r.saw(n, "ready", "")
		}
	}
	return nil
}

// Roles of the reference.
func (s *references) Roles() []target.Role {
	var out []target.Role
	for _, r := range s.roles {
		out = append(out, r)
	}
	return out
}

func (s *references) role(name string) (*refRole, error) {
	i := slices.IndexFunc(s.roles, func(r *refRole) bool { return r.Name() == name })
	if i < 0 {
		return nil, fmt.Errorf("sut: reference: it does not play %q", name)
	}
	return s.roles[i], nil
}

// Store of a role: all its instances' transactions are hurt alike. nil for a role that keeps nothing.
func (s *references) Store(role string) target.Store {
	r, err := s.role(role)
	if err != nil || !r.has(contract.Recorder) && !r.has(contract.Summarizer) {
		return nil
	}
	return r.hurting
}

// Elapse moves the clock of all roles on.
func (s *references) Elapse(d time.Duration) bool {
	s.clock.Elapse(d)
	return true
}

// EmptyState forgets a role's stores; no instance of it may run.
func (s *references) EmptyState(_ context.Context, role string) error {
	r, err := s.role(role)
	if err != nil {
		return err
	}
	if on := r.Instances(); len(on) > 0 {
		return fmt.Errorf("sut: empty the state of %s: instance %d still runs", role, on[0])
	}
	return r.stores.Empty()
}

// Notes are sentences that a reader should know: exits of roles by themselves.
func (s *references) Notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notes)
}

func (s *references) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// Close stops all roles side by side and removes their state.
func (s *references) Close(ctx context.Context) error {
	s.closing.Do(func() { s.closed = s.close(ctx) })
	return s.closed
}

func (s *references) close(ctx context.Context) error {
	s.end()
	var wait sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	for _, r := range s.roles {
		for _, n := range r.Instances() {
			wait.Go(func() {
				err := r.Stop(ctx, n)
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			})
		}
	}
	wait.Wait()
	s.tasks.Wait()
	for _, r := range s.roles {
		errs = append(errs, r.gone(ctx))
	}
	if s.own.SQLite {
		if err := os.RemoveAll(filepath.Join(s.env.Dir, "state")); err != nil {
			errs = append(errs, fmt.Errorf("sut: remove the state: %w", err))
		}
	}
	errs = append(errs, writeNotes(s.env.Dir, s.Notes()))
	return errors.Join(errs...)
}
