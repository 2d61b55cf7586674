package sut

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"tahanuji/system/history"
	"tahanuji/system/sut/process"
	"tahanuji/system/sut/services"
)

// instance is one process of a role, over all its starts.
type instance struct {
	role   *commandRole
	number int
	log    *process.Log

	mu      sync.Mutex
	port    int // 0: none taken yet
	process *process.Process
	want    bool // it is meant to run
	exits   int  // times it ended by itself
	again   int  // restarts in a row
	begun   time.Time
	value   func(word, name string) string
	client  *http.Client
	talk    *process.Talk
	line    chan struct{} // closed when the line of ready was seen since the start
}

func newInstance(r *commandRole, number int) (*instance, error) {
	name := fileName(r.Name()) + "-" + strconv.Itoa(number) + ".log"
	log, err := process.OpenLog(filepath.Join(r.system.env.Dir, "logs", name), process.LogLimit)
	if err != nil {
		return nil, fmt.Errorf("sut: %w", err)
	}
	return &instance{role: r, number: number, log: log, client: newClient()}, nil
}

// proc is the instance's name, as in doors and in the history.
func (in *instance) proc() string { return in.role.Name() + "/" + strconv.Itoa(in.number) }

func (in *instance) saw(key, value string) {
	in.role.system.env.Rec.Add(history.Event{Proc: in.proc(), Op: history.OpRole, Phase: history.OK, Key: key, Value: value})
}

func (in *instance) wanted() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.want
}

func (in *instance) running() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.process != nil
}

func (in *instance) ownExits() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.exits
}

// start starts the process, unless it runs.
func (in *instance) start(ctx context.Context) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.process != nil {
		return fmt.Errorf("sut: start %s: it runs already", in.proc())
	}
	if in.role.system.ctx.Err() != nil {
		return fmt.Errorf("sut: start %s: the system is closed", in.proc())
	}
	in.again = 0
	return in.launch(ctx)
}

// launch is called with the lock held.
func (in *instance) launch(ctx context.Context) error {
	value, err := in.values(ctx)
	if err != nil {
		return err
	}
	form := in.role.form
	spec := process.Spec{Name: in.proc(), Dir: form.Dir, Env: passed(form.Inherit), Stdin: form.Stdio(), Log: in.log}
	for _, word := range form.Command {
		spec.Command = append(spec.Command, services.Expand(word.Value, value))
	}
	if spec.Command[0], err = services.Executable(form.Dir, spec.Command[0]); err != nil {
		return fmt.Errorf("sut: start %s: %w", in.proc(), err)
	}
	for _, v := range form.Env {
		spec.Env = append(spec.Env, v.Name+"="+services.Expand(v.Value.Value, value))
	}
	talk, line := process.NewTalk(), make(chan struct{})
	spec.Line = in.listen(talk, line)
	in.log.Forget()
	p, err := in.role.system.warden.Start(spec)
	if err != nil {
		return fmt.Errorf("sut: %w", err)
	}
	if p.Stdin() != nil {
		go talk.Serve(p.Stdin())
	}
	in.process, in.want, in.value, in.talk, in.line, in.begun = p, true, value, talk, line, time.Now()
	in.client = newClient() // connections are not reused across a start
	in.saw("started", "pid "+strconv.Itoa(p.PID()))
	in.role.system.tasks.Go(func() { in.watch(p, talk) })
	return nil
}

// listen looks at each line: answers go to those who asked, the line of ready is looked for on both streams.
func (in *instance) listen(talk *process.Talk, seen chan struct{}) func(bool, string) bool {
	form := in.role.form
	var once sync.Once
	return func(stderr bool, l string) bool {
		if form.Ready.Line != nil && form.Ready.Line.MatchString(l) {
			once.Do(func() { close(seen) })
		}
		return !stderr && form.Stdio() && talk.Hear(l)
	}
}

