package sut_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sut"
	"tahanuji/system/target"
)

func byName(t *testing.T, roles []target.Role, name string) target.Role {
	t.Helper()
	for _, r := range roles {
		if r.Name() == name {
			return r
		}
	}
	t.Fatalf("no role %s", name)
	return nil
}

// must fails a test on an error of a call that gives nothing else.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// calmRows is what the display shows of the same load when nothing is hurt.
func calmRows(t *testing.T, path string) string {
	t.Helper()
	st := perform(t, load(t, path), sut.Reference{}, nil)
	st.send(st.load.Sends)
	st.rest()
	return st.rows()
}

func TestTheReferencePlaysAnyDocument(t *testing.T) {
	t.Parallel()
	for _, path := range []string{sensorYAML, tokoYAML} {
		for _, sqlite := range []bool{false, true} {
			t.Run(fmt.Sprint(path, " in files: ", sqlite), func(t *testing.T) {
				t.Parallel()
				begun := time.Now()
				st := perform(t, load(t, path), sut.Reference{SQLite: sqlite}, nil)
				started := time.Since(begun)
				st.send(st.load.Sends)
				sent := time.Since(begun)
				st.rest()
				rows := st.rows()
				if strings.Count(rows, "\n") < 3 {
					t.Errorf("%s: rows\n%s", path, rows)
				}
				stored := st.events(history.OpStored, "")
				if stored < 2*100 {
					t.Errorf("%s: %d events of the store", path, stored)
				}
				t.Logf("%s, SQLite %v: started after %s, sent %d after %s, at rest after %s", st.doc.ID, sqlite, started.Round(time.Millisecond),
					len(st.load.Sends), sent.Round(time.Millisecond), time.Since(begun).Round(time.Millisecond))
			})
		}
	}
}

func TestAKilledRoleLosesNothingThatItPromised(t *testing.T) {
	t.Parallel()
	want := calmRows(t, sensorYAML)
	for _, kind := range []contract.Kind{contract.Recorder, contract.Summarizer, contract.Display} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			st := perform(t, load(t, sensorYAML), sut.Reference{}, nil)
			role := byName(t, st.sys.Roles(), st.roleOf(kind))
			var wait sync.WaitGroup
			wait.Go(func() { st.send(st.load.Sends) })
			for range 3 {
				time.Sleep(30 * time.Millisecond)
				must(t, role.Kill(t.Context(), 1))
				if on := role.Instances(); len(on) != 0 {
					t.Errorf("instances %v", on)
				}
				_, err := role.Start(t.Context(), 1)
				must(t, err)
			}
			wait.Wait()
			st.rest()
			if got := st.rows(); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if n := st.events(history.OpRole, "killed"); n != 3 {
				t.Errorf("%d kills in the history", n)
			}
		})
	}
}

