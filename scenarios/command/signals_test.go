package command_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tahanuji/reports"
	"tahanuji/scenarios/command"
)

// built are the tahanuji binary and the suite's, each built once, in a folder that TestMain takes away.
var built = struct {
	tahanuji, suite func() (string, error)
}{
	sync.OnceValues(func() (string, error) { return build("tahanuji", "build", "../..") }),
	sync.OnceValues(func() (string, error) { return build("scenarios.test", "test", "-c", "..") }),
}

var binaries string

func build(name, verb string, args ...string) (string, error) {
	path := filepath.Join(binaries, name)
	out, err := exec.Command("go", append([]string{verb, "-o", path}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", verb, err, out)
	}
	return path, nil
}

func TestMain(m *testing.M) {
	var err error
	if binaries, err = os.MkdirTemp("", "built"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(binaries)
	os.Exit(code)
}

// program is a binary that runs beside the test, with a folder for temporary files of its own.
type program struct {
	cmd       *exec.Cmd
	out, errs bytes.Buffer
	temp      string
	done      chan error
}

// launched starts tahanuji in a folder.
func launched(t *testing.T, root string, args ...string) *program {
	t.Helper()
	path, err := built.tahanuji()
	return launch(t, path, err, root, args)
}

// launchedSuite starts the suite's own binary in the suite's folder, as ginkgo does.
func launchedSuite(t *testing.T, args ...string) *program {
	t.Helper()
	path, err := built.suite()
	return launch(t, path, err, "..", args)
}

func launch(t *testing.T, path string, err error, root string, args []string) *program {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{temp: t.TempDir(), done: make(chan error, 1)}
	p.cmd = exec.Command(path, args...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = root, &p.out, &p.errs
	p.cmd.Env = append(os.Environ(), "TMPDIR="+p.temp)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.done <- p.cmd.Wait() }()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // it is gone, unless the test failed
	return p
}

// ends waits for the program's end and returns how long it took.
func (p *program) ends(t *testing.T, within time.Duration) time.Duration {
	t.Helper()
	begun := time.Now()
	select {
	case <-p.done:
	case <-time.After(within):
		_ = p.cmd.Process.Signal(syscall.SIGQUIT) // which shows what it does
		<-p.done
		t.Fatalf("it still runs %s later:\n%s", within, p.errs.String())
	}
	return time.Since(begun)
}

// until waits for a condition, 30 s at most, and says then what it waited for.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after 30s: not %s", what)
		}
	}
}

// stubborn are services that say that they are ready, write down their process ids, and take no notice of being asked to stop. A
// child of theirs does the same.
const stubborn = `system: architecture.yaml
broker: {topics: exact}
roles:
  summarizer:
    plays: [count, publish]
    command: [sh, -c, 'trap "" TERM; sh -c "trap \"\" TERM; echo \$\$ >> PIDS; while :; do sleep 1; done" & echo $$ >> PIDS; echo ready {bootstrap}; while :; do sleep 1; done']
    ready: {line: ready}
    stop: {signal: TERM, within: 60s}
`

// services puts them in a folder and returns the file that their ids come to.
func services(t *testing.T, root string) (sut, pids string) {
	t.Helper()
	sut, pids = filepath.Join(root, "sut.yaml"), filepath.Join(root, "pids")
	write(t, sut, strings.ReplaceAll(stubborn, "PIDS", pids))
	return sut, pids
}

// running are those of the services' processes that are alive.
func running(t *testing.T, pids string) (all, alive []int) {
	t.Helper()
	text, err := os.ReadFile(pids)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			continue // half a line
		}
		all = append(all, pid)
		if state, err := os.ReadFile(filepath.Join("/proc", word, "stat")); err == nil && !strings.Contains(string(state), ") Z ") || err != nil && syscall.Kill(pid, 0) == nil {
			alive = append(alive, pid)
		}
	}
	return all, alive
}

