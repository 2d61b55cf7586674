package explore

import (
	"fmt"
	"math/rand"
	"slices"
	"strconv"
	"strings"
	"time"

	"tahanuji/faults"
	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/sim/model"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// Draw is the n-th plan of the seed.
func (e *Explorer) Draw(n int) (Plan, error) {
	number := strconv.Itoa(n)
	rng := seed.Rand(e.cfg.Seed, "plan", number)
	p := e.Blank(seed.Derive(e.cfg.Seed, "model", number), rng.Intn(e.cfg.Loads))
	p.Members, p.Gap = 1+rng.Intn(e.cfg.Members), Gaps()[rng.Intn(len(Gaps()))]
	p.Replay = e.cfg.Replay > 0 && rng.Intn(e.cfg.Replay) == 0
	load, err := e.loads.of(p)
	if err != nil {
		return p, err
	}
	// Every second plan goes for one kind of role alone: real defects need two faults that meet.
	on := kinds[:]
	if rng.Intn(2) == 0 {
		k := rng.Intn(len(kinds))
		on = kinds[k : k+1]
	}
	for range rng.Intn(e.cfg.Faults + 1) {
		p.Steps = append(p.Steps, e.fault(rng, load, on, p.Members)...)
	}
	for range rng.Intn(e.cfg.Crashes + 1) {
		p.Steps = append(p.Steps, e.crash(rng, load, on)...)
	}
	rename(p.Steps)
	return p, nil
}

// Blank is a plan without steps over the number-th load.
func (e *Explorer) Blank(own uint64, number int) Plan {
	return Plan{Seed: own, Events: e.cfg.Events, LoadSeed: seed.Derive(e.cfg.Seed, "load", strconv.Itoa(number)), Members: 1}
}

// Gaps are the longest pauses of the source between two sends that are drawn: a flood, a stream, and single drops.
func Gaps() []time.Duration {
	return []time.Duration{time.Millisecond, 5 * time.Millisecond, 40 * time.Millisecond}
}

// Add aims one more use of a fault, or of a crash point where name is Crash, and adds its steps to a plan. Equal seeds aim
// alike. False says that the fault can't be aimed at that kind of role.
func (e *Explorer) Add(p Plan, name string, kind contract.Kind, from uint64) (Plan, bool, error) {
	load, err := e.loads.of(p)
	if err != nil {
		return p, false, err
	}
	rng := seed.Rand(from, "aim")
	var steps []target.Step
	if name == Crash {
		steps = e.crash(rng, load, []contract.Kind{kind})
	} else if f, ok := faults.Named(name); ok && suits(name, kind) {
		steps, err = f.Aim(rng, e.on(load, kind, p.Members))
	}
	if err != nil || len(steps) == 0 {
		return p, false, nil // nothing to take hold of
	}
	p.Steps = append(slices.Clone(p.Steps), steps...)
	rename(p.Steps)
	return p, true, nil
}

// Crash names the use of a crash point at a call of a role's port.
const Crash = "crash"

func rename(steps []target.Step) {
	for i := range steps {
		steps[i].Name = fmt.Sprintf("%s#%d", steps[i].Fault, i)
	}
}

func (e *Explorer) on(load *workload.Load, kind contract.Kind, members int) faults.Aim {
	on := faults.Aim{Doc: e.cfg.Doc, Load: load, Kind: kind, Members: 1}
	if kind == contract.Summarizer {
		on.Members = members
	}
	return on
}

// suits says whether a fault may be aimed at a kind of role: the source knows one recorder and the reader one display.
func suits(name string, kind contract.Kind) bool {
	return !strings.HasPrefix(name, "member-") || kind == contract.Summarizer
}

// kinds of roles that faults are aimed at.
var kinds = [...]contract.Kind{contract.Recorder, contract.Summarizer, contract.Display}

// fault aims one fault at one of the kinds of roles; a fault that can't be aimed at it draws another.
func (e *Explorer) fault(rng *rand.Rand, load *workload.Load, kinds []contract.Kind, members int) []target.Step {
	all := faults.All()
	if e.cfg.Only != nil {
		all = slices.DeleteFunc(all, func(f faults.Fault) bool { return !slices.Contains(e.cfg.Only, f.Name) })
	}
	if len(all) == 0 {
		return nil
	}
	const tries = 20
	for range tries {
		f, kind := all[rng.Intn(len(all))], kinds[rng.Intn(len(kinds))]
		if !suits(f.Name, kind) {
			continue
		}
		if steps, err := f.Aim(rng, e.on(load, kind, members)); err == nil {
			return steps
		}
	}
	return nil
}

// crash kills a role of one of the kinds at a call of its port, once an event of the load's last two thirds reached it.
func (e *Explorer) crash(rng *rand.Rand, load *workload.Load, kinds []contract.Kind) []target.Step {
	flows := slices.DeleteFunc(slices.Clone(e.cfg.Doc.Flows), func(f contract.Flow) bool { return !slices.Contains(kinds, f.Kind) })
	all := load.Valid()
	if len(flows) == 0 || len(all) == 0 {
		return nil
	}
	flow := flows[rng.Intn(len(flows))]
	calls := model.Calls()
	at := target.Moment{API: calls[rng.Intn(len(calls))], Role: flow.Role}
	event := all[len(all)/3+rng.Intn(len(all)-len(all)/3)].Label
	if flow.Kind == contract.Display {
		at.After = event // it never sees events
	} else {
		at.Carries = event
	}
	return []target.Step{{Fault: "role-killed", At: at,
		Do: target.Action{Do: target.Kill, Before: rng.Intn(2) == 0, For: time.Duration(100+100*rng.Intn(5)) * time.Millisecond}}}
}