func TestAFrozenRoleFallsSilentAndLosesItsPartitions(t *testing.T) {
	t.Parallel()
	want := calmRows(t, sensorYAML)
	st := perform(t, load(t, sensorYAML), sut.Reference{}, nil)
	role := byName(t, st.sys.Roles(), st.roleOf(contract.Summarizer))
	half := len(st.load.Sends) / 2
	st.send(st.load.Sends[:half])
	must(t, role.Pause(t.Context(), 1))
	members := func() int {
		g, err := st.look.Group(st.ctx, "perekap")
		if err != nil {
			t.Fatal(err)
		}
		return len(g.Members)
	}
	for limit := time.Now().Add(10 * time.Second); members() > 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("a frozen member kept its session: its heartbeats go on")
		}
	}
	stored := st.events(history.OpStored, "")
	st.send(st.load.Sends[half:])
	if n := st.events(history.OpStored, ""); n != stored {
		t.Errorf("a frozen role stored %d events", n-stored)
	}
	must(t, role.Resume(t.Context(), 1))
	st.rest()
	if got := st.rows(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAFrozenRecorderLetsItsSourceWait(t *testing.T) {
	t.Parallel()
	st := perform(t, load(t, tokoYAML), sut.Reference{}, nil)
	role := byName(t, st.sys.Roles(), st.load.Role)
	must(t, role.Pause(t.Context(), 1))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if a := st.sys.Send(ctx, st.load.Role, st.load.Sends[0].Event.Record); a.Phase != history.Unknown || !a.Reached {
		t.Errorf("%+v", a)
	}
	must(t, role.Resume(t.Context(), 1))
	st.send(st.load.Sends[:1])
	must(t, role.Kill(t.Context(), 1))
	if a := st.sys.Send(t.Context(), st.load.Role, st.load.Sends[0].Event.Record); a.Phase != history.Unknown || a.Reached {
		t.Errorf("nobody listens: %+v", a)
	}
}

func TestAHurtStoreDelaysAndLosesNothing(t *testing.T) {
	t.Parallel()
	want := calmRows(t, sensorYAML)
	for _, do := range []target.Verb{target.StoreFail, target.StoreFull, target.StoreSlow} {
		for _, kind := range []contract.Kind{contract.Recorder, contract.Summarizer} {
			t.Run(string(do)+" "+string(kind), func(t *testing.T) {
				t.Parallel()
				st := perform(t, load(t, sensorYAML), sut.Reference{}, nil)
				heal := st.sys.Store(st.roleOf(kind)).Hurt(do, 5*time.Millisecond)
				time.AfterFunc(100*time.Millisecond, func() {
					if acted := heal(); acted == 0 {
						t.Error("the fault did not act")
					}
				})
				st.send(st.load.Sends)
				st.rest()
				if got := st.rows(); got != want {
					t.Errorf("got\n%s\nwant\n%s", got, want)
				}
			})
		}
	}
	st := perform(t, load(t, sensorYAML), sut.Reference{}, nil)
	if st.sys.Store("display") != nil || st.sys.Store("nobody") != nil {
		t.Error("a display keeps nothing that could be hurt")
	}
}

func TestMembersComeAndGo(t *testing.T) {
	t.Parallel()
	want := calmRows(t, sensorYAML)
	st := perform(t, load(t, sensorYAML), sut.Reference{}, func(e *sut.Env) { e.Instances = map[string]int{"summarizer": 2} })
	role := byName(t, st.sys.Roles(), "summarizer")
	third := len(st.load.Sends) / 3
	st.send(st.load.Sends[:third])
	n, err := role.Start(t.Context(), 0)
	if err != nil || n != 3 {
		t.Fatal(n, err)
	}
	st.send(st.load.Sends[third : 2*third])
	must(t, role.Stop(t.Context(), 1))
	st.send(st.load.Sends[2*third:])
	st.rest()
	if got := st.rows(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if _, err := role.Start(t.Context(), 2); err == nil {
		t.Error("an instance that runs was started")
	}
	if _, err := role.Start(t.Context(), 9); err == nil {
		t.Error("an instance that nobody made was started")
	}
}

func TestStateIsEmptiedOnlyOfAStoppedRole(t *testing.T) {
	t.Parallel()
	for _, sqlite := range []bool{false, true} {
		st := perform(t, load(t, sensorYAML), sut.Reference{SQLite: sqlite}, nil)
		st.send(st.load.Sends)
		st.rest()
		role := byName(t, st.sys.Roles(), "summarizer")
		if err := st.sys.EmptyState(t.Context(), "summarizer"); err == nil {
			t.Error("the state of a role that runs was emptied")
		}
		must(t, role.Stop(t.Context(), 1))
		must(t, st.sys.EmptyState(t.Context(), "summarizer"))
		stored := st.events(history.OpStored, "")
		must(t, st.look.SetOffsets(st.ctx, "perekap", nil))
		_, err := role.Start(t.Context(), 1)
		must(t, err)
		st.calm()
		if n := st.events(history.OpStored, ""); n != stored {
			t.Errorf("%d events were stored again though no offset was set back", n-stored)
		}
	}
}

func TestAFlawIsSwitchedOn(t *testing.T) {
	t.Parallel()
	if _, err := (sut.Reference{}).Start(t.Context(), sut.Env{Doc: load(t, sensorYAML), Flaw: "no-such"}); err == nil ||
		!strings.Contains(err.Error(), "no-such") {
		t.Errorf("%v", err)
	}
	want := calmRows(t, sensorYAML)
	st := perform(t, load(t, sensorYAML), sut.Reference{}, func(e *sut.Env) { e.Flaw = "max-is-last" })
	st.send(st.load.Sends)
	st.rest()
	if st.rows() == want {
		t.Error("the flaw changes nothing")
	}
}

func TestAReferenceThatEndsByItselfIsSeenAndStaysAway(t *testing.T) {
	t.Parallel()
	st := perform(t, load(t, sensorYAML), sut.Reference{}, func(e *sut.Env) { e.Flaw = "poison-ends-role" })
	cl, err := kgo.NewClient(kgo.SeedBrokers(st.addrs...))
	must(t, err)
	defer cl.Close()
	must(t, cl.ProduceSync(st.ctx, &kgo.Record{Topic: "m8-suhu-kejadian", Value: []byte("poison")}).FirstErr())
	for limit := time.Now().Add(10 * time.Second); st.events(history.OpRole, "exited") == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("the role did not end")
		}
	}
	for _, e := range st.rec.Events() {
		if e.Op == history.OpRole && e.Key == "exited" && (e.Proc != "summarizer/1" || e.Tag != "never") {
			t.Errorf("%+v", e)
		}
	}
	if on := byName(t, st.sys.Roles(), "summarizer").Instances(); len(on) != 0 {
		t.Errorf("instances %v", on)
	}
	must(t, st.sys.Close(t.Context()))
	if notes := strings.Join(st.sys.Notes(), "; "); !strings.Contains(notes, "summarizer/1 ended by itself: ") {
		t.Errorf("notes %q", notes)
	}
}
