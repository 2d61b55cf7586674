package sut

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"tahanuji/system/history"
	"tahanuji/system/sut/services"
)

// lookEvery is how often an instance is asked whether it is ready.
const lookEvery = 25 * time.Millisecond

// awaitReady waits until the instance is ready, within the file's limit. Before the first readiness an end of the process is an
// error at once: nothing was hurt yet.
func (in *instance) awaitReady(ctx context.Context) error {
	in.mu.Lock()
	p, line, value := in.process, in.line, in.value
	in.mu.Unlock()
	ready := in.role.form.Ready
	if p == nil {
		return fmt.Errorf("sut: %s ended before it was ready; %s", in.proc(), in.log.Tail())
	}
	ctx, cancel := context.WithTimeout(ctx, ready.Within)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	last := "nothing yet"
	for {
		select {
		case <-p.Exited():
			<-p.Gone()
			return fmt.Errorf("sut: %s ended before it was ready (%s); %s", in.proc(), p.State(), in.log.Tail())
		default:
		}
		ok, saw := in.looksReady(ctx, line, value)
		if ok {
			in.saw("ready", saw)
			return nil
		}
		if ctx.Err() == nil {
			last = saw // what is seen as the limit strikes tells nothing
		}
		select {
		case <-p.Exited():
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("sut: %s was not ready within %s; last seen: %s; %s", in.proc(), ready.Within, last, in.log.Tail())
		}
	}
}

// readyLater watches an instance that was started during a run; that it is not ready is in the history and the notes.
func (in *instance) readyLater() {
	s := in.role.system
	s.tasks.Go(func() {
		err := in.awaitReady(s.ctx)
		if err == nil || s.ctx.Err() != nil || !in.wanted() {
			return
		}
		s.env.Rec.Add(history.Event{Proc: in.proc(), Op: history.OpRole, Phase: history.Fail, Key: "ready", Err: err.Error()})
		s.note("%s", err)
	})
}

// looksReady asks once.
func (in *instance) looksReady(ctx context.Context, line chan struct{}, value func(word, name string) string) (ok bool, saw string) {
	ready := in.role.form.Ready
	switch {
	case ready.HTTP.Value != "":
		return getsOK(ctx, in.client, services.Expand(ready.HTTP.Value, value))
	case ready.Port.Value != "":
		return connects(ctx, services.Expand(ready.Port.Value, value))
	case ready.Group.Value != "":
		return in.groupFull(ctx, services.Expand(ready.Group.Value, value), strings.Contains(ready.Group.Value, "{"))
	case ready.Line != nil:
		select {
		case <-line:
			return true, "the line " + ready.Line.String()
		default:
			return false, "no line that matches " + ready.Line.String()
		}
	}
	return true, "it runs; sut.yaml names no sign of readiness"
}

func getsOK(ctx context.Context, client *http.Client, url string) (bool, string) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, err.Error()
	}
	res, err := client.Do(req)
	if err != nil {
		return false, err.Error()
	}
	_ = res.Body.Close() // only the status is looked at
	return res.StatusCode >= 200 && res.StatusCode < 300, "GET " + url + " answers " + res.Status
}

func connects(ctx context.Context, port string) (bool, string) {
	address := port
	if !strings.Contains(port, ":") {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	d := net.Dialer{Timeout: time.Second}
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return false, err.Error()
	}
	_ = conn.Close() // that it was accepted is all
	return true, "a connection to " + address
}

// groupFull wants as many members as the role has instances that run. Expanded names carry the prefix already.
func (in *instance) groupFull(ctx context.Context, group string, expanded bool) (bool, string) {
	env := in.role.system.env
	if env.Group == nil {
		return false, "nobody here can count the members of group " + group
	}
	if !expanded {
		group = env.Prefix + group
	}
	want := len(in.role.Instances())
	members, err := env.Group(ctx, group)
	if err != nil {
		return false, fmt.Sprintf("group %s: %s", group, err)
	}
	return members >= want, fmt.Sprintf("group %s has %d of %d members", group, members, want)
}
