package sut_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/system/history"
	"tahanuji/system/sut"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// valid are the sends of valid events: the service of these tests validates nothing.
func valid(st *stage) []workload.Send {
	return slices.DeleteFunc(slices.Clone(st.load.Sends), func(s workload.Send) bool { return !s.Event.Valid() })
}

// A role that is killed while the proxy withholds its own request dies at once and holds up nobody.
func TestARoleIsKilledAtItsOwnRequest(t *testing.T) {
	t.Parallel()
	calm := perform(t, load(t, tokoYAML), sut.Reference{}, nil)
	calm.send(calm.load.Sends)
	calm.calm()
	doc, err := filepath.Abs(tokoYAML)
	must(t, err)
	path := filepath.Join(t.TempDir(), "sut.yaml")
	must(t, os.WriteFile(path, []byte(strings.NewReplacer("DOC", doc, "SELF", os.Args[0]).Replace(mixed)), 0o644))
	service, err := sut.LoadCommand(path)
	must(t, err)
	for _, c := range []struct {
		name    string
		adapter sut.Adapter
		at      target.Moment
	}{
		{"the reference's summarizer at its commit", sut.Reference{}, target.Moment{API: "OffsetCommit", Role: "buku-besar"}},
		{"the reference's recorder at an event", sut.Reference{}, target.Moment{API: "Produce", Role: "kasir"}},
		{"the reference's display at a fetch", sut.Reference{}, target.Moment{API: "Fetch", Role: "papan-tulis"}},
		{"a service at an event", service, target.Moment{API: "Produce", Role: "kasir"}},
	} {
		for _, before := range []bool{true, false} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				killedAt(t, c.adapter, c.at, before, calm.rows())
			})
		}
	}
}

// killedAt kills a role at a moment of its own, starts it again, and looks at what the display shows in the end.
func killedAt(t *testing.T, adapter sut.Adapter, at target.Moment, before bool, want string) {
	t.Helper()
	st := perform(t, load(t, tokoYAML), adapter, nil)
	role := byName(t, st.sys.Roles(), at.Role)
	if at.API == "Produce" {
		at.Carries = valid(st)[len(valid(st))/2].Event.Label
	}
	took := make(chan time.Duration, 1)
	step := target.Step{Name: "kill", Fault: "role-killed", At: at, Do: target.Action{Do: target.Kill, Before: before}}
	_, err := st.proxy.ArmHook(step, func(ctx context.Context) {
		begun := time.Now()
		if err := role.Kill(ctx, 1); err != nil {
			t.Error(err)
		}
		took <- time.Since(begun)
		go func() {
			if _, err := role.Start(st.ctx, 1); err != nil {
				t.Error(err)
			}
		}()
	})
	must(t, err)
	for _, s := range valid(st) {
		st.deliver(s.Event)
	}
	select {
	case d := <-took:
		if d > 3*time.Second {
			t.Errorf("the kill took %s", d)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the moment was never met")
	}
	st.calm()
	if got := st.rows(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if n := st.events(history.OpRole, "killed"); n != 1 {
		t.Errorf("%d kills in the history", n)
	}
}
