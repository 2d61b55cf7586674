package sut

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/sut/process"
	"tahanuji/system/sut/services"
	"tahanuji/system/target"
)

// commands is a running system of commands, with the reference for the roles that the file leaves out.
type commands struct {
	env    Env
	warden *process.Warden
	ports  *process.Ports
	roles  []*commandRole // in the document's order
	rest   System         // the reference, or nil
	ctx    context.Context
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	mu     sync.Mutex
	notes  []string // what a reader should know

	closing sync.Once
	closed  error
}

var _ System = (*commands)(nil)

// abandoned bounds the end of what never became ready.
const abandoned = 1500 * time.Millisecond

// Start starts every instance and waits until all are ready, each within its limit. The error names those that are not, with
// their last lines.
func (c *Command) Start(ctx context.Context, env Env) (System, error) {
	file, err := c.file.Bind(env.Doc)
	if err != nil {
		return nil, err
	}
	if err := c.Prepare(ctx); err != nil {
		return nil, err
	}
	for _, dir := range []string{"logs", "state"} {
		if err := os.MkdirAll(filepath.Join(env.Dir, dir), 0o755); err != nil {
			return nil, fmt.Errorf("sut: %w", err)
		}
	}
	warden, err := process.NewWarden()
	if err != nil {
		return nil, fmt.Errorf("sut: %w", err)
	}
	s := &commands{env: env, warden: warden, ports: process.NewPorts(env.Seed)}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.start(ctx, file); err != nil {
		// What failed to start says more than what then failed to end.
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandoned)
		defer cancel()
		_ = s.Close(limited)
		return nil, err
	}
	return s, nil
}

func (s *commands) start(ctx context.Context, file *services.File) error {
	left := map[string]bool{}
	for _, flow := range s.env.Doc.Flows {
		i := slices.IndexFunc(file.Roles, func(r *services.Role) bool { return r.Plain == flow.Role })
		switch {
		case i < 0:
			left[flow.Role] = true
		case !slices.ContainsFunc(s.roles, func(r *commandRole) bool { return r.form == file.Roles[i] }):
			role, err := newCommandRole(ctx, s, file.Roles[i])
			if err != nil {
				return err
			}
			s.roles = append(s.roles, role)
		}
	}
	if len(left) > 0 {
		env := s.env
		env.Base = time.Time{} // beside commands, whose clock is the real one, the reference's is real too
		rest, err := Reference{only: left}.Start(ctx, env)
		if err != nil {
			return err
		}
		s.rest = rest
	}
	for _, r := range s.roles {
		for range r.count() {
			if _, err := r.begin(ctx, 0); err != nil {
				return err
			}
		}
	}
	return s.allReady(ctx)
}

// allReady waits for all instances side by side. It gives all that are not ready, not the first alone.
func (s *commands) allReady(ctx context.Context) error {
	var wait sync.WaitGroup
	var mu sync.Mutex
	var wrong []error
	for _, r := range s.roles {
		for _, in := range r.all() {
			wait.Go(func() {
				if err := in.awaitReady(ctx); err != nil {
					mu.Lock()
					wrong = append(wrong, err)
					mu.Unlock()
				}
			})
		}
	}
	wait.Wait()
	return errors.Join(wrong...)
}

// Roles of the system, commands first.
func (s *commands) Roles() []target.Role {
	var out []target.Role
	for _, r := range s.roles {
		out = append(out, r)
	}
	if s.rest != nil {
		out = append(out, s.rest.Roles()...)
	}
	return out
}

func (s *commands) role(name string) *commandRole {
	for _, r := range s.roles {
		if r.Name() == name {
			return r
		}
	}
	return nil
}

// Store of a role: only one that the reference plays has a store that can be hurt.
func (s *commands) Store(role string) target.Store {
	if s.role(role) == nil && s.rest != nil {
		return s.rest.Store(role)
	}
	return nil
}

// Elapse is false: the clock of a command is not ours.
func (s *commands) Elapse(time.Duration) bool { return false }

