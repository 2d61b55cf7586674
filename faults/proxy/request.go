package proxy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tahanuji/faults/proxy/wire"
	"tahanuji/system/history"
	"tahanuji/system/target"
)

// request acts on one request; false ends the connection's reading. What can't be read is not passed on: nobody could say
// what it does or where its answer leads, and the embedded broker ends the process on an unknown key.
func (c *conn) request(raw []byte) bool {
	select {
	case <-c.dead:
		return false
	default:
	}
	q, err := wire.ParseRequest(raw)
	s := &slot{q: q, at: time.Now()}
	if err == nil && q.Body != nil {
		s.view = c.p.reader.Request(q.Body)
	}
	s.rec = c.p.ledger.begin(c.exchange(s))
	if err != nil {
		c.never(s, err.Error())
		c.end(rst)
		return false
	}
	if c.silent() {
		c.never(s, "the connection is silent")
		return true
	}
	if q.Body == nil {
		c.older(s)
		return true
	}
	s.claim = c.p.arms.match(func(a *Armed) bool { return !a.late && a.meets(c.p, c.door, wire.Name(q.Key), &s.view) })
	if s.claim == nil {
		return c.forward(s)
	}
	return c.act(s)
}

// older answers an ApiVersions of a version that can't be read, as a broker does that does not know it (KIP-511).
func (c *conn) older(s *slot) {
	s.made = true
	c.p.ledger.change(s.rec, func(ex *history.Exchange) {
		ex.Applied, ex.Err = history.Fail, "the version is not known here: answered by the proxy"
	})
	c.push(s, false, true)
	c.ready(s, wire.AppendResponse(nil, s.q.Corr, wire.Unsupported()))
}

func (c *conn) exchange(s *slot) history.Exchange {
	return history.Exchange{
		At: c.p.cfg.Started(), Door: c.door.name, Conn: c.id, Client: s.q.Client, Node: c.node,
		API: wire.Name(s.q.Key), Version: s.q.Version,
		Group: s.view.Group, Member: s.view.Member, Generation: s.view.Generation, Acks: s.view.Acks,
		Items: slices.Clone(s.view.Items), Copy: s.copy,
	}
}

func (c *conn) silent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mute
}

// never completes the exchange of a request that the broker did not get.
func (c *conn) never(s *slot, why string) {
	c.p.ledger.finish(s.rec, func(ex *history.Exchange) { ex.Applied, ex.Err = history.Fail, why })
}

// unanswered says whether the protocol has no answer to a request: a Produce with acks=0.
func (s *slot) unanswered() bool { return wire.NoAnswer(s.q.Body) }

// forward passes a request on. Its answer is put in line first, because it may come before Write returns.
func (c *conn) forward(s *slot) bool {
	none := s.unanswered()
	if !none {
		c.push(s, true, !s.copy)
	}
	if _, err := c.up.Write(s.q.Raw); err != nil {
		if none {
			c.p.ledger.lost(s.rec, "the broker's side of the connection is gone")
		}
		c.end(rst) // the answers' goroutine completes what is owed
		return false
	}
	if none {
		c.p.ledger.finish(s.rec, func(*history.Exchange) {})
	}
	return true
}

// act does what the claimed step says before the broker sees the request.
func (c *conn) act(s *slot) bool {
	arm := s.claim.arm
	do := arm.step.Do
	c.p.ledger.change(s.rec, func(ex *history.Exchange) { ex.Fault, ex.Do = arm.step.Name, string(do.Do) })
	if arm.hook != nil {
		return c.hooked(s)
	}
	if first, ok := onRequests[do.Do]; ok {
		return first(c, s)
	}
	if s.unanswered() { // what acts on the answer has nothing to alter or to lose
		c.forget(s)
	}
	return c.forward(s)
}

// onRequests are the verbs that act before the broker sees the request.
var onRequests = map[target.Verb]func(*conn, *slot) bool{
	target.NotApplied: (*conn).refuse,
	target.CutBefore:  (*conn).cut,
	target.Copy:       (*conn).twice,
	target.LateCopy:   (*conn).again,
	target.Hold:       (*conn).hold,
}

// cut ends the connection instead of passing the request on.
func (c *conn) cut(s *slot) bool {
	c.never(s, "cut before it was passed on")
	c.drop(s, s.claim.arm.how())
	return false
}

// again passes the request on and has it come again later.
func (c *conn) again(s *slot) bool {
	c.p.late(c, s)
	return c.forward(s)
}

