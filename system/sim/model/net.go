package model

import (
	"fmt"
	"slices"
	"time"

	"tahanuji/system/history"
	"tahanuji/system/target"
)

// APIs that the model's clients call, by the Kafka protocol's names.
const (
	apiProduce     = "Produce"
	apiFetch       = "Fetch"
	apiJoin        = "JoinGroup"
	apiSync        = "SyncGroup"
	apiHeartbeat   = "Heartbeat"
	apiLeave       = "LeaveGroup"
	apiCommit      = "OffsetCommit"
	apiOffsetFetch = "OffsetFetch"
	apiCreate      = "CreateTopics"
)

// APIs are the requests that the model's clients make, by the Kafka protocol's names.
func APIs() []string {
	return []string{apiProduce, apiFetch, apiJoin, apiSync, apiHeartbeat, apiLeave, apiCommit, apiOffsetFetch}
}

// class of a connection: clients lay out theirs so that a long wait holds up nothing else (franz-go: produce, fetch, group,
// and one for all the rest). A held request holds up those behind it on its connection.
type class int

const (
	classRest class = iota
	classProduce
	classFetch
	classGroup
	classes
)

// request is what an exchange carries. apply runs at the broker and sees to it that x.reply is called, now or later; answer
// runs at the client, once, with lost set when there was no answer.
type request interface {
	apply(x *exchange)
	answer(x *exchange, lost bool)
}

// exchange is one request on its way. Item codes: Code is the broker's, ToldCode what the client got.
type exchange struct {
	w          *world
	from       *Process
	api        string
	node       int32
	class      class
	group      string
	member     string
	generation int32
	acks       int16
	items      []history.Item
	body       request
	entry      int // index in the ledger, -1: none
	arrived    time.Duration
	step       *step
	told       int16 // code that a fault tells
	lose       string
	isCopy     bool
	replied    bool
	answered   bool
	sent       bool // it has arrived at the broker's side, and the answer is on its way
	gone       bool // there will be no answer
}

// Happen implements virtual.Event: the request arrives, or its answer does.
func (x *exchange) Happen() {
	if !x.sent {
		x.sent = true
		x.arrive()
		return
	}
	x.finish(x.gone)
}

// back lets the answer, or the end of the connection, arrive at the client d from now.
func (x *exchange) back(d time.Duration, gone bool) {
	x.gone = gone
	x.w.loop.Due(d, x)
}

// call sends a request.
func (w *world) call(x *exchange) {
	x.w, x.entry = w, -1
	at := max(w.loop.Now()+w.latency(), x.from.blocked[x.class])
	w.loop.Due(at-w.loop.Now(), x)
}

// arrive is the moment at which the request stands before the broker.
func (x *exchange) arrive() {
	w := x.w
	if x.from.dead && w.rng.IntN(2) == 0 {
		return // the process was killed before its bytes were out
	}
	if w.nodes[x.node].down {
		x.lost("node is down")
		return
	}
	x.arrived = w.loop.Now()
	s := w.plan.match(x, false)
	x.note(s)
	if s == nil {
		x.body.apply(x)
		return
	}
	w.act(x, s)
}

// note writes the exchange to the ledger.
func (x *exchange) note(s *step) {
	w := x.w
	if w.cfg.NoLedger && s == nil {
		return
	}
	x.entry = len(w.ledger)
	e := history.Exchange{Seq: int64(len(w.ledger) + 1), At: x.arrived, Door: x.from.door, Conn: x.from.conn + int64(x.class), Client: x.from.client,
		Node: x.node, API: x.api, Group: x.group, Member: x.member, Generation: x.generation, Acks: x.acks,
		Applied: history.Unknown, Told: history.Unknown, Copy: x.isCopy, Items: x.items}
	if s != nil {
		e.Fault, e.Do = s.Name, string(s.Do.Do)
	}
	w.ledger = append(w.ledger, e)
}

