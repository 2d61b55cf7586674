// Package process runs commands as process groups of their own, keeps their output in bounded logs, freezes them, ends them,
// and sees to it that nothing of them outlives the process that started them, not even after a kill -9 of that process. It
// knows no broker, no document and no role. A command that leaves its group (setsid) is out of its reach.
package process

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// watchdog is what the warden's shell runs: it learns of groups on its standard input and, when that ends because the suite is
// gone, kills those that are left. It ignores what a terminal sends to everybody.
const watchdog = `trap '' HUP INT QUIT TERM
groups=
while read -r verb group; do
  case $verb in
  add) groups="$groups $group" ;;
  drop) rest=
    for g in $groups; do [ "$g" = "$group" ] || rest="$rest $g"; done
    groups=$rest ;;
  esac
done
for g in $groups; do kill -s KILL -- "-$g" 2>/dev/null || :; done
`

// Warden starts commands and watches over them. Beside the parent-death signal, which reaches only a direct child and only on
// Linux, a small shell outside of their groups waits for the end of a pipe that this process alone holds open.
type Warden struct {
	mu     sync.Mutex
	line   io.WriteCloser
	shell  *exec.Cmd
	starts chan func()
	live   map[*Process]bool
	closed bool
}

// NewWarden starts a watchdog shell (/bin/sh). Close ends it.
func NewWarden() (*Warden, error) {
	w := &Warden{starts: make(chan func()), live: map[*Process]bool{}}
	ready := make(chan error)
	// The parent-death signal of Linux is sent when the parent's *thread* ends, so all starts happen on one thread that stays.
	go func() {
		runtime.LockOSThread()
		ready <- w.watch()
		for start := range w.starts {
			start()
		}
	}()
	if err := <-ready; err != nil {
		close(w.starts)
		return nil, fmt.Errorf("process: start the watchdog shell: %w", err)
	}
	return w, nil
}

func (w *Warden) watch() error {
	cmd := &exec.Cmd{Path: "/bin/sh", Args: []string{"/bin/sh", "-c", watchdog}, Dir: "/", Env: []string{"PATH=" + os.Getenv("PATH")},
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true}}
	line, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	w.line, w.shell = line, cmd
	return cmd.Start()
}

// Spec is a command to start.
type Spec struct {
	Name    string   // who it is, in sentences
	Command []string // Command[0] is a path
	Dir     string
	Env     []string // all of its environment
	Stdin   bool     // keep its standard input open; otherwise it reads nothing
	Log     *Log
	// Line sees each line before it is logged and says whether it was meant for the caller, who then keeps it from the log.
	// It is called by two goroutines, one a stream. nil: all lines are logged.
	Line func(stderr bool, line string) (taken bool)
}

// Start starts a command as the leader of its own process group.
func (w *Warden) Start(s Spec) (*Process, error) {
	var p *Process
	var err error
	done := make(chan struct{})
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, fmt.Errorf("process: start %s: the warden is closed", s.Name)
	}
	w.starts <- func() { p, err = start(s); close(done) }
	<-done
	if err != nil {
		return nil, fmt.Errorf("process: start %s: %w", s.Name, err)
	}
	w.live[p] = true
	_, err = io.WriteString(w.line, "add "+strconv.Itoa(p.PID())+"\n")
	if err != nil {
		p.Kill()
		return nil, fmt.Errorf("process: start %s: tell the watchdog: %w", s.Name, err)
	}
	go func() {
		<-p.gone
		w.forget(p)
	}()
	return p, nil
}

func (w *Warden) forget(p *Process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.live, p)
	if !w.closed {
		// The watchdog is gone only if somebody killed it; the parent-death signal is left then.
		_, _ = io.WriteString(w.line, "drop "+strconv.Itoa(p.PID())+"\n")
	}
}

// Close kills what still runs and ends the watchdog. It waits at most five seconds for each.
func (w *Warden) Close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	left := make([]*Process, 0, len(w.live))
	for p := range w.live {
		left = append(left, p)
	}
	w.mu.Unlock()
	for _, p := range left {
		p.Kill()
	}
	for _, p := range left {
		select {
		case <-p.gone:
		case <-time.After(5 * time.Second):
			return fmt.Errorf("process: %s (pid %d) still runs 5s after SIGKILL", p.name, p.PID())
		}
	}
	w.mu.Lock()
	w.closed = true
	close(w.starts)
	_ = w.line.Close() // the watchdog ends at the end of its input; nothing is left to kill
	w.mu.Unlock()
	if err := w.shell.Wait(); err != nil {
		return fmt.Errorf("process: the watchdog shell: %w", err)
	}
	return nil
}