// watch waits for the end of one process, and starts the role again if it ended by itself.
func (in *instance) watch(p *process.Process, talk *process.Talk) {
	<-p.Exited()
	talk.End()
	in.mu.Lock()
	if in.process != p {
		in.mu.Unlock()
		return // killed or stopped: who did it has said so
	}
	in.process = nil
	in.exits++
	in.client.CloseIdleConnections()
	in.role.system.env.Rec.Add(history.Event{Proc: in.proc(), Op: history.OpRole, Phase: history.OK, Key: "exited",
		Value: p.State(), Tag: restartTag(in.role.form.Restart)})
	if time.Since(in.begun) > 10*time.Second {
		in.again = 0
	}
	pause := min(100*time.Millisecond<<min(in.again, 6), 5*time.Second)
	in.again++
	in.want = in.role.form.Restart
	in.mu.Unlock()
	<-p.Gone()
	if !in.role.form.Restart {
		in.role.system.note("%s ended by itself (%s), and restart is never; %s", in.proc(), p.State(), in.log.Tail())
		return
	}
	select {
	case <-in.role.system.ctx.Done():
		return
	case <-time.After(pause):
	}
	in.revive()
}

// revive starts an instance again that ended by itself, unless somebody did or no longer wants it.
func (in *instance) revive() {
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.want || in.process != nil || in.role.system.ctx.Err() != nil {
		return
	}
	if err := in.launch(in.role.system.ctx); err != nil {
		in.want = false
		in.role.system.note("%s could not be started again: %s", in.proc(), err)
		return
	}
	in.readyLater()
}

// restartTag is the Tag of an exited event: "never" where the role is not to end by itself.
func restartTag(always bool) string {
	if always {
		return "always"
	}
	return "never"
}

// take ends the instance's run in the books and gives its process, nil if it does not run.
func (in *instance) take() *process.Process {
	p := in.process
	in.process, in.want = nil, false
	in.client.CloseIdleConnections()
	return p
}

func (in *instance) kill() error {
	in.mu.Lock()
	defer in.mu.Unlock()
	p := in.take()
	if p == nil {
		return nil // it is dead already, and stays so
	}
	p.Kill()
	in.saw("killed", "")
	select {
	case <-p.Gone(): // its children too, so that their ports are free
		return nil
	case <-time.After(5 * time.Second):
		return fmt.Errorf("sut: kill %s: pid %d still runs 5s after SIGKILL", in.proc(), p.PID())
	}
}

func (in *instance) freeze(on bool) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch {
	case in.process == nil && on:
		return fmt.Errorf("sut: pause %s: it does not run", in.proc())
	case in.process == nil:
		return nil // it was killed while it was frozen
	}
	act, key := in.process.Thaw, "resumed"
	if on {
		act, key = in.process.Freeze, "paused"
	}
	if err := act(); err != nil {
		return fmt.Errorf("sut: %w", err)
	}
	in.saw(key, "")
	return nil
}

func (in *instance) stop(ctx context.Context) error {
	in.mu.Lock()
	p := in.take()
	in.mu.Unlock()
	if p == nil {
		return nil
	}
	stop := in.role.form.Stop
	if !p.Stop(ctx, signalNumbers[stop.Signal], stop.Within) {
		if ctx.Err() != nil {
			in.saw("stopped", "killed: nobody waits any longer")
			return nil
		}
		in.role.system.note("%s did not obey %s within %s and was killed; %s", in.proc(), stop.Signal, stop.Within, in.log.Tail())
		in.saw("stopped", "killed: "+stop.Signal+" not obeyed within "+stop.Within.String())
		return nil
	}
	in.saw("stopped", p.State())
	return nil
}

// close stops the instance for good and waits for its output's end.
func (in *instance) close(ctx context.Context) {
	in.mu.Lock()
	p := in.process
	in.mu.Unlock()
	if err := in.stop(ctx); err != nil {
		in.role.system.note("%s", err)
	}
	if p == nil {
		return
	}
	select {
	case <-p.Gone():
	case <-ctx.Done():
		in.role.system.note("%s (pid %d) left output open after its end", in.proc(), p.PID())
	}
}
