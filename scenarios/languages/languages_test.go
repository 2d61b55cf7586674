// Package languages runs the sensor system's services in other languages, as commands behind the fault proxy, through a few
// scenarios. The whole catalogue is `tahanuji run -sut reference/sensor/LANGUAGE/sut.yaml`.
package languages

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/reports"
	"tahanuji/scenarios/session"
	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/sut/services"
)

// lane is a language: what a machine needs for it, and how to get that.
type lane struct {
	name, tool, install string
}

var lanes = []lane{
	{"python", "python3", "Python 3.11 with venv (Debian: apt-get install python3 python3-venv) and a way to PyPI"},
	{"node", "npm", "Node 20 with npm (Debian: apt-get install nodejs npm) and a way to the npm registry"},
}

// require names lanes that must run, with commas between them: TAHANUJI_REQUIRE=python,node makes what is missing a failure.
const require = "TAHANUJI_REQUIRE"

// held are clauses that must have been examined and have held, by scenario.
var held = map[string][]contract.ID{
	"calm":              {"delivery.no-loss", "count.once", "summary.value", "display.last-value", "schema.valid-only", "topic.key", "producer.idempotent"},
	"event-ack-lost":    {"delivery.no-loss", "producer.no-log-duplicate"},
	"summarizer-killed": {"commit.after-store", "count.once", "summary.published", "commit.matches"},
}

func TestServicesInOtherLanguagesHoldTheDocument(t *testing.T) {
	for _, l := range lanes {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join("..", "..")
			file := filepath.Join(root, "reference", "sensor", l.name, "sut.yaml")
			if missing := l.missing(t.Context(), file); missing != "" {
				if slices.Contains(strings.Split(os.Getenv(require), ","), l.name) {
					t.Fatalf("%s is required by %s: %s", l.name, require, missing)
				}
				t.Skipf("%s: %s. Install %s", l.name, missing, l.install)
			}
			for _, r := range run(t, root, file) {
				judge(t, r)
			}
		})
	}
}

// missing says what keeps a lane from running, "" when its packages are there.
func (l lane) missing(ctx context.Context, file string) string {
	if _, err := exec.LookPath(l.tool); err != nil {
		return l.tool + " is not on this machine"
	}
	f, err := services.Load(file)
	if err != nil {
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	for _, command := range f.Setup {
		path, err := services.Executable(f.Dir, command[0])
		if err != nil {
			return err.Error()
		}
		setup := exec.CommandContext(ctx, path, command[1:]...)
		setup.Dir, setup.WaitDelay = f.Dir, time.Second
		if out, err := setup.CombinedOutput(); err != nil {
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			return strings.Join(command, " ") + ": " + err.Error() + ": " + lines[len(lines)-1]
		}
	}
	return ""
}

func run(t *testing.T, root, file string) []reports.Run {
	t.Helper()
	names := make([]string, 0, len(held))
	for name := range held {
		names = append(names, name)
	}
	slices.Sort(names)
	s, err := session.Open(session.Options{
		System: "sensor", Sut: file, Broker: "embedded", Profile: "smoke", Seed: "1", Scenario: strings.Join(names, ","), Out: t.TempDir(),
	}, session.Edge{Root: root, Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.RunAll(t.Context(), quiet{}); err != nil {
		t.Fatal(err)
	}
	runs, err := reports.ReadRuns(s.Out)
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != len(held) {
		t.Fatalf("%d runs, want %d", len(runs), len(held))
	}
	return runs
}

func judge(t *testing.T, r reports.Run) {
	t.Helper()
	if !r.Complete {
		t.Errorf("%s was cut short: %s", r.Cell, r.Err)
	}
	outcomes := map[contract.ID]check.Outcome{}
	for _, v := range r.Verdicts {
		outcomes[v.Clause] = v.Outcome
		if v.Outcome == check.Broken {
			t.Errorf("%s broke %s: %s", r.Cell, v.Clause, v.Why)
		}
	}
	for _, id := range held[r.Scenario] {
		if outcomes[id] != check.Holds {
			t.Errorf("%s: %s is %s, want %s", r.Cell, id, outcomes[id], check.Holds)
		}
	}
}

// quiet watches a sitting without a word.
type quiet struct{}

func (quiet) Begin(string)    {}
func (quiet) End(_, _ string) {}