// EmptyState empties the state folder of a role that is stopped.
func (s *commands) EmptyState(ctx context.Context, role string) error {
	r := s.role(role)
	if r == nil && s.rest != nil {
		return s.rest.EmptyState(ctx, role)
	}
	if r == nil {
		return fmt.Errorf("sut: empty the state of %s: no such role", role)
	}
	if on := r.Instances(); len(on) > 0 {
		return fmt.Errorf("sut: empty the state of %s: instance %d still runs", role, on[0])
	}
	entries, err := os.ReadDir(r.state)
	if err != nil {
		return fmt.Errorf("sut: empty the state of %s: %w", role, err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(r.state, e.Name())); err != nil {
			return fmt.Errorf("sut: empty the state of %s: %w", role, err)
		}
	}
	return nil
}

func (s *commands) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// Notes are sentences that a reader should know and no verdict hangs on: who did not obey the stop signal, who ended by itself and
// how often. They are whole after Close.
func (s *commands) Notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rest != nil {
		return slices.Concat(s.notes, s.rest.Notes())
	}
	return slices.Clone(s.notes)
}

// Close stops all roles side by side; what does not obey in time is killed, and noted. An error says that something is left: a
// process, a file.
func (s *commands) Close(ctx context.Context) error {
	s.closing.Do(func() { s.closed = s.close(ctx) })
	return s.closed
}

func (s *commands) close(ctx context.Context) error {
	s.cancel()
	var wait sync.WaitGroup
	for _, r := range s.roles {
		for _, in := range r.all() {
			wait.Go(func() { in.close(ctx) })
		}
	}
	wait.Wait()
	s.tasks.Wait()
	var errs []error
	if s.rest != nil {
		errs = append(errs, s.rest.Close(ctx))
	}
	errs = append(errs, s.warden.Close(), s.ports.Close())
	for _, r := range s.roles {
		for _, in := range r.all() {
			if n := in.ownExits(); n > 0 {
				s.note("%s ended by itself %d times", in.proc(), n)
			}
			errs = append(errs, in.log.Close())
		}
	}
	if err := os.RemoveAll(filepath.Join(s.env.Dir, "state")); err != nil {
		errs = append(errs, fmt.Errorf("sut: remove the state: %w", err))
	}
	errs = append(errs, writeNotes(s.env.Dir, s.Notes()))
	return errors.Join(errs...)
}

var signalNumbers = map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT,
	"HUP": syscall.SIGHUP, "USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2, "KILL": syscall.SIGKILL}

// values gives the placeholders of one instance.
func (in *instance) values(ctx context.Context) (func(word, name string) string, error) {
	s, form := in.role.system, in.role.form
	bootstrap, err := s.env.Doors.Open(in.role.Name(), in.number)
	if err != nil {
		return nil, fmt.Errorf("sut: a door for %s: %w", in.proc(), err)
	}
	if form.Uses("port") && in.port == 0 {
		if in.port, err = s.ports.Take(ctx); err != nil {
			return nil, fmt.Errorf("sut: a port for %s: %w", in.proc(), err)
		}
	}
	if form.Uses("postgres") && in.role.postgres == "" {
		if s.env.Postgres == nil {
			return nil, fmt.Errorf("sut: roles.%s uses {postgres}, and no PostgreSQL can be had here", form.Name)
		}
		if in.role.postgres, err = s.env.Postgres(ctx, in.role.Name()); err != nil {
			return nil, fmt.Errorf("sut: a database for %s: %w", in.proc(), err)
		}
	}
	return func(word, name string) string {
		switch word {
		case "bootstrap":
			return bootstrap
		case "topic", "group":
			return s.env.Prefix + name
		case "port":
			return strconv.Itoa(in.port)
		case "state":
			return in.role.state
		case "instance":
			return strconv.Itoa(in.number)
		case "seed":
			return strconv.FormatUint(s.env.Seed, 10)
		case "postgres":
			return in.role.postgres
		}
		panic("sut: a placeholder that the loader lets through and nobody fills: " + word)
	}, nil
}

// topicOf is the topic into which the role records.
func (s *commands) topicOf(role string) string {
	for _, f := range s.env.Doc.Flows {
		if f.Role == role && f.Kind == contract.Recorder {
			return f.Writes
		}
	}
	return ""
}
