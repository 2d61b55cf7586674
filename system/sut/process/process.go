package process

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Process is one started command with all that it started in its group.
type Process struct {
	name     string
	cmd      *exec.Cmd
	stdin    *os.File
	stopping atomic.Bool
	release  sync.Once
	released chan struct{} // Stop gives up the rest of the group
	exited   chan struct{} // the leader ended
	drained  chan struct{} // both streams ended
	gone     chan struct{} // the leader ended, its group was killed, its output is in the log
	state    string
}

// The longest lines that are looked at as a whole, in bytes; longer ones are logged in pieces. An answer on standard output may be a
// whole table.
const (
	lineLimit   = 64 << 10
	answerLimit = 64 << 20
)

func start(s Spec) (*Process, error) {
	p := &Process{name: s.Name, released: make(chan struct{}), exited: make(chan struct{}), drained: make(chan struct{}),
		gone: make(chan struct{})}
	// Never nil: a command without an environment would get ours.
	env := append(make([]string, 0, len(s.Env)), s.Env...)
	p.cmd = &exec.Cmd{Path: s.Command[0], Args: s.Command, Dir: s.Dir, Env: env, SysProcAttr: ownGroup()}
	var ours, theirs []*os.File
	closeAll := func(files []*os.File) {
		for _, f := range files {
			_ = f.Close()
		}
	}
	defer func() { closeAll(theirs) }()
	pipe := func() (r, w *os.File, err error) {
		if r, w, err = os.Pipe(); err != nil {
			closeAll(ours)
		}
		return r, w, err
	}
	out, outW, err := pipe()
	if err != nil {
		return nil, err
	}
	ours, theirs = append(ours, out), append(theirs, outW)
	errs, errW, err := pipe()
	if err != nil {
		return nil, err
	}
	ours, theirs = append(ours, errs), append(theirs, errW)
	p.cmd.Stdout, p.cmd.Stderr = outW, errW
	if s.Stdin {
		inR, in, err := pipe()
		if err != nil {
			return nil, err
		}
		ours, theirs = append(ours, in), append(theirs, inR)
		p.cmd.Stdin, p.stdin = inR, in
	}
	if err := p.cmd.Start(); err != nil {
		closeAll(ours)
		return nil, err
	}
	s.Log.Note("started, pid %d: %s", p.PID(), strings.Join(s.Command, " "))
	go p.read(out, errs, s)
	go p.wait(s.Log, ours)
	return p, nil
}

// read drains both streams, for ever fast: a command that floods its output must not come to a halt on it.
func (p *Process) read(out, errs *os.File, s Spec) {
	other := make(chan struct{})
	limit := lineLimit
	if s.Stdin {
		limit = answerLimit
	}
	go func() {
		lines(errs, lineLimit, s.Log, func(l string) bool { return s.Line != nil && s.Line(true, l) })
		close(other)
	}()
	lines(out, limit, s.Log, func(l string) bool { return s.Line != nil && s.Line(false, l) })
	<-other
	close(p.drained)
}

func lines(from io.Reader, limit int, log *Log, see func(string) bool) {
	in := bufio.NewReaderSize(from, 64<<10)
	var long []byte
	for {
		piece, err := in.ReadSlice('\n')
		long = append(long, piece...)
		if errors.Is(err, bufio.ErrBufferFull) && len(long) < limit {
			continue
		}
		if len(long) > 0 {
			line := strings.TrimRight(string(long), "\r\n")
			if !see(line) {
				log.Line(line)
			}
			long = long[:0]
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

func (p *Process) wait(log *Log, ours []*os.File) {
	err := p.cmd.Wait()
	switch {
	case err == nil:
		p.state = "exit code 0"
	case p.cmd.ProcessState != nil:
		p.state = strings.Replace(p.cmd.ProcessState.String(), "exit status", "exit code", 1)
	default:
		p.state = err.Error()
	}
	close(p.exited)
	if p.stopping.Load() {
		<-p.released // the rest of the group has its time to end
	}
	p.Kill() // what the leader leaves behind ends with it
	for limit := time.Now().Add(time.Second); groupAlive(p.PID()) && time.Now().Before(limit); time.Sleep(time.Millisecond) {
		continue // SIGKILL can't be refused, it takes a moment
	}
	select {
	case <-p.drained:
	case <-time.After(time.Second):
	}
	// A process that left the group may hold the other ends of the pipes; its output is no longer ours.
	for _, f := range ours {
		_ = f.Close()
	}
	<-p.drained
	log.Note("ended, pid %d: %s", p.PID(), p.state)
	close(p.gone)
}

// PID is the leader's process id, and the group's.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stdin is the command's standard input, or nil.
func (p *Process) Stdin() *os.File { return p.stdin }

// Exited is closed when the leader has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Gone is closed when the leader has ended, its group was killed and its output was read.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// State says how the leader ended, such as "exit code 1" or "signal: killed". Valid once Exited is closed.
func (p *Process) State() string { return p.state }

// Kill sends SIGKILL to the whole group, frozen or not, and does not wait. A group that is gone is no error.
func (p *Process) Kill() { _ = syscall.Kill(-p.PID(), syscall.SIGKILL) }

// Freeze is SIGSTOP to the whole group. It returns when every thread has stopped (on Linux), at most a second later.
func (p *Process) Freeze() error {
	if err := p.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	for limit := time.Now().Add(time.Second); !groupStopped(p.PID()); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			return fmt.Errorf("process: %s still runs 1s after SIGSTOP", p.name)
		}
	}
	return nil
}

// Thaw is SIGCONT to the whole group.
func (p *Process) Thaw() error { return p.signal(syscall.SIGCONT) }

func (p *Process) signal(s syscall.Signal) error {
	if err := syscall.Kill(-p.PID(), s); err != nil {
		return fmt.Errorf("process: %s to the group of %s: %w", s, p.name, err)
	}
	return nil
}

// Stop sends the signal to the group (thawed first) and waits until all of it has ended; what has not after within is killed.
// The end of ctx ends the wait as well. It reports whether the signal was obeyed in time.
func (p *Process) Stop(ctx context.Context, s syscall.Signal, within time.Duration) (obeyed bool) {
	p.stopping.Store(true)
	// Errors: a group that is gone already has obeyed.
	_ = syscall.Kill(-p.PID(), s)
	_ = syscall.Kill(-p.PID(), syscall.SIGCONT)
	limit := time.NewTimer(within)
	defer limit.Stop()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	exited := p.exited
	for {
		select {
		case <-exited:
			exited = nil
		case <-look.C:
		case <-ctx.Done():
			p.end()
			return false
		case <-limit.C:
			p.end()
			return false
		}
		if exited == nil && !groupAlive(p.PID()) {
			p.end()
			return true
		}
	}
}

// end kills what is left and waits for the output's end; it can't be refused, so five seconds are only a guard.
func (p *Process) end() {
	p.release.Do(func() { close(p.released) })
	p.Kill()
	select {
	case <-p.gone:
	case <-time.After(5 * time.Second):
	}
}
