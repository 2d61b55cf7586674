// Package command is the tahanuji command line: one command a file. It holds no rule of verification; it turns words into calls
// and results into text and exit codes.
package command

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"tahanuji/scenarios/session"
	"tahanuji/system/contract"
)

// Exit codes (interface.md).
const (
	Conforms   = 0
	Violated   = 1
	Incomplete = 2
	Refused    = 3 // document, patch, flags or SUT file
	Failed     = 4 // the harness itself
)

// World is what a command sees of the outside.
type World struct {
	Out, Err io.Writer
	Lookup   func(string) (string, bool) // environment
	Program  string                      // how the program is called; "" is `go run .`
	Root     string                      // module root or working directory
	Now      time.Time
	Profiles []byte // ginkgo.yml
	Terminal bool   // Err is a terminal: progress may rewrite its line
}

// Command is one command.
type Command struct {
	Name, Args, Doc string
	Run             func(ctx context.Context, w World, args []string) (exit int, err error)
}

// All lists the commands.
func All() []Command {
	return []Command{
		runCommand(), initCommand(), lintCommand(), listCommand(), replayCommand(), recheckCommand(), diffCommand(),
		canAdoptCommand(), reportCommand(), verifyCommand(), ledgerCommand(),
	}
}

// Main runs the command that args name and returns the exit code.
func Main(ctx context.Context, w World, args []string) int {
	if len(args) == 0 {
		usage(w.Err)
		return Refused
	}
	if args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		usage(w.Out)
		return Conforms
	}
	var names []string
	for _, c := range All() {
		names = append(names, c.Name)
		if c.Name != args[0] {
			continue
		}
		exit, err := c.Run(ctx, w, args[1:])
		if err != nil {
			return complain(w, c.Name, err)
		}
		return exit
	}
	fmt.Fprintf(w.Err, "tahanuji: %q is no command.", args[0])
	if near := contract.Nearest(args[0], names); near != "" {
		fmt.Fprintf(w.Err, " Did you mean %q?", near)
	}
	fmt.Fprintf(w.Err, " Commands: %s\n", strings.Join(names, ", "))
	return Refused
}

func usage(w io.Writer) {
	fmt.Fprint(w, "tahanuji runs an event system against its architecture document, hurts it on purpose, and says clause by clause what held.\n\n")
	for _, c := range All() {
		fmt.Fprintf(w, "  %s\n      %s\n", c.Name+" "+c.Args, c.Doc)
	}
	fmt.Fprint(w, "\nFlags of a command: tahanuji COMMAND -h. Flags of run and can-adopt are environment variables, too: -broker is TAHANUJI_BROKER.\n")
	fmt.Fprint(w, "Exit codes: 0 conforms, 1 violated, 2 incomplete, 3 input refused, 4 the harness failed (`go run` itself answers 1 for all but 0).\n")
}

// complain writes the one error and chooses the exit code: refused input is the user's to mend, anything else is ours.
func complain(w World, name string, err error) int {
	if errors.Is(err, flag.ErrHelp) {
		return Conforms
	}
	fmt.Fprintf(w.Err, "tahanuji %s: %s\n", name, err)
	var refusal session.Refusal
	var faults contract.Faults
	if errors.As(err, &refusal) || errors.As(err, &faults) {
		return Refused
	}
	return Failed
}

// flags parses args; what can't be parsed is refused.
func flags(w World, name, args string, into func(*flag.FlagSet), given []string) (*flag.FlagSet, error) {
	set := flag.NewFlagSet("tahanuji "+name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {} // one line says what is wrong; the rest is for -h
	into(set)
	rest := given
	var plain []string
	for len(rest) > 0 { // flags may follow the arguments
		err := set.Parse(rest)
		if errors.Is(err, flag.ErrHelp) {
			describe(w.Out, set, name, args)
			return nil, err
		}
		if err != nil {
			return nil, session.Refusal{Text: fmt.Sprintf("%v.%s See tahanuji %s -h", err, nearFlag(set, rest), name)}
		}
		rest = set.Args()
		if len(rest) > 0 {
			plain, rest = append(plain, rest[0]), rest[1:]
		}
	}
	if err := set.Parse(append([]string{"--"}, plain...)); err != nil {
		return nil, err
	}
	return set, nil
}

// describe is what -h shows: the line of the command, what it does, and its flags.
func describe(to io.Writer, set *flag.FlagSet, name, args string) {
	fmt.Fprintf(to, "usage: tahanuji %s %s\n", name, args)
	for _, c := range All() {
		if c.Name == name {
			fmt.Fprintf(to, "\n%s.\n\n", c.Doc)
		}
	}
	set.SetOutput(to)
	set.PrintDefaults()
	set.SetOutput(io.Discard)
}

// nearFlag suggests the flag that was meant, where one of those given is not known.
func nearFlag(set *flag.FlagSet, given []string) string {
	var names []string
	set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	for _, arg := range given {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") || set.Lookup(name) != nil {
			continue
		}
		if near := contract.Nearest(name, names); near != "" {
			return fmt.Sprintf(" Did you mean -%s?", near)
		}
	}
	return ""
}

// want refuses a number of arguments that the command does not take.
func want(set *flag.FlagSet, least, most int, what string) error {
	if n := set.NArg(); n < least || n > most {
		return session.Refusal{Text: fmt.Sprintf("%d arguments given, wanted %s", n, what)}
	}
	return nil
}

// edge is what a session needs of the world.
func (w World) edge() session.Edge {
	return session.Edge{Root: w.Root, Command: w.program() + " run", Now: w.Now, Profiles: w.Profiles}
}

// program is how the next command is typed.
func (w World) program() string { return cmp.Or(w.Program, "go run .") }
