// Package model runs the roles of a system on a broker in memory, in virtual time, on one goroutine: producers with
// sequence numbers and retries, consumer groups with generations and sessions, stores with transactions, faults at named
// moments. It yields the history that a real run would yield. It knows no protocol bytes, no replication lag and no
// retention, and judges nothing.
package model

import (
	"context"
	"time"

	"tahanuji/reference/port"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sut"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// Moments that only the model has: the calls of a role through its port. A step with one of them at Moment.API kills the
// role there (target.Kill, Before or after the call took effect); Carries wants the record with that label to have reached
// the role before: by a poll, or by the source. On a real broker such a step never acts.
const (
	CallUpdate   = "port.Update"
	CallSend     = "port.Send"
	CallWait     = "port.Wait"
	CallPoll     = "port.Poll"
	CallCommit   = "port.Commit"
	CallSleep    = "port.Sleep"
	CallProducer = "port.NewProducer"
	CallConsumer = "port.NewConsumer"
	CallStore    = "port.OpenStore"
)

// Calls are all of the above.
func Calls() []string {
	return []string{CallUpdate, CallSend, CallWait, CallPoll, CallCommit, CallSleep, CallProducer, CallConsumer, CallStore}
}

// Program is one process of a role. Its cores run side by side and return when ctx ends; the process ends with the first that
// fails, or with the last. The other fields may be nil. Ready says that events are taken; it must not wait.
type Program struct {
	Cores  []func(ctx context.Context) error
	Ready  func() bool
	Accept func(ctx context.Context, record []byte) sut.Answer
	Rows   func() ([]sut.Row, error)
}

// Role is a role that the model runs.
type Role struct {
	Name string
	// New makes a process's program; see Process for what it gets.
	New func(p *Process) Program
}

// Config of one run.
type Config struct {
	Doc   *contract.Document
	Roles []Role
	// Load is the input, Sends what the source sends of it once the plan's verbs on the input are applied; nil applies them.
	Load  *workload.Load
	Sends []workload.Send
	Steps []target.Step
	// Seed draws latencies, member ids, and what else a real system leaves to chance.
	Seed uint64
	// Members is the number of instances of each role at the start; 0 is 1.
	Members map[string]int
	// Nodes of the broker; 0 is 3.
	Nodes int
	// Paced sends each event at its event time; otherwise the source sends as fast as the recorder takes. The roles' clock shows
	// Load.Base at the start.
	Paced bool
	// Replay adds the two replays, with state kept and emptied.
	Replay bool
	// NoLedger leaves out exchanges that no step touched, and samples of lag.
	NoLedger bool
	// NoStored leaves out what stores committed.
	NoStored bool
	// Label names records; nil is workload.Identify.
	Label  func(topic string, value []byte) string
	Timing Timing
}

// Timing in virtual time; a zero field has the default that its comment names.
type Timing struct {
	Latency   time.Duration // one way, drawn from 0 to it: 2 ms
	Session   time.Duration // of group members: 1.5 s
	Heartbeat time.Duration // 200 ms
	Rebalance time.Duration // how long the coordinator waits for members to join again: 2 s
	FetchWait time.Duration // long poll: 250 ms
	Gap       time.Duration // between two sends of the source, drawn from 0 to it: 40 ms; not in bursts and not when paced
	Backoff   time.Duration // between retries of a client: 100 ms
	Request   time.Duration // a client gives up an answer: 3 s
	AutoCommit,
	Accept, // the source gives up an answer: 10 s
	Settle, // nothing new for so long is quiet: 1 s
	Within, // limit of each wait for quiet: 60 s
	Load, // limit of the load: 10 min, in a paced run beyond the last send
	Lag time.Duration // between samples of lag: 100 ms; in a paced run 1 h
}

func (t Timing) filled(paced bool) Timing {
	or := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	or(&t.Latency, 2*time.Millisecond)
	or(&t.Session, 1500*time.Millisecond)
	or(&t.Heartbeat, 200*time.Millisecond)
	or(&t.Gap, 40*time.Millisecond)
	or(&t.Rebalance, 2*time.Second)
	or(&t.FetchWait, 250*time.Millisecond)
	or(&t.Backoff, 100*time.Millisecond)
	or(&t.Request, 3*time.Second)
	or(&t.AutoCommit, 50*time.Millisecond)
	or(&t.Accept, 10*time.Second)
	or(&t.Settle, time.Second)
	or(&t.Within, time.Minute)
	or(&t.Load, 10*time.Minute)
	if paced {
		or(&t.Lag, time.Hour)
	}
	or(&t.Lag, 100*time.Millisecond)
	return t
}

// Result of a run.
type Result struct {
	History *history.History
	Acted   []target.Acted
	// Unsettled says in one sentence what a wait for quiet last saw when its limit passed; "" if all was quiet in time.
	Unsettled string
	// Virtual is how long the run took in virtual time, Took in steps of the scheduler.
	Virtual time.Duration
	Took    int
}

var _ port.Port = (*Process)(nil)

// Lacks says what the model can't show, each with the reason.
func Lacks() map[contract.Feature]string {
	return map[contract.Feature]string{
		contract.NeedsReplication: "the model keeps one copy of each log",
		contract.NeedsRetention:   "the model's logs are kept for ever",
	}
}