// interruptLimit is how long a user waits after Ctrl-C, at most.
const interruptLimit = 5 * time.Second

func TestAnInterruptEndsTheRunsHealsSavesAndReportsIncomplete(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	p := launched(t, root, "run")
	until(t, "a run under way", func() bool {
		runs, err := filepath.Glob(filepath.Join(root, "out", "*", "cells", "*", "verdicts.json"))
		return err == nil && len(runs) > 0
	})
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.ends(t, interruptLimit)
	if exit := p.cmd.ProcessState.ExitCode(); exit != command.Incomplete {
		t.Errorf("exit code %d, want %d\n%s%s", exit, command.Incomplete, p.out.String(), p.errs.String())
	}
	for _, piece := range []string{"Incomplete", "interrupted", "report.html"} {
		if !strings.Contains(p.out.String(), piece) {
			t.Errorf("it does not say %q:\n%s", piece, p.out.String())
		}
	}
	latest := filepath.Join(root, "out", "latest")
	if err := reports.Verify(latest); err != nil {
		t.Error(err)
	}
	r, err := reports.Read(latest)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict.Outcome != reports.Incomplete || len(r.Verdict.Cells) == 0 {
		t.Errorf("the report is %s with %d cells", r.Verdict.Outcome, len(r.Verdict.Cells))
	}
	if left := tree(t, p.temp); len(left) > 1 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestAnInterruptLeavesNoServiceRunningEvenWhenItTakesNoNotice(t *testing.T) {
	t.Parallel()
	root := ready(t)
	sut, pids := services(t, root)
	p := launched(t, root, "run", "-sut", sut, "-scenario", "calm", "-out", "out")
	until(t, "services that run", func() bool { all, _ := running(t, pids); return len(all) >= 2 })
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	p.ends(t, interruptLimit)
	if exit := p.cmd.ProcessState.ExitCode(); exit != command.Incomplete {
		t.Errorf("exit code %d, want %d\n%s%s", exit, command.Incomplete, p.out.String(), p.errs.String())
	}
	if _, alive := running(t, pids); len(alive) > 0 {
		t.Errorf("services still run: %v", alive)
	}
	if err := reports.Verify(filepath.Join(root, "out")); err != nil {
		t.Error(err)
	}
}

func TestAKillLeavesNothingRunningAndDisturbsNoLaterRun(t *testing.T) {
	t.Parallel()
	root := ready(t)
	document := filepath.Join(root, "architecture.yaml")
	says(t, typed(t, root, nil, "run", "-arch", document, "-scenario", "calm"), command.Conforms)
	latest, err := os.Readlink(filepath.Join(root, "out", "latest"))
	if err != nil {
		t.Fatal(err)
	}
	sut, pids := services(t, root)
	p := launched(t, root, "run", "-sut", sut, "-scenario", "calm")
	until(t, "services that run", func() bool { all, _ := running(t, pids); return len(all) >= 2 })
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.ends(t, interruptLimit)
	until(t, "an end of all services", func() bool { _, alive := running(t, pids); return len(alive) == 0 })
	if left := tree(t, p.temp); len(left) > 1 {
		t.Errorf("temporary files are left: %v", left)
	}
	if now, err := os.Readlink(filepath.Join(root, "out", "latest")); err != nil || now != latest {
		t.Errorf("out/latest is %s, it was %s: %v", now, latest, err)
	}
	next := launched(t, root, "run", "-arch", document, "-scenario", "calm")
	next.ends(t, 60*time.Second)
	if exit := next.cmd.ProcessState.ExitCode(); exit != command.Conforms {
		t.Errorf("the next run: exit code %d\n%s%s", exit, next.out.String(), next.errs.String())
	}
}

// ready is a folder with the starter's document.
func ready(t *testing.T) string {
	t.Helper()
	root := started(t, "architecture.yaml")
	if err := os.Remove(filepath.Join(root, "sut.yaml")); err != nil {
		t.Fatal(err)
	}
	return root
}
