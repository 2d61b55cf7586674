// Package session turns flags, profiles and a document into the cells of one sitting, runs them and gathers the report. It knows
// neither Ginkgo nor the terminal, and judges nothing itself.
package session

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tahanuji/system/contract"
	"tahanuji/system/seed"
)

// Options are what a user may choose. The suite and `tahanuji run` take the same ones; each is also an environment variable:
// -broker is TAHANUJI_BROKER, -allow-faults is TAHANUJI_ALLOW_FAULTS. A flag wins over its variable.
type Options struct {
	System      string // a system that ships with the engine
	Arch        string // an architecture document's path instead
	Sut         string // a sut.yaml; "" is the reference in this process
	Profile     string // a profile of ginkgo.yml
	Broker      string // a backend of the broker package
	Nodes       int    // 0: the backend's own number
	Bootstrap   string // addresses of an external cluster
	Seed        string // decimal; "" draws the default 1
	Scenario    string // run these scenarios only, separated by commas
	Clause      string // judge scenarios that are aimed at this clause only
	Fault       string // run scenarios that use this fault only
	Flaw        string // judge the reference with this flaw
	Shard       string // i/n: every n-th cell, beginning with the i-th (from 1)
	Out         string // the folder of runs
	Input       string // recorded events, one JSON record a line, instead of made ones
	AllowFaults bool   // needed for faults on an external cluster

	wrong []string // values that can't be read: Open refuses the first
}

// Prefix of the environment variables.
const Prefix = "TAHANUJI_"

// Register defines the flags on set, with defaults from lookup (os.LookupEnv at the edge). A value that can't be read is kept
// and refused by Open, so that a flag and its variable are refused alike.
func Register(set *flag.FlagSet, lookup func(string) (string, bool)) *Options {
	o := &Options{}
	text := func(into *string, name, value, usage string) {
		if v, ok := lookup(variable(name)); ok {
			value = v
		}
		set.StringVar(into, name, value, usage)
	}
	text(&o.System, "system", "sensor", "a `system` that ships with Tahan Uji: see list systems")
	text(&o.Arch, "arch", "", "an architecture document's `file` instead of a shipped system")
	text(&o.Sut, "sut", "", "the `file` sut.yaml of services that are started as commands (default: the reference plays the document)")
	text(&o.Profile, "profile", "smoke", "how much is done: a `profile` of ginkgo.yml")
	text(&o.Broker, "broker", "embedded", "the `broker` that is used: see list brokers")
	text(&o.Bootstrap, "bootstrap", "", "`addresses` of an external cluster; none of the brokers takes them")
	text(&o.Seed, "seed", "1", "the decimal `number` that all draws follow from")
	text(&o.Scenario, "scenario", "", "only these scenarios, `names` separated by commas: see list scenarios")
	text(&o.Clause, "clause", "", "only scenarios aimed at this `clause`: see list clauses")
	text(&o.Fault, "fault", "", "only scenarios that use this `fault`: see list faults; none is the scenarios without any")
	text(&o.Flaw, "flaw", "", "judge the reference with this `flaw` built in: see list flaws")
	text(&o.Shard, "shard", "", "`i/n`: only every n-th cell, beginning with the i-th; report merges the shards")
	text(&o.Out, "out", "", "`folder` for reports and evidence, new or empty (default out/<run id>)")
	text(&o.Input, "input", "", "`file` of recorded events, one JSON record a line, instead of made ones")
	if v, ok := lookup(variable("nodes")); ok {
		o.readNodes(variable("nodes"), v)
	}
	set.Func("nodes", "`number` of broker nodes, 1 to 9 (default 3)", func(v string) error {
		o.wrong = slices.DeleteFunc(o.wrong, func(w string) bool { return strings.HasPrefix(w, variable("nodes")) })
		o.readNodes("-nodes", v)
		return nil
	})
	if v, ok := lookup(variable("allow-faults")); ok {
		o.readAllow(variable("allow-faults"), v)
	}
	set.BoolFunc("allow-faults", "allow faults on an external cluster", func(v string) error {
		o.wrong = slices.DeleteFunc(o.wrong, func(w string) bool { return strings.HasPrefix(w, variable("allow-faults")) })
		o.readAllow("-allow-faults", v)
		return nil
	})
	return o
}

// mostNodes bounds a cluster: the faults need three nodes, and each costs memory.
const mostNodes = 9

func (o *Options) readNodes(who, value string) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > mostNodes {
		o.wrong = append(o.wrong, fmt.Sprintf("%s: %q is not a number of nodes from 1 to %d", who, value, mostNodes))
		return
	}
	o.Nodes = n
}

func (o *Options) readAllow(who, value string) {
	allow, err := strconv.ParseBool(value)
	if err != nil {
		o.wrong = append(o.wrong, fmt.Sprintf("%s: %q is neither true nor false", who, value))
		return
	}
	o.AllowFaults = allow
}

func variable(flagName string) string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// Refusal is an input that was refused: exit code 3. Its text says what was given, what is known and what to do.
type Refusal struct{ Text string }

func (r Refusal) Error() string { return r.Text }

func refuse(format string, args ...any) error { return Refusal{fmt.Sprintf(format, args...)} }

// Known refuses a value that is not in the list, naming the nearest and all of them. Who is what has the value: "-broker".
func Known(who, value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	hint := ""
	if near := contract.Nearest(value, known); near != "" {
		hint = fmt.Sprintf(" Did you mean %q?", near)
	}
	return refuse("%s: %q is not known.%s Known: %s", who, value, hint, strings.Join(known, ", "))
}

// shard is every n-th cell, beginning with the i-th (from 1).
type shard struct{ i, n int }

func parseShard(text string) (shard, error) {
	if text == "" {
		return shard{1, 1}, nil
	}
	left, right, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(left)
	n, err2 := strconv.Atoi(right)
	if !ok || err1 != nil || err2 != nil || n < 1 || i < 1 || i > n {
		return shard{}, refuse("-shard: %q is not i/n with 1 <= i <= n, such as 2/5", text)
	}
	return shard{i, n}, nil
}

func (o *Options) seed() (uint64, error) {
	s, err := seed.Parse(o.Seed)
	if err != nil {
		return 0, refuse("-seed: %q is not a decimal number from 0 to 18446744073709551615", o.Seed)
	}
	return s, nil
}
