package proxy

import (
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"tahanuji/faults/proxy/wire"
	"tahanuji/system/history"
	"tahanuji/system/target"
)

// answer takes one answer of the broker; false ends the connection, because the answer can't be passed on.
func (c *conn) answer(raw []byte) bool {
	c.mu.Lock()
	if len(c.owed) == 0 {
		c.mu.Unlock()
		return false
	}
	s := c.owed[0]
	c.owed = c.owed[1:]
	c.mu.Unlock()
	resp, err := wire.ParseResponse(raw, s.q)
	if err != nil {
		s.claim.release()
		c.p.ledger.lost(s.rec, err.Error())
		return false
	}
	out, err := c.truth(s, resp, raw)
	if err != nil {
		s.claim.release()
		c.p.ledger.lost(s.rec, err.Error())
		return false
	}
	if s.copy {
		c.copied(s)
		return true
	}
	if s.claim == nil {
		s.claim = c.p.arms.match(func(a *Armed) bool { return a.late && a.meets(c.p, c.door, wire.Name(s.q.Key), &s.view) })
	}
	if s.claim != nil {
		out = c.alter(s, resp, out)
	}
	c.ready(s, out)
	return true
}

// truth keeps what the answer says and makes it fit for the client: addresses rewritten, versions clamped.
func (c *conn) truth(s *slot, resp kmsg.Response, raw []byte) ([]byte, error) {
	c.p.learn(resp)
	changed, err := wire.Rewrite(resp, c.p.reroute(c.door))
	if err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	if v, ok := resp.(*kmsg.ApiVersionsResponse); ok {
		wire.Clamp(v)
		changed = true
	}
	c.p.keep(s, resp)
	if changed {
		raw = wire.AppendResponse(nil, s.q.Corr, resp)
	}
	return raw, nil
}

// keep puts the truth of an exchange into the ledger and the places, before the client hears anything.
func (p *Proxy) keep(s *slot, resp kmsg.Response) {
	places := p.reader.Response(&s.view, resp)
	p.places.add(places)
	if key := kmsg.Key(s.q.Key); key == kmsg.OffsetCommit || key == kmsg.TxnOffsetCommit || key == kmsg.OffsetFetch {
		p.places.commit(&s.view)
	}
	p.ledger.change(s.rec, func(ex *history.Exchange) {
		ex.Applied = history.OK
		ex.Member, ex.Generation = s.view.Member, s.view.Generation
		ex.Items = slices.Clone(s.view.Items)
	})
}

// copied completes the exchange of a copy.
func (c *conn) copied(s *slot) {
	if code := s.view.Failed(); elsewhere(code) { // it went to the wrong node: nothing was done even once
		s.claim.release()
	} else {
		s.claim.act(s.said(c, "was passed on twice; the copy was answered "+wire.CodeName(code)))
	}
	c.p.ledger.finish(s.rec, func(ex *history.Exchange) { ex.Took = time.Since(s.at) })
}

// alter does what the claimed step says once the broker has answered. Where the broker itself refused the request there is
// nothing to hide from the client: the true answer goes out and the step waits for another moment.
func (c *conn) alter(s *slot, resp kmsg.Response, out []byte) []byte {
	arm := s.claim.arm
	do := arm.step.Do
	if do.Do == target.LateCopy { // the copy takes care of itself, if there is to be one
		if s.view.Failed() != 0 {
			c.forget(s)
		}
		return out
	}
	if s.view.Failed() != 0 || arm.healed() {
		c.forget(s)
		return out
	}
	c.p.ledger.change(s.rec, func(ex *history.Exchange) { ex.Fault, ex.Do = arm.step.Name, string(do.Do) })
	if arm.hook != nil {
		return c.hookedLate(s, out)
	}
	if change, ok := onAnswers[do.Do]; ok {
		return change(c, s, resp, out)
	}
	c.forget(s)
	return out
}

// onAnswers are the verbs that change what the client hears. CutBefore and NotApplied are here for reads that are known by
// their answer.
var onAnswers = map[target.Verb]func(c *conn, s *slot, resp kmsg.Response, out []byte) []byte{
	target.NotApplied: (*conn).blame,
	target.Applied:    (*conn).blame,
	target.AckLost:    (*conn).lose,
	target.CutBefore:  (*conn).lose,
	target.Hold:       (*conn).holdAnswer,
}

// blame tells the client an error instead of the true answer.
func (c *conn) blame(s *slot, resp kmsg.Response, out []byte) []byte {
	do := s.claim.arm.step.Do
	if !wire.Blame(resp, do.Code) {
		c.forget(s)
		return out
	}
	s.made = true
	c.p.ledger.change(s.rec, func(ex *history.Exchange) { tellCode(ex, do.Code) })
	what := "was applied and answered "
	if do.Do == target.NotApplied {
		what = "had its answer replaced by "
	}
	s.claim.act(s.said(c, what+wire.CodeName(do.Code)))
	return wire.AppendResponse(nil, s.q.Corr, resp)
}

// lose keeps the answer from the client.
func (c *conn) lose(s *slot, _ kmsg.Response, _ []byte) []byte {
	s.end = s.claim.arm.how()
	s.claim.act(s.said(c, "was applied, and its answer lost by "+s.end))
	return nil
}

// holdAnswer keeps the answer to a Fetch back, and with it all that come behind it on this connection.
func (c *conn) holdAnswer(s *slot, _ kmsg.Response, out []byte) []byte {
	arm := s.claim.arm
	var fire <-chan time.Time
	if d := arm.step.Do.For; d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		fire = t.C
	}
	from := time.Now()
	select {
	case <-fire:
	case <-arm.released:
	case <-c.left:
	case <-c.dead:
	}
	s.claim.act(s.said(c, "had its answer held for "+time.Since(from).Round(time.Millisecond).String()))
	return out
}

// hookedLate calls the step's hook once the broker applied the request, before the client hears.
func (c *conn) hookedLate(s *slot, out []byte) []byte {
	arm := s.claim.arm
	arm.hook(target.WithDoor(c.p.ctx, target.Door{Role: c.door.role, Instance: c.door.instance}))
	if !arm.isKill() {
		s.claim.act(s.said(c, fmt.Sprintf("was applied, met the moment of %s, and was answered after it", arm.step.Do.Do)))
		return out
	}
	s.end = rst
	s.claim.act(s.said(c, "was applied, and its sender killed before the answer"))
	return nil
}
