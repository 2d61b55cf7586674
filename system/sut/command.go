package sut

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/sut/process"
	"tahanuji/system/sut/services"
)

// Command starts the services of a sut.yaml, in any language. Make it with LoadCommand.
type Command struct {
	file  *services.File
	once  sync.Once
	setup error
}

var _ Adapter = (*Command)(nil)

// LoadCommand reads a sut.yaml strictly and, if the file names its document (system:), holds it against that. An error of the type
// services.Faults (or contract.Faults, for the document) has all that is wrong, with lines.
func LoadCommand(path string) (*Command, error) {
	file, err := services.Load(path)
	if err != nil {
		return nil, err
	}
	c := &Command{file: file}
	if file.System == "" {
		return c, nil
	}
	doc, err := contract.Load(file.System)
	if err != nil {
		return nil, err
	}
	if err := c.Bind(doc); err != nil {
		return nil, err
	}
	return c, nil
}

// Architecture is the path of the document that the file names, "" if it names none.
func (c *Command) Architecture() string { return c.file.System }

// Bind says what in the file does not fit a document: services.Faults, with lines.
func (c *Command) Bind(doc *contract.Document) error {
	_, err := c.file.Bind(doc)
	return err
}

// Name of the adapter.
func (c *Command) Name() string { return "command" }

// Prefixed says whether the services take the names of topics and groups from placeholders, so that a run may put a prefix
// before them (Env.Prefix).
func (c *Command) Prefixed() bool { return !c.file.Exact }

// Lacks says what can't be seen of these services from outside. A file that does not fit the document lacks nothing: Start refuses
// it.
func (c *Command) Lacks(doc *contract.Document) map[contract.Feature]string {
	lacks := map[contract.Feature]string{}
	bound, err := c.file.Bind(doc)
	if err != nil {
		return lacks
	}
	say := func(f contract.Feature, format string, args ...any) {
		if lacks[f] == "" {
			lacks[f] = fmt.Sprintf(format, args...)
		}
	}
	for _, r := range bound.Roles {
		if slices.Contains(r.Kinds, contract.Recorder) {
			switch {
			case r.Accept == nil:
				say(contract.NeedsAccept, "roles.%s has no accept in sut.yaml: nobody can hand it an event", r.Name)
				say(contract.NeedsFields, "roles.%s has no accept in sut.yaml: its refusals are not seen", r.Name)
			case r.Accept.Fields == nil:
				say(contract.NeedsFields, "roles.%s.accept has no refused.fields in sut.yaml: its refusals name no field that can be read",
					r.Name)
			}
			if r.Accept != nil && r.Accept.HTTP != nil && r.Accept.HTTP.Data {
				say(contract.NeedsSourceID, "roles.%s is handed the data alone (body: data): it sets the event id itself", r.Name)
			}
		}
		if slices.Contains(r.Kinds, contract.Display) && r.Rows == nil {
			say(contract.NeedsRows, "roles.%s has no rows in sut.yaml: nobody can ask it what it shows", r.Name)
		}
		if slices.Contains(r.Kinds, contract.Summarizer) {
			say(contract.NeedsStore, "roles.%s is a command: what its store holds is not seen from outside", r.Name)
		}
		if !r.Uses("bootstrap") {
			say(contract.NeedsWire, "roles.%s does not use {bootstrap} in sut.yaml: it is not behind the fault proxy", r.Name)
		}
	}
	return lacks
}

// Body is the part of the record that the source hands to the file's recorders: "" is the whole record, else the envelope's data
// (body: data), and the role makes the rest itself.
func (c *Command) Body(doc *contract.Document) contract.Pointer {
	bound, err := c.file.Bind(doc)
	if err != nil {
		return ""
	}
	for _, r := range bound.Roles {
		if r.Accept != nil && r.Accept.HTTP != nil && r.Accept.HTTP.Data {
			return doc.Envelope.Data
		}
	}
	return ""
}

// setupWithin bounds each setup command; a first build may fetch a lot.
const setupWithin = 15 * time.Minute

// Prepare runs the setup commands once, however many runs follow; Start does it where nobody did before. Each has a quarter of an
// hour. Nothing of them outlives ctx, or this process.
func (c *Command) Prepare(ctx context.Context) error {
	c.once.Do(func() {
		for _, cmd := range c.file.Setup {
			if c.setup = runSetup(ctx, c.file.Dir, cmd, passed(c.file.Inherit)); c.setup != nil {
				return
			}
		}
		for _, r := range c.file.Roles {
			for _, cmd := range r.Setup {
				if c.setup = runSetup(ctx, r.Dir, cmd, passed(r.Inherit)); c.setup != nil {
					return
				}
			}
		}
	})
	return c.setup
}

func runSetup(ctx context.Context, dir string, command, env []string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, setupWithin)
	defer cancel()
	path, err := services.Executable(dir, command[0])
	if err != nil {
		return fmt.Errorf("sut: setup %q: %w", command, err)
	}
	warden, err := process.NewWarden()
	if err != nil {
		return fmt.Errorf("sut: setup %q: %w", command, err)
	}
	defer func() { err = errors.Join(err, warden.Close()) }()
	log := &process.Log{} // without a file: its last lines are what a failure quotes
	argv := append([]string{path}, command[1:]...)
	p, err := warden.Start(process.Spec{Name: "setup", Command: argv, Dir: dir, Env: env, Log: log})
	if err != nil {
		return fmt.Errorf("sut: setup %q in %s: %w", command, dir, err)
	}
	select {
	case <-p.Gone():
	case <-ctx.Done():
		return fmt.Errorf("sut: setup %q in %s: %w; %s", command, dir, context.Cause(ctx), log.Tail())
	}
	if p.State() != "exit code 0" {
		return fmt.Errorf("sut: setup %q in %s: %s; %s", command, dir, p.State(), log.Tail())
	}
	return nil
}

// passed is what of the suite's environment is passed on.
func passed(inherit []string) []string {
	env := []string{} // not nil, which would mean all of it
	for _, name := range slices.Concat([]string{"PATH", "HOME", "LANG", "TZ", "JAVA_HOME"}, inherit) {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