// reply sends the broker's answer back; a second one is dropped.
func (x *exchange) reply() {
	if x.replied {
		return
	}
	w := x.w
	if x.api == apiFetch && !x.isCopy && x.step == nil && !x.from.dead {
		if s := w.plan.match(x, true); s != nil {
			if x.entry < 0 {
				x.note(s)
			}
			w.ledger[x.entry].Fault, w.ledger[x.entry].Do = s.Name, string(s.Do.Do)
			if w.actOnFetch(x, s) {
				return
			}
		}
	}
	x.settle()
}

func (x *exchange) settle() {
	if x.replied {
		return
	}
	x.replied = true
	w := x.w
	for i := range x.items {
		x.items[i].ToldCode = x.items[i].Code
		if x.told != 0 {
			x.items[i].ToldCode = x.told
		}
	}
	if x.entry >= 0 {
		e := &w.ledger[x.entry]
		e.Took, e.Applied, e.Told = w.loop.Now()-x.arrived, history.OK, history.OK
		switch {
		case x.isCopy, x.lose != "":
			e.Told = history.Unknown
		case x.told != 0:
			e.Told = history.Fail
		}
	}
	switch {
	case x.isCopy:
	case x.lose == "silence":
		after := w.time.Request
		if x.step != nil {
			after = orTime(x.step.Do.For, after) // the connection is then reset
		}
		x.back(after, true)
	case x.lose != "":
		x.back(w.latency(), true)
	default:
		x.back(w.latency(), false)
	}
}

// refuse answers without the broker having seen the request.
func (x *exchange) refuse(code int16) {
	w := x.w
	x.replied = true
	for i := range x.items {
		x.items[i].ToldCode, x.items[i].Offset = code, asked(x, x.items[i].Offset)
	}
	x.told = code
	if x.entry >= 0 {
		w.ledger[x.entry].Applied, w.ledger[x.entry].Told = history.Fail, history.Fail
	}
	x.back(w.latency(), false)
}

// asked is what an item's offset shows when the broker never answered.
func asked(x *exchange, offset int64) int64 {
	if x.api == apiProduce {
		return -1
	}
	return offset
}

// lost ends the connection before the broker saw the request.
func (x *exchange) lost(why string) {
	w := x.w
	x.replied = true
	if x.entry >= 0 {
		e := &w.ledger[x.entry]
		e.Applied, e.Told, e.Err = history.Fail, history.Unknown, why
	}
	after := w.latency()
	if x.lose == "silence" {
		after = w.time.Request
	}
	x.back(after, true)
}

func (x *exchange) finish(lost bool) {
	if x.answered || x.from.dead {
		return
	}
	if x.from.paused {
		x.from.when(func() { x.finish(lost) })
		return
	}
	x.answered = true
	x.body.answer(x, lost)
}

// code is what the client was told of the first item.
func (x *exchange) code() int16 {
	if len(x.items) == 0 {
		return x.told
	}
	return x.items[0].ToldCode
}

// again lets the broker see the request once more.
func (x *exchange) again() {
	c := *x
	c.isCopy, c.replied, c.lose, c.told, c.step = true, false, "", 0, x.step
	c.items = slices.Clone(x.items)
	c.arrived, c.entry = x.w.loop.Now(), -1
	if x.w.nodes[c.node].down {
		return
	}
	c.note(x.step)
	c.body.apply(&c)
}

