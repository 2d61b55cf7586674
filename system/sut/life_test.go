package sut

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tahanuji/system/history"
)

func TestAKilledInstanceStaysDeadAndComesBackWithNumberPortAndState(t *testing.T) {
	t.Parallel()
	s, env := running(t, only(toko(), "kasir"), recorder("http", healthy))
	role, in := s.Roles()[0], s.roles[0].all()[0]
	port := in.port
	if err := os.WriteFile(filepath.Join(env.Dir, "state", "kasir", "kept"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := role.Kill(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if a := s.Send(t.Context(), "kasir", record("ok")); a.Phase != history.Unknown || a.Reached {
		t.Errorf("nobody listens, so the request can't have reached anybody: %+v", a)
	}
	if err := s.EmptyState(t.Context(), "kasir"); err != nil {
		t.Fatal(err)
	}
	if n, err := role.Start(t.Context(), 1); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	eventually(t, "it is ready again", func() bool {
		return slices.Equal(events(env, "kasir/1"), []string{"started", "ready", "killed", "started", "ready"})
	})
	if err := s.EmptyState(t.Context(), "kasir"); err == nil {
		t.Error("the state of a role that runs was emptied")
	}
	if a := s.Send(t.Context(), "kasir", record("ok")); a.Phase != history.OK || in.port != port {
		t.Errorf("port %d was %d: %+v", in.port, port, a)
	}
	if left, err := os.ReadDir(filepath.Join(env.Dir, "state", "kasir")); err != nil || len(left) > 0 {
		t.Errorf("the state was to be empty: %v, %v", left, err)
	}
}

func TestARequestInFlightAtAKillIsUnknown(t *testing.T) {
	t.Parallel()
	s, _ := running(t, only(toko(), "kasir"), recorder("http", healthy))
	if a := s.Send(t.Context(), "kasir", record("ok")); a.Phase != history.OK {
		t.Fatalf("%+v", a)
	}
	answer := make(chan Answer, 1)
	go func() { answer <- s.Send(t.Context(), "kasir", record("hang")) }()
	time.Sleep(50 * time.Millisecond)
	if err := s.Roles()[0].Kill(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if a := <-answer; a.Phase != history.Unknown {
		t.Errorf("%+v", a)
	}
}

func TestAFrozenInstanceAnswersOnceItIsThawed(t *testing.T) {
	t.Parallel()
	s, env := running(t, only(toko(), "kasir"), recorder("http", healthy))
	role := s.Roles()[0]
	if err := role.Pause(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if a := s.Send(ctx, "kasir", record("ok")); a.Phase != history.Unknown {
		t.Errorf("a frozen process answered: %+v", a)
	}
	if err := role.Resume(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if a := s.Send(t.Context(), "kasir", record("ok")); a.Phase != history.OK {
		t.Errorf("%+v", a)
	}
	if got := events(env, "kasir/1"); !slices.Equal(got, []string{"started", "ready", "paused", "resumed"}) {
		t.Errorf("events %q", got)
	}
}

func TestAGrandchildDiesWithItsRole(t *testing.T) {
	t.Parallel()
	s, _ := running(t, only(toko(), "kasir"), recorder("parent", healthy))
	in := s.roles[0].all()[0]
	_, rest, ok := strings.Cut(in.log.Tail(), "grandchild ")
	if !ok {
		t.Fatal(in.log.Tail())
	}
	pid, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Roles()[0].Kill(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the grandchild dies", func() bool {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		return err != nil && syscall.Kill(pid, 0) != nil || strings.Contains(string(stat), ") Z ")
	})
}

func TestARoleThatEndsByItselfComesBackAndIsCounted(t *testing.T) {
	t.Parallel()
	s, env := running(t, only(toko(), "kasir"), recorder("http", healthy))
	if a := s.Send(t.Context(), "kasir", record("die")); a.Phase != history.Unknown || !a.Reached {
		t.Errorf("%+v", a)
	}
	eventually(t, "it is ready again", func() bool {
		return slices.Equal(events(env, "kasir/1"), []string{"started", "ready", "exited", "started", "ready"})
	})
	for _, e := range env.Rec.Events() {
		if e.Key == "exited" && (e.Value != "exit code 7" || e.Tag != "always") {
			t.Errorf("%+v", e)
		}
	}
	if err := s.Close(t.Context()); err != nil || !slices.Contains(s.Notes(), "kasir/1 ended by itself 1 times") {
		t.Errorf("a reader is to know: %q, %v", s.Notes(), err)
	}
}

func TestARoleThatMustNotEndByItselfStaysAway(t *testing.T) {
	t.Parallel()
	s, env := running(t, only(toko(), "kasir"), recorder("http", healthy, "    restart: never"))
	s.Send(t.Context(), "kasir", record("die"))
	eventually(t, "its end is seen", func() bool { return slices.Contains(events(env, "kasir/1"), "exited") })
	if on := s.Roles()[0].Instances(); len(on) != 0 {
		t.Errorf("instances %v", on)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	notes := strings.Join(s.Notes(), "\n")
	if !strings.Contains(notes, "restart is never") || !strings.Contains(notes, "dying as told") {
		t.Errorf("a reader is to know, with the last lines: %s", notes)
	}
	if got := events(env, "kasir/1"); !slices.Equal(got, []string{"started", "ready", "exited"}) {
		t.Errorf("events %q", got)
	}
}

func TestOneMoreMemberAndOneLess(t *testing.T) {
	t.Parallel()
	s, env := running(t, only(toko(), "kasir"), recorder("http", healthy))
	role := s.Roles()[0]
	n, err := role.Start(t.Context(), 0)
	if err != nil || n != 2 || !slices.Equal(role.Instances(), []int{1, 2}) {
		t.Fatal(n, err, role.Instances())
	}
	eventually(t, "the second is ready", func() bool { return slices.Contains(events(env, "kasir/2"), "ready") })
	if err := role.Stop(t.Context(), 1); err != nil || !slices.Equal(role.Instances(), []int{2}) {
		t.Fatal(err, role.Instances())
	}
	for range 4 {
		if a := s.Send(t.Context(), "kasir", record("ok")); a.Phase != history.OK {
			t.Errorf("an event went to an instance that is away: %+v", a)
		}
	}
	if _, err := role.Start(t.Context(), 2); err == nil {
		t.Error("an instance that runs was started")
	}
	if _, err := role.Start(t.Context(), 7); err == nil {
		t.Error("an instance that nobody made was started")
	}
}

// fails starts a system that can't start and gives the sentence.
func fails(t *testing.T, yaml string) string {
	t.Helper()
	doc := only(toko(), "kasir")
	_, err := command(t, doc, yaml).Start(t.Context(), environment(t, doc))
	if err == nil {
		t.Fatal("it started")
	}
	return err.Error()
}

func TestAStartThatFailsSaysWhyInOneSentenceWithTheLastLines(t *testing.T) {
	t.Parallel()
	short := `    ready: {http: "http://127.0.0.1:{port}/healthz", within: 300ms}`
	for _, c := range []struct{ mode, ready, want, lines string }{
		{"dies", healthy, "kasir/1 ended before it was ready (exit code 3)", "cannot open the database"},
		{"deaf", short, "kasir/1 was not ready within 300ms; last seen: Get", "service begins: deaf"},
		{"http", `    ready: {line: "listening on", within: 300ms}`, "last seen: no line that matches listening on", "ready to listen"},
		{"http", `    ready: {group: penjumlah, within: 300ms}`, "nobody here can count the members of group penjumlah", ""},
		{"http", `    ready: {port: "{port}", within: 1ms}`, "was not ready within 1ms", ""},
	} {
		if got := fails(t, recorder(c.mode, c.ready)); !strings.Contains(got, c.want) || !strings.Contains(got, c.lines) {
			t.Errorf("%s: %s", c.mode, got)
		}
	}
}

func TestReadinessByLinePortAndNothing(t *testing.T) {
	t.Parallel()
	for _, ready := range []string{`    ready: {line: "^ready to .isten"}`, `    ready: {port: "{port}"}`, ""} {
		running(t, only(toko(), "kasir"), recorder("http", ready))
	}
}

func TestAGroupIsReadyWithAsManyMembersAsInstances(t *testing.T) {
	t.Parallel()
	doc := only(toko(), "gudang")
	env := environment(t, doc)
	var mu sync.Mutex
	asked := 0
	env.Group = func(_ context.Context, group string) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		if group != "penjumlah" {
			t.Errorf("group %s", group)
		}
		if asked == 1 {
			return 0, errors.New("the coordinator is loading")
		}
		return asked - 1, nil // one member more each time
	}
	c := command(t, doc, `
roles:
  penjumlah: {plays: [jumlahkan, umumkan], command: [SELF], env: {SERVICE: deaf}, instances: 2, stop: {within: 5s}}
`)
	s, err := c.Start(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if asked < 3 {
		t.Errorf("ready after %d questions, with one member of two", asked)
	}
}

func TestWhoIgnoresTheStopSignalIsKilledAndNamed(t *testing.T) {
	t.Parallel()
	yaml := strings.Replace(recorder("stubborn", healthy), "stop: {within: 2s}", "stop: {within: 200ms}", 1)
	s, env := running(t, only(toko(), "kasir"), yaml)
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	notes := strings.Join(s.Notes(), "\n")
	if !strings.Contains(notes, "kasir/1 did not obey TERM within 200ms and was killed") {
		t.Error(notes)
	}
	if kept, err := os.ReadFile(filepath.Join(env.Dir, "logs", "notes.txt")); err != nil || string(kept) != notes+"\n" {
		t.Errorf("%q, %v", kept, err)
	}
	if _, err := os.Stat(filepath.Join(env.Dir, "state")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state is to be removed: %v", err)
	}
}

func TestAServiceThatFloodsItsOutputIsServedAllTheSame(t *testing.T) {
	t.Parallel()
	s, env := running(t, only(toko(), "kasir"), recorder("flood", healthy))
	if a := s.Send(t.Context(), "kasir", record("ok")); a.Phase != history.OK {
		t.Errorf("%+v", a)
	}
	eventually(t, "the log is full", func() bool {
		info, err := os.Stat(filepath.Join(env.Dir, "logs", "kasir-1.log"))
		return err == nil && info.Size() > 10<<20-20_000
	})
	_ = s.Close(t.Context()) // a flood may be late to obey; that is not looked at here
	if info, err := os.Stat(filepath.Join(env.Dir, "logs", "kasir-1.log")); err != nil || info.Size() > 10<<20+100_000 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestTheLineOfReadinessIsLookedForAnewAtEachStart(t *testing.T) {
	t.Parallel()
	s, env := running(t, only(toko(), "kasir"), recorder("once", `    ready: {line: "first start", within: 1s}`))
	role := s.Roles()[0]
	if err := role.Kill(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if _, err := role.Start(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it is seen that it did not get ready again", func() bool { return len(s.Notes()) > 0 })
	if notes := strings.Join(s.Notes(), "\n"); !strings.Contains(notes, "kasir/1 was not ready within 1s") {
		t.Error(notes)
	}
	for _, e := range env.Rec.Events() {
		if e.Key == "ready" && e.Phase != history.OK && e.Phase != history.Fail {
			t.Errorf("%+v", e)
		}
	}
	if got := events(env, "kasir/1"); !slices.Equal(got, []string{"started", "ready", "killed", "started", "ready"}) {
		t.Errorf("events %q", got)
	}
}

func TestASetupIsRunOnceForAllRuns(t *testing.T) {
	t.Parallel()
	doc := only(toko(), "kasir")
	dir := t.TempDir()
	c := command(t, doc, "setup: [sh, -c, 'echo all >> "+dir+"/log']"+recorder("http", healthy, "    setup: [[sh, -c, 'echo one >> "+dir+"/log'], [sh, -c, 'echo two >> "+dir+"/log']]"))
	for range 2 {
		s, err := c.Start(t.Context(), environment(t, doc))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if log, err := os.ReadFile(filepath.Join(dir, "log")); err != nil || string(log) != "all\none\ntwo\n" {
		t.Errorf("%q, %v", log, err)
	}
	if got := fails(t, recorder("http", healthy, "    setup: [sh, -c, 'echo no compiler >&2; exit 9']")); !strings.Contains(got, "exit code 9") ||
		!strings.Contains(got, "no compiler") {
		t.Error(got)
	}
}

func TestNothingStartsAfterTheSystemIsClosed(t *testing.T) {
	t.Parallel()
	s, _ := running(t, only(toko(), "kasir"), recorder("http", healthy))
	role := s.Roles()[0]
	for range 2 {
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{0, 1} {
		if _, err := role.Start(t.Context(), n); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%v", err)
		}
	}
	if a := s.Send(t.Context(), "kasir", record("ok")); a.Phase != history.Unknown || a.Reached {
		t.Errorf("%+v", a)
	}
}