// forget gives a claim back that can't act here.
func (c *conn) forget(s *slot) {
	s.claim.release()
	s.claim = nil
	c.p.ledger.change(s.rec, func(ex *history.Exchange) { ex.Fault, ex.Do = "", "" })
}

// drop ends the connection; the claim has acted.
func (c *conn) drop(s *slot, how string) {
	c.leave(how)
	s.claim.act(s.said(c, "was not passed on, and the connection ended by "+how))
}

// refuse answers in the broker's place, behind the answers that are still owed.
func (c *conn) refuse(s *slot) bool {
	code := s.claim.arm.step.Do.Code
	resp, ok := wire.Refuse(s.q.Body, code)
	if !ok || s.unanswered() {
		c.forget(s)
		return c.forward(s)
	}
	s.made = true
	c.p.ledger.change(s.rec, func(ex *history.Exchange) {
		ex.Applied = history.Fail
		tellCode(ex, code)
	})
	c.push(s, false, true)
	s.claim.act(s.said(c, fmt.Sprintf("was answered %s and not passed on", wire.CodeName(code))))
	c.ready(s, wire.AppendResponse(nil, s.q.Corr, resp))
	return true
}

// tellCode writes into an exchange that the client was told an error.
func tellCode(ex *history.Exchange, code int16) {
	for i := range ex.Items {
		ex.Items[i].ToldCode = code
		if ex.API == "Produce" {
			ex.Items[i].ToldOffset = -1
		}
	}
	if len(ex.Items) == 0 {
		ex.Items = []history.Item{{Partition: -1, Offset: -1, ToldCode: code}}
	}
}

// twice passes a request on and its copy right behind it. The copy's answer goes to nobody.
func (c *conn) twice(s *slot) bool {
	twin := &slot{q: s.q, view: c.p.reader.Request(s.q.Body), at: s.at, copy: true, claim: s.claim}
	none := s.unanswered()
	s.claim = nil
	arm := twin.claim.arm
	if !c.forward(s) {
		twin.claim.release()
		return false
	}
	ex := c.exchange(twin)
	ex.Fault, ex.Do = arm.step.Name, string(arm.step.Do.Do)
	twin.rec = c.p.ledger.begin(ex)
	ok := c.forward(twin)
	if none && ok {
		twin.claim.act(twin.said(c, "was passed on twice"))
	}
	return ok
}

// hold keeps a request back, and with it all that comes behind it on this connection.
func (c *conn) hold(s *slot) bool {
	arm := s.claim.arm
	var fire <-chan time.Time
	if d := arm.step.Do.For; d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		fire = t.C
	}
	select {
	case <-fire:
	case <-arm.released:
	case <-c.left:
		return c.lapse(s)
	case <-c.dead:
		return c.lapse(s)
	}
	s.claim.act(s.said(c, "was held for "+time.Since(s.at).Round(time.Millisecond).String()))
	s.claim = nil
	return c.forward(s)
}

// lapse drops a held request whose connection ended.
func (c *conn) lapse(s *slot) bool {
	s.claim.act(s.said(c, "was held until its connection ended, and dropped"))
	c.never(s, "held until its connection ended")
	return false
}

// hooked calls the step's hook before the broker sees the request, or leaves that to the answer.
func (c *conn) hooked(s *slot) bool {
	arm := s.claim.arm
	if !arm.step.Do.Before {
		if s.unanswered() {
			c.forget(s)
		}
		return c.forward(s)
	}
	arm.hook(target.WithDoor(c.p.ctx, target.Door{Role: c.door.role, Instance: c.door.instance}))
	if !arm.isKill() {
		s.claim.act(s.said(c, fmt.Sprintf("met the moment of %s and was passed on after it", arm.step.Do.Do)))
		s.claim = nil
		return c.forward(s)
	}
	c.never(s, "its sender was killed before it was passed on")
	c.drop(s, rst)
	return false
}

// said is the sentence about what happened to a request.
func (s *slot) said(c *conn, what string) string {
	var labels []string
	for _, it := range s.view.Items {
		for _, l := range it.Labels {
			if l != "" && len(labels) < 3 {
				labels = append(labels, l)
			}
		}
	}
	with := ""
	if len(labels) > 0 {
		with = " with " + strings.Join(labels, ", ")
	}
	return fmt.Sprintf("%s of %s%s to node %d %s", wire.Name(s.q.Key), c.door.name, with, c.node, what)
}
