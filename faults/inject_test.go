package faults_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tahanuji/faults"
	"tahanuji/system/history"
	"tahanuji/system/target"
)

// rig is a system of fakes in virtual time.
type rig struct {
	idle int // times that a store is hurt and nobody touches it
	*diary
	door    *door
	moments *moments
	workers *process
	set     faults.Set
}

func newRig() *rig {
	d := &diary{start: time.Now()}
	r := &rig{diary: d, door: &door{}, moments: &moments{at: map[string]history.Position{"event:7": {Topic: "t", Partition: 1, Offset: 9}}}}
	r.workers = &process{diary: d, name: "worker", count: 2}
	r.set = faults.Set{
		Requests: faults.Through(r.door), Moments: r.moments, Roles: []target.Role{r.workers}, Nodes: cluster{d},
		Store: func(role string) target.Store {
			if role != "worker" {
				return nil
			}
			return cupboard{d, 3, &r.idle}
		},
		Poison: func(_ context.Context, topic string, partition int32, key, value []byte) error {
			d.note("poison %s/%d %s", topic, partition, key)
			return nil
		},
	}
	return r
}

func (r *rig) inject(t *testing.T, steps ...target.Step) *faults.Running {
	t.Helper()
	running, err := faults.Injector{Set: r.set}.Inject(t.Context(), steps)
	if err != nil {
		t.Fatal(err)
	}
	return running
}

func heal(t *testing.T, running *faults.Running) []target.Acted {
	t.Helper()
	acted, err := running.Heal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return acted
}

func (r *rig) want(t *testing.T, lines ...string) {
	t.Helper()
	if got := r.all(); !reflect.DeepEqual(got, lines) {
		t.Errorf("what happened:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

func counts(acted []target.Acted) string {
	var out []string
	for _, a := range acted {
		out = append(out, fmt.Sprintf("%s %d/%d", a.Step, a.Count, a.Matched))
	}
	return strings.Join(out, ", ")
}

func after(label string, do target.Action) target.Step {
	return target.Step{Name: string(do.Do), Fault: "x", At: target.Moment{After: label}, Do: do}
}

func TestKillAtARequestHitsTheInstanceWhoseRequestItIsAndStartsItAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		step := target.Step{Name: "k", Fault: "role-killed", At: target.Moment{API: "OffsetCommit", Role: "worker", Passes: "event:7"}, Do: target.Action{Do: target.Kill, For: time.Second}}
		running := r.inject(t, step)
		r.door.meet(0, target.Door{Role: "worker", Instance: 2})
		if err := running.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := counts(heal(t, running)); got != "k 1/1" {
			t.Errorf("acted: %s", got)
		}
		r.want(t, "0s kill worker/2", "1s start worker/2")
	})
}

func TestHealWaitsForARestartThatIsPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		running := r.inject(t, after("rest", target.Action{Do: target.Kill, Role: "worker", Member: 1, For: time.Second}))
		r.moments.reach("rest")
		synctest.Wait()
		heal(t, running)
		r.want(t, "0s kill worker/1", "1s start worker/1")
	})
}

func TestHealStartsWhatWasKilledForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		running := r.inject(t, after("rest", target.Action{Do: target.Kill, Role: "worker", Member: 1, For: -1}))
		r.moments.reach("rest")
		if err := running.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		heal(t, running)
		r.want(t, "0s kill worker/1", "1m0s start worker/1")
	})
}

func TestWaitingForSomeStepsIsOverBeforeTheOthersAct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		rests := func(s target.Step) bool { return s.At.After == "rest" }
		running := r.inject(t,
			after("rest", target.Action{Do: target.Kill, Role: "worker", Member: 1, For: time.Second}),
			after("event:7", target.Action{Do: target.Kill, Role: "worker", Member: 2, For: time.Second}))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		r.moments.reach("rest")
		if err := running.WaitFor(ctx, rests); err != nil {
			t.Fatal(err)
		}
		if err := running.WaitFor(ctx, func(s target.Step) bool { return !rests(s) }); err == nil {
			t.Error("the step that waits for event:7 is said to have acted")
		}
		heal(t, running)
		r.want(t, "0s kill worker/1", "1s start worker/1")
	})
}

func TestHealSaysWhatDoesNotComeUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		r.workers.fails = true
		running := r.inject(t, after("rest", target.Action{Do: target.Kill, Role: "worker", Member: 1}))
		r.moments.reach("rest")
		synctest.Wait()
		acted, err := running.Heal(t.Context())
		if err == nil {
			t.Error("no error although the role does not come up")
		}
		if got := counts(acted); got != "kill 1/1" {
			t.Errorf("acted: %s", got)
		}
	})
}

