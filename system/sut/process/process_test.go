package process

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestMain plays the suite that gets killed, when it is told to.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PROCESS_TEST_SUITE"); dir != "" {
		suite(dir)
	}
	os.Exit(m.Run())
}

// family is a command with a child in its group; it prints both ids.
const family = `sleep 600 & echo "$$ $!"; wait`

func suite(dir string) {
	w, err := NewWarden()
	if err != nil {
		panic(err)
	}
	log, err := OpenLog(filepath.Join(dir, "suite.log"), LogLimit)
	if err != nil {
		panic(err)
	}
	_, err = w.Start(Spec{Name: "family", Command: []string{"/bin/sh", "-c", family}, Dir: dir, Env: []string{"PATH=/usr/bin:/bin"}, Log: log,
		Line: func(_ bool, l string) bool {
			fmt.Println(l, w.shell.Process.Pid)
			return true
		}})
	if err != nil {
		panic(err)
	}
	select {}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for limit := time.Now().Add(10 * time.Second); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("not within 10s: %s", what)
}

// dead: no such process, or a zombie that nobody reaped.
func dead(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return syscall.Kill(pid, 0) != nil
	}
	return strings.Contains(string(stat[strings.LastIndexByte(string(stat), ')'):]), ") Z")
}

func pids(t *testing.T, line string) []int {
	t.Helper()
	var out []int
	for _, f := range strings.Fields(line) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatalf("no process ids: %q", line)
		}
		out = append(out, pid)
	}
	return out
}

func TestNothingOutlivesASuiteThatIsKilled(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROCESS_TEST_SUITE="+t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	all := pids(t, line)
	if len(all) != 3 || dead(all[0]) || dead(all[1]) || dead(all[2]) {
		t.Fatalf("child, grandchild and watchdog should run before the kill: %v", all)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	for i, who := range []string{"the child", "the grandchild", "the watchdog"} {
		eventually(t, who+" ends after a kill -9 of the suite", func() bool { return dead(all[i]) })
	}
}

func open(t *testing.T) (*Warden, *Log) {
	t.Helper()
	w, err := NewWarden()
	if err != nil {
		t.Fatal(err)
	}
	log, err := OpenLog(filepath.Join(t.TempDir(), "a.log"), 64<<10)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if err := log.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, log
}

// sh starts a shell command and gives the first line that it prints.
func sh(t *testing.T, w *Warden, log *Log, script string) (*Process, string) {
	t.Helper()
	first := make(chan string, 1)
	p, err := w.Start(Spec{Name: "test", Command: []string{"/bin/sh", "-c", script}, Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}, Log: log,
		Line: func(_ bool, l string) bool {
			select {
			case first <- l:
			default:
			}
			return false
		}})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case l := <-first:
		return p, l
	case <-time.After(10 * time.Second):
		t.Fatalf("%q printed nothing", script)
		return nil, ""
	}
}

func TestKillReachesGrandchildrenAlsoFrozenOnes(t *testing.T) {
	w, log := open(t)
	p, line := sh(t, w, log, family)
	if err := p.Freeze(); err != nil {
		t.Fatal(err)
	}
	p.Kill()
	<-p.Gone()
	if p.State() != "signal: killed" {
		t.Errorf("state %q", p.State())
	}
	for _, pid := range pids(t, line) {
		eventually(t, "the group dies", func() bool { return dead(pid) })
	}
}

func TestWhatALeaderLeavesBehindEndsWithIt(t *testing.T) {
	w, log := open(t)
	p, line := sh(t, w, log, `sleep 600 & echo "$!"; exit 3`)
	<-p.Gone()
	if p.State() != "exit code 3" {
		t.Errorf("state %q", p.State())
	}
	eventually(t, "the child that was left behind dies", func() bool { return dead(pids(t, line)[0]) })
}

