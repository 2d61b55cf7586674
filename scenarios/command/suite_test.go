package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tahanuji/reports"
	"tahanuji/scenarios/command"
)

func TestTheSuiteRefusesWhatRunRefusesInTheSameWords(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"-profile", "nope"}, {"-nodes", "x"}, {"-broker", "embeded"}, {"-scenario", "clam"}, {"-shard", "3/2"}, {"-arch", "/nowhere.yaml"},
	} {
		root := t.TempDir()
		out := []string{"-out", filepath.Join(root, "out")}
		want := refused(t, root, nil, append([]string{"run"}, append(args, out...)...))
		p := launchedSuite(t, append(args, out...)...)
		p.ends(t, interruptLimit)
		if exit := p.cmd.ProcessState.ExitCode(); exit != command.Refused {
			t.Errorf("%v: exit code %d, want %d", args, exit, command.Refused)
		}
		if got := strings.TrimPrefix(p.errs.String(), "tahanuji: "); got != strings.TrimPrefix(want.err, "tahanuji run: ") {
			t.Errorf("%v: the suite says\n%sand run says\n%s", args, got, want.err)
		}
		if _, err := os.Stat(out[1]); err == nil {
			t.Errorf("%v: an out folder was made", args)
		}
	}
	p := launchedSuite(t, "-out", filepath.Join(t.TempDir(), "out"), "-ginkgo.label-filter", "nobody-has-this-label")
	p.ends(t, interruptLimit)
	if exit := p.cmd.ProcessState.ExitCode(); exit != command.Refused || !strings.Contains(p.errs.String(), "leave out every cell") {
		t.Errorf("a filter that leaves nothing: exit code %d: %s", exit, p.errs.String())
	}
	p = launchedSuite(t, "-out", filepath.Join(t.TempDir(), "out"), "-ginkgo.flake-attempts", "3")
	p.ends(t, interruptLimit)
	if exit := p.cmd.ProcessState.ExitCode(); exit != command.Refused || !strings.Contains(p.errs.String(), "--flake-attempts hides violations") {
		t.Errorf("flake attempts: exit code %d: %s", exit, p.errs.String())
	}
}

func TestAnInterruptEndsTheSuiteWithAnIncompleteReport(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	out := filepath.Join(root, "out")
	p := launchedSuite(t, "-out", out)
	until(t, "a run under way", func() bool {
		runs, err := filepath.Glob(filepath.Join(out, "cells", "*", "verdicts.json"))
		return err == nil && len(runs) > 0
	})
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.ends(t, interruptLimit)
	if exit := p.cmd.ProcessState.ExitCode(); exit == 0 {
		t.Error("an interrupted suite passes")
	}
	if !strings.Contains(p.out.String(), "Incomplete: ") || !strings.Contains(p.out.String(), "interrupted") {
		t.Errorf("it does not say that it is incomplete:\n%s", p.out.String())
	}
	if err := reports.Verify(out); err != nil {
		t.Error(err)
	}
	r, err := reports.Read(out)
	if err != nil || r.Verdict.Outcome != reports.Incomplete || len(r.Verdict.Cells) == 0 {
		t.Errorf("the report is not incomplete, or holds no run: %v", err)
	}
	if left := tree(t, p.temp); len(left) > 1 {
		t.Errorf("temporary files are left: %v", left)
	}
}