// act does what a step says to a request that stands before the broker.
func (w *world) act(x *exchange, s *step) {
	x.step = s
	d := s.Do
	switch d.Do {
	case target.NotApplied:
		w.acted(s, "%s of %s was not applied and answered with code %d", x.api, x.from.door, d.Code)
		x.refuse(d.Code)
	case target.Applied:
		x.told = d.Code
		w.acted(s, "%s of %s was applied and answered with code %d", x.api, x.from.door, d.Code)
		x.body.apply(x)
	case target.AckLost:
		x.lose = orRST(d.How)
		w.acted(s, "the answer to %s of %s was lost (%s)", x.api, x.from.door, x.lose)
		x.body.apply(x)
	case target.CutBefore:
		x.lose = orRST(d.How)
		w.acted(s, "%s of %s was cut before the broker saw it (%s)", x.api, x.from.door, x.lose)
		x.lost("cut by a fault")
	case target.Copy:
		w.acted(s, "%s of %s reached the broker twice", x.api, x.from.door)
		x.body.apply(x)
		x.again()
	case target.LateCopy:
		w.acted(s, "%s of %s reached the broker again %v later", x.api, x.from.door, d.For)
		x.body.apply(x)
		w.hold(s, d.For, x.again)
	case target.Hold:
		w.acted(s, "%s of %s was held for %v", x.api, x.from.door, d.For)
		x.from.blocked[x.class] = max(x.from.blocked[x.class], w.loop.Now()+d.For)
		w.hold(s, d.For, func() {
			if w.nodes[x.node].down {
				x.lost("node is down")
				return
			}
			x.body.apply(x)
		})
	case target.Kill, target.Stop, target.Pause:
		w.actOnRole(x, s)
	case target.Join, target.Leave, target.NodeDown, target.LeaderMove, target.CoordinatorMove,
		target.StoreFail, target.StoreFull, target.StoreSlow, target.Poison:
		w.fire(s, x)
		x.body.apply(x)
	case target.SendTwice, target.SendLater, target.Reorder, target.Late, target.Invalid, target.Burst:
		x.body.apply(x) // verbs on the input: the load holds them already
	}
}

func (w *world) actOnRole(x *exchange, s *step) {
	if s.Do.Before {
		x.replied = true
		if x.entry >= 0 {
			w.ledger[x.entry].Applied = history.Fail
		}
		w.fire(s, x)
		if !x.from.dead {
			x.replied = false
			x.lose = "rst"
			x.lost("cut by a fault")
		}
		return
	}
	x.lose = "rst"
	x.body.apply(x)
	w.fire(s, x)
}

// actOnFetch does what a step says to the answer of a Fetch; it says whether the answer is dealt with.
func (w *world) actOnFetch(x *exchange, s *step) bool {
	x.step = s
	d := s.Do
	switch d.Do {
	case target.NotApplied, target.Applied:
		w.acted(s, "Fetch of %s was answered with code %d", x.from.door, d.Code)
		x.told = d.Code
	case target.AckLost, target.CutBefore:
		x.lose = orRST(d.How)
		w.acted(s, "the answer to Fetch of %s was lost (%s)", x.from.door, x.lose)
	case target.Hold:
		w.acted(s, "the answer to Fetch of %s was held for %v", x.from.door, d.For)
		w.hold(s, d.For, x.settle)
		return true
	case target.Copy, target.LateCopy:
		// A copied Fetch is refused by its session's epoch: nothing comes of it.
	case target.Kill, target.Stop, target.Pause, target.Join, target.Leave, target.NodeDown, target.LeaderMove, target.CoordinatorMove,
		target.StoreFail, target.StoreFull, target.StoreSlow, target.Poison:
		w.fire(s, x)
	case target.SendTwice, target.SendLater, target.Reorder, target.Late, target.Invalid, target.Burst:
	}
	return false
}

func orRST(how string) string {
	if how == "" {
		return "rst"
	}
	return how
}

func (w *world) acted(s *step, format string, args ...any) {
	s.count++
	if len(s.what) < 5 {
		s.what = append(s.what, fmt.Sprintf(format, args...))
	}
	w.faultSeen(s)
	if !lasting(s.Do.Do) && s.left == 0 {
		w.faultHealed(s)
	}
}

// lasting says whether a verb acts for a while.
func lasting(v target.Verb) bool {
	return slices.Contains([]target.Verb{target.Kill, target.Stop, target.Pause, target.Hold, target.LateCopy, target.NodeDown,
		target.StoreFail, target.StoreFull, target.StoreSlow}, v)
}
