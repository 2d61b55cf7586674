package command_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/scenarios/command"
)

// said is what a command left behind.
type said struct {
	exit     int
	out, err string
}

// today is the day on which the tests' commands are typed.
var today = time.Date(2026, time.November, 20, 8, 0, 0, 0, time.UTC)

// typed runs a command in a folder as main would, with these environment variables (NAME=value) and no others.
func typed(t *testing.T, root string, env []string, args ...string) said {
	t.Helper()
	profiles, err := os.ReadFile(filepath.Join("..", "..", "ginkgo.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	exit := command.Main(context.Background(), command.World{
		Out: &out, Err: &errs, Root: root, Now: today, Profiles: profiles,
		Lookup: func(name string) (string, bool) {
			for _, pair := range env {
				if value, ok := strings.CutPrefix(pair, name+"="); ok {
					return value, true
				}
			}
			return "", false
		},
	}, args)
	return said{exit, out.String(), errs.String()}
}

// tree lists everything under a folder.
func tree(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		out = append(out, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// refused asserts that a command was refused with an error that has all these pieces, and left nothing behind.
func refused(t *testing.T, root string, env, args []string, pieces ...string) said {
	t.Helper()
	before := tree(t, root)
	got := typed(t, root, env, args...)
	if got.exit != command.Refused {
		t.Errorf("exit code %d, want %d\n%s%s", got.exit, command.Refused, got.out, got.err)
	}
	if got.out != "" {
		t.Errorf("a refusal belongs on standard error alone; standard output has:\n%s", got.out)
	}
	if n := strings.Count(got.err, "tahanuji"); n < 1 || !strings.HasPrefix(got.err, "tahanuji") {
		t.Errorf("the error does not say who speaks:\n%s", got.err)
	}
	for _, piece := range pieces {
		if !strings.Contains(got.err, piece) {
			t.Errorf("the error does not say %q:\n%s", piece, got.err)
		}
	}
	if after := tree(t, root); !slices.Equal(before, after) {
		t.Errorf("something was left behind:\n%s", strings.Join(after, "\n"))
	}
	return got
}

func TestAFlagsValueThatIsNotKnownIsRefusedInOneLine(t *testing.T) {
	for _, c := range []struct {
		args, env string
		pieces    []string
	}{
		{"run -profile smok", "", []string{`-profile: "smok"`, `Did you mean "smoke"?`, "full, smoke"}},
		{"run -broker embeded", "", []string{`-broker: "embeded"`, `Did you mean "embedded"?`}},
		{"run -system sensr", "", []string{`-system: "sensr"`, `Did you mean "sensor"?`}},
		{"run -scenario calm,summarizer-kiled", "", []string{`-scenario: "summarizer-kiled"`, `Did you mean "summarizer-killed"?`}},
		{"run -clause count.onces", "", []string{`-clause: "count.onces"`, `Did you mean "count.once"?`}},
		{"run -fault produce-cutt", "", []string{`-fault: "produce-cutt"`, `Did you mean "produce-cut"?`}},
		{"run -flaw commit-before-stor", "", []string{`-flaw: "commit-before-stor"`, `Did you mean "commit-before-store"?`}},
		{"run -nodes 0", "", []string{`-nodes: "0"`, "1 to 9"}},
		{"run -nodes -3", "", []string{`-nodes: "-3"`}},
		{"run -nodes x", "", []string{`-nodes: "x"`}},
		{"run -nodes 1000", "", []string{`-nodes: "1000"`}},
		{"run -shard 3/2", "", []string{`-shard: "3/2"`, "such as 2/5"}},
		{"run -shard 0/2", "", []string{`-shard: "0/2"`}},
		{"run -shard one", "", []string{`-shard: "one"`}},
		{"run -shard 1/2/3", "", []string{`-shard: "1/2/3"`}},
		{"run -seed -1", "", []string{`-seed: "-1"`, "from 0 to 18446744073709551615"}},
		{"run -seed 18446744073709551616", "", []string{`-seed: "18446744073709551616"`}},
		{"run -seed 0x10", "", []string{`-seed: "0x10"`}},
		{"run -seed=", "", []string{`-seed: ""`}},
		{"run -allow-faults=maybe", "", []string{`-allow-faults: "maybe"`, "neither true nor false"}},
		{"run -bootstrap 127.0.0.1:9092", "", []string{"-bootstrap", "Leave out -bootstrap"}},
		{"run -profil full", "", []string{"-profil", "Did you mean -profile?", "run -h"}},
		{"run smoke", "", []string{"flags only"}},
		{"run -sut nowhere.yaml", "", []string{"nowhere.yaml", "-sut"}},
		{"run -arch nowhere.yaml", "", []string{"nowhere.yaml", "-arch"}},
		{"run -input nowhere.jsonl", "", []string{"nowhere.jsonl", "one JSON record a line"}},
		{"run", "TAHANUJI_NODES=x", []string{`TAHANUJI_NODES: "x"`, "1 to 9"}},
		{"run", "TAHANUJI_NODES=0", []string{`TAHANUJI_NODES: "0"`}},
		{"run", "TAHANUJI_ALLOW_FAULTS=maybe", []string{`TAHANUJI_ALLOW_FAULTS: "maybe"`}},
		{"run", "TAHANUJI_PROFILE=smok", []string{`"smok"`, `Did you mean "smoke"?`}},
		{"run", "TAHANUJI_SEED=one", []string{`"one"`}},
		{"run", "TAHANUJI_SHARD=9/2", []string{`"9/2"`}},
		{"run", "TAHANUJI_FLAW=no-dedup", []string{`Did you mean "no-dedupe"?`}},
		{"run -fault store-slow -scenario calm", "", []string{"no scenario is left", "calm", "store-slow"}},
		{"can-adopt ADR-0099", "", []string{`"ADR-0099"`, "Did you mean ADR-0"}},
		{"can-adopt ADR-0001", "", []string{"ADR-0001", "accepted", "proposed"}},
		{"can-adopt", "", []string{"wanted the id or the file"}},
		{"can-adopt ADR-0005 -profile smok", "", []string{`-profile: "smok"`}},
		{"replay nowhere", "", []string{"nowhere", "no run folder", "out/<run id>/cells"}},
		{"replay nowhere -times 0", "", []string{"-times: at least 1"}},
		{"recheck nowhere", "", []string{"nowhere", "no run folder"}},
		{"verify nowhere", "", []string{"nowhere is no report", "out/latest"}},
		{"diff nowhere nowhere", "", []string{"nowhere is no report"}},
		{"diff nowhere", "", []string{"wanted two reports"}},
		{"report nowhere", "", []string{"nowhere is no report"}},
		{"report", "", []string{"no out folder given"}},
		{"report nowhere -format pdf", "", []string{"pdf", "html"}},
		{"list scenarois", "", []string{`list: "scenarois"`, `Did you mean "scenarios"?`}},
		{"list", "", []string{"wanted one of clauses"}},
		{"list clauses -system sensr", "", []string{`-system: "sensr"`, `Did you mean "sensor"?`}},
		{"list clauses -arch nowhere.yaml", "", []string{"nowhere.yaml"}},
		{"lint nowhere.yaml", "", []string{"nowhere.yaml"}},
		{"lint", "", []string{"no document given"}},
		{"init", "", []string{"one folder"}},
		{"runn", "", []string{`"runn" is no command`, `Did you mean "run"?`}},
	} {
		t.Run(strings.TrimSpace(c.args+" "+c.env), func(t *testing.T) {
			t.Parallel()
			got := refused(t, t.TempDir(), []string{c.env}, strings.Fields(c.args), c.pieces...)
			if n := strings.Count(got.err, "\n"); n != 1 {
				t.Errorf("%d lines, want one:\n%s", n, got.err)
			}
		})
	}
}

func TestAFlagWinsOverItsVariable(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	refused(t, root, []string{"TAHANUJI_NODES=x", "TAHANUJI_PROFILE=nope"}, []string{"run", "-nodes", "3", "-profile", "smok"}, `-profile: "smok"`)
}

func TestAnOutFolderThatCanNotBeWrittenIsRefusedBeforeTheRun(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file := filepath.Join(root, "a-file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{file, filepath.Join(file, "below"), filepath.Join(file, "below", "deep")} {
		refused(t, root, nil, []string{"run", "-out", out}, "-out", out, "folder that can be written")
		refused(t, root, nil, []string{"can-adopt", "ADR-0005", "-out", out}, "-out", "folder that can be written")
	}
}

func TestAnOutFolderThatHoldsRunsIsRefused(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for i, name := range []string{"cells/a/verdicts.json", "report.json", "session.json"} {
		out := filepath.Join(root, fmt.Sprint(i))
		write(t, filepath.Join(out, name), "{}")
		refused(t, root, nil, []string{"run", "-out", out}, "already holds runs", "Choose an empty folder")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestHelpSaysWhatACommandTakes(t *testing.T) {
	t.Parallel()
	for _, c := range command.All() {
		for _, flag := range []string{"-h", "--help"} {
			got := typed(t, t.TempDir(), nil, c.Name, flag)
			if got.exit != command.Conforms || got.err != "" {
				t.Errorf("%s %s: exit code %d, on standard error %q", c.Name, flag, got.exit, got.err)
			}
			for _, piece := range []string{"usage: tahanuji " + c.Name, c.Doc} {
				if !strings.Contains(got.out, piece) {
					t.Errorf("%s %s does not say %q:\n%s", c.Name, flag, piece, got.out)
				}
			}
		}
	}
	for _, args := range [][]string{{"help"}, {"-h"}} {
		got := typed(t, t.TempDir(), nil, args...)
		for _, c := range command.All() {
			if got.exit != command.Conforms || !strings.Contains(got.out, c.Doc) {
				t.Errorf("%v: exit code %d; the list lacks %s:\n%s", args, got.exit, c.Name, got.out)
			}
		}
	}
}

func TestNoCommandIsRefusedWithTheList(t *testing.T) {
	got := typed(t, t.TempDir(), nil)
	if got.exit != command.Refused || got.out != "" || !strings.Contains(got.err, command.All()[0].Doc) {
		t.Errorf("exit code %d, on standard error %q", got.exit, got.err)
	}
}