func TestStopWaitsForTheWholeGroup(t *testing.T) {
	w, log := open(t)
	// The shell ends at once, its child takes its time to end well.
	p, _ := sh(t, w, log, `(trap 'sleep 0.2; echo done well; exit 0' TERM; echo up; while :; do sleep 0.02; done) & wait`)
	if !p.Stop(context.Background(), syscall.SIGTERM, 10*time.Second) {
		t.Error("it obeyed, and Stop says that it did not")
	}
	if !strings.Contains(log.Tail(), "done well") {
		t.Errorf("the child was killed while it ended; %s", log.Tail())
	}
}

func TestStopKillsWhatDoesNotObey(t *testing.T) {
	w, log := open(t)
	p, _ := sh(t, w, log, `trap '' TERM; echo up; while :; do sleep 0.05; done`)
	if p.Stop(context.Background(), syscall.SIGTERM, 100*time.Millisecond) {
		t.Error("it ignores the signal, and Stop says that it obeyed")
	}
	if !dead(p.PID()) {
		t.Error("it still runs")
	}
}

func TestStopReachesAFrozenProcess(t *testing.T) {
	w, log := open(t)
	p, _ := sh(t, w, log, `trap 'exit 0' TERM; echo up; while :; do sleep 0.02; done`)
	if err := p.Freeze(); err != nil {
		t.Fatal(err)
	}
	if !p.Stop(context.Background(), syscall.SIGTERM, 10*time.Second) {
		t.Error("it did not obey")
	}
}

func TestAFloodIsBoundedAndItsEndIsKept(t *testing.T) {
	w, log := open(t)
	p, _ := sh(t, w, log, `i=0; while [ $i -lt 30000 ]; do echo "line $i"; i=$((i+1)); done; echo the end >&2`)
	select {
	case <-p.Gone():
	case <-time.After(20 * time.Second):
		t.Fatal("a flood came to a halt")
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(log.Path())
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 70<<10 || len(text) < 60<<10 {
		t.Errorf("%d bytes were kept of a log limited to %d", len(text), 64<<10)
	}
	for _, want := range []string{"this log is full at 65536 bytes", "lines were left out; the last ones", "the end", "line 29999"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the log has no %q", want)
		}
	}
}

func TestACommandGetsNoEnvironmentThatNobodyGaveIt(t *testing.T) {
	t.Setenv("SECRET", "of the suite")
	w, log := open(t)
	p, err := w.Start(Spec{Name: "test", Command: []string{"/usr/bin/env"}, Dir: t.TempDir(), Log: log})
	if err != nil {
		t.Fatal(err)
	}
	<-p.Gone()
	if strings.Contains(log.Tail(), "SECRET") {
		t.Error(log.Tail())
	}
}

func TestAnAnswerMayBeLongAndAFloodWithoutLinesIsCutInPieces(t *testing.T) {
	w, log := open(t)
	const script = `head -c 2000000 /dev/zero | tr '\0' x; echo`
	for _, stdin := range []bool{true, false} {
		var longest, all atomic.Int64
		p, err := w.Start(Spec{Name: "test", Command: []string{"/bin/sh", "-c", script}, Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}, Log: log,
			Stdin: stdin, Line: func(_ bool, l string) bool {
				longest.Store(max(longest.Load(), int64(len(l))))
				all.Add(int64(len(l)))
				return true
			}})
		if err != nil {
			t.Fatal(err)
		}
		<-p.Gone()
		if whole := longest.Load() == 2_000_000; whole != stdin || all.Load() != 2_000_000 || !stdin && longest.Load() > 128<<10 {
			t.Errorf("standard input %v: the longest line has %d bytes of %d", stdin, longest.Load(), all.Load())
		}
	}
}

func TestPortsAreFreeAndGivenOnceAlsoToOthersWithTheSameSalt(t *testing.T) {
	one, two := NewPorts(1), NewPorts(1)
	seen := map[int]bool{}
	for range 100 {
		for _, p := range []*Ports{one, two} {
			port, err := p.Take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if seen[port] || port < 20000 || port >= 32000 {
				t.Fatalf("port %d", port)
			}
			seen[port] = true
		}
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	if err := two.Close(); err != nil {
		t.Error(err)
	}
}