func TestAStepWhoseMomentNeverCameHasNotActed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		running := r.inject(t,
			after("event:7", target.Action{Do: target.Kill, Role: "worker"}),
			target.Step{Name: "cut", Fault: "produce-cut", At: target.Moment{API: "Produce", Carries: "event:7"}, Do: target.Action{Do: target.CutBefore, How: "rst"}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := running.Wait(ctx); err == nil || !strings.Contains(err.Error(), "kill, cut") {
			t.Errorf("waiting says %v, want the names of both steps", err)
		}
		acted := heal(t, running)
		if got := counts(acted); got != "kill 0/0, cut 0/0" {
			t.Errorf("acted: %s", got)
		}
		if !r.door.arms[0].isDisarmed() {
			t.Error("the request step is still armed after healing")
		}
		r.moments.reach("event:7")
		synctest.Wait()
		r.want(t)
	})
}

func TestWhatAFaultOnRequestsDidIsWhatTheProxySays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		step := target.Step{Name: "h", Fault: "heartbeat-held", At: target.Moment{API: "Heartbeat"}, Do: target.Action{Do: target.Hold, For: 9 * time.Second}}
		running := r.inject(t, step)
		r.door.meet(0, target.Door{})
		synctest.Wait()
		begun := time.Now()
		if got := counts(heal(t, running)); got != "h 1/1" {
			t.Errorf("acted: %s", got)
		}
		if took := time.Since(begun); took != 9*time.Second {
			t.Errorf("healing let go what is held after %v, want 9s", took)
		}
	})
}

func TestAPlanThatNeedsWhatIsNotThereIsRefused(t *testing.T) {
	step := after("event:7", target.Action{Do: target.NodeDown})
	r := newRig()
	r.set.Nodes = nil
	if _, err := (faults.Injector{Set: r.set}).Inject(t.Context(), []target.Step{step}); err == nil {
		t.Error("no error without nodes")
	}
	for _, bad := range []target.Step{
		{Name: "a", At: target.Moment{API: "Nonsense"}, Do: target.Action{Do: target.Hold}},
		{Name: "b", At: target.Moment{After: "rest"}, Do: target.Action{Do: target.Hold}},
		{Name: "c", At: target.Moment{After: "rest"}, Do: target.Action{Do: target.Kill, Role: "nobody"}},
		{Name: "d", At: target.Moment{After: "rest"}, Do: target.Action{Do: target.StoreFail, Role: "nobody"}},
		{Name: "e", At: target.Moment{After: "rest"}, Do: target.Action{Do: "sing"}},
	} {
		r := newRig()
		good := target.Step{Name: "good", At: target.Moment{API: "Produce"}, Do: target.Action{Do: target.Hold}}
		if _, err := (faults.Injector{Set: r.set}).Inject(t.Context(), []target.Step{good, bad}); err == nil {
			t.Errorf("step %s: no error", bad.Name)
		}
		for _, a := range r.door.arms {
			if !a.isDisarmed() {
				t.Errorf("step %s: %s is still armed", bad.Name, a.step.Name)
			}
		}
	}
}

func TestInputStepsAreNotInjected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		running := r.inject(t, after("event:7", target.Action{Do: target.Late}))
		if acted := heal(t, running); len(acted) != 0 {
			t.Errorf("acted: %v", acted)
		}
	})
}

func TestHealCutsShortWhatItsLimitDoesNotReach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		running := r.inject(t, after("rest", target.Action{Do: target.Kill, Role: "worker", Member: 1, For: time.Hour}))
		r.moments.reach("rest")
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		acted, err := running.Heal(ctx)
		if err == nil || !strings.Contains(err.Error(), "kill") {
			t.Errorf("healing says %v, want the name of the step", err)
		}
		if got := counts(acted); got != "kill 1/1" {
			t.Errorf("acted: %s", got)
		}
		r.want(t, "0s kill worker/1", "5s start worker/1")
	})
}

func TestStepsOutliveTheContextThatTheyWereArmedWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		ctx, cancel := context.WithCancel(t.Context())
		running, err := faults.Injector{Set: r.set}.Inject(ctx, []target.Step{after("rest", target.Action{Do: target.Pause, Role: "worker", Member: 1, For: 9 * time.Second})})
		if err != nil {
			t.Fatal(err)
		}
		r.moments.reach("rest")
		synctest.Wait()
		cancel()
		heal(t, running)
		r.want(t, "0s pause worker/1", "9s resume worker/1")
	})
}

func TestEveryActionIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		var told []string
		r.set.Tell = func(n faults.Notice) { told = append(told, fmt.Sprintf("%s %v %s", n.Step.Name, n.Healed, n.What)) }
		running := r.inject(t, after("rest", target.Action{Do: target.Kill, Role: "worker", Member: 2, For: time.Second}))
		r.moments.reach("rest")
		synctest.Wait()
		heal(t, running)
		want := []string{"kill false worker/2 was killed at the moment when all is calm", "kill true worker/2 was started again"}
		if !reflect.DeepEqual(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	})
}

func TestHealingEndsWhatTheProxyStillHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig()
		running := r.inject(t, target.Step{Name: "s", Fault: "produce-ack-lost", At: target.Moment{API: "Produce"}, Do: target.Action{Do: target.AckLost, How: "silence"}})
		r.door.meet(0, target.Door{})
		heal(t, running)
		if r.door.healed != 1 {
			t.Errorf("the proxy was healed %d times", r.door.healed)
		}
	})
}
