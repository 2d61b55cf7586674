package proxy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"tahanuji/faults/proxy/wire"
	"tahanuji/system/history"
)

// late sends a copy of a request again after the step's For, on a connection of the proxy's own, whatever became of the one
// that it came on: a packet that was long under way. The copy goes to the node that the request went to, or to the others in
// turn where that node answers that it is not the right one. A request that the broker refused is not copied: the step waits for
// another then.
func (p *Proxy) late(c *conn, s *slot) {
	claim := s.claim
	twin := &slot{q: s.q, view: p.reader.Request(s.q.Body), copy: true, claim: claim}
	ex := c.exchange(twin)
	ex.Fault, ex.Do, ex.Conn = claim.arm.step.Name, string(claim.arm.step.Do.Do), 0
	p.arms.begin()
	p.wg.Add(1)
	go func() {
		defer p.wg.Done()
		defer p.arms.end()
		t := time.NewTimer(max(claim.arm.step.Do.For, 0))
		defer t.Stop()
		select {
		case <-t.C:
		case <-claim.arm.released:
		case <-p.ctx.Done():
			claim.release()
			return
		}
		if p.ledger.refused(s.rec) {
			claim.release()
			return
		}
		twin.at = time.Now()
		ex.At = p.cfg.Started()
		p.send(c, twin, ex)
	}()
}

// refused says whether the broker answered a request with an error.
func (l *ledger) refused(r *record) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.ex.Applied != history.OK {
		return false
	}
	return slices.ContainsFunc(r.ex.Items, func(it history.Item) bool { return it.Code != 0 })
}

// send delivers a late copy and completes its exchange.
func (p *Proxy) send(c *conn, twin *slot, ex history.Exchange) {
	_, addrs := p.targets(anyNode)
	nodes := slices.Sorted(maps.Keys(addrs))
	if i := slices.Index(nodes, c.node); i > 0 {
		nodes[0], nodes[i] = nodes[i], nodes[0]
	}
	last := fmt.Errorf("no node is known")
	for _, node := range nodes {
		ex.Node = node
		twin.rec = p.ledger.begin(ex)
		resp, err := p.again(addrs[node], twin)
		if errors.Is(err, errUnanswered) { // the broker has it; what a member asked for meanwhile may have taken the answer's place
			p.ledger.lost(twin.rec, err.Error())
			twin.claim.act(twin.said(c, "came again later; the copy had no answer"))
			return
		}
		if err != nil {
			last = err
			p.ledger.lost(twin.rec, err.Error())
			continue
		}
		if resp == nil {
			p.ledger.finish(twin.rec, func(*history.Exchange) {})
			twin.claim.act(twin.said(c, "came again later"))
			return
		}
		twin.view = p.reader.Request(twin.q.Body)
		p.keep(twin, resp)
		p.ledger.finish(twin.rec, func(e *history.Exchange) { e.Took = time.Since(twin.at) })
		code := twin.view.Failed()
		if elsewhere(code) {
			last = fmt.Errorf("node %d: %w", node, kerr.ErrorForCode(code))
			continue
		}
		twin.claim.act(twin.said(c, "came again later; the copy was answered "+wire.CodeName(code)))
		return
	}
	p.ledger.change(twin.rec, func(e *history.Exchange) { e.Err = last.Error() })
	twin.claim.release()
}

// elsewhere says whether a code means that another node is the right one.
func elsewhere(code int16) bool {
	return slices.Contains([]int16{
		kerr.NotLeaderForPartition.Code, kerr.NotCoordinator.Code, kerr.UnknownTopicOrPartition.Code, kerr.CoordinatorNotAvailable.Code,
	}, code)
}

// errUnanswered: a late copy reached the broker, and no answer came in time.
var errUnanswered = errors.New("the copy was delivered and had no answer")

// copyLimit is how long a late copy's answer is waited for. A JoinGroup whose member joins anew meanwhile is never answered.
const copyLimit = 2 * time.Second

// again writes a request's own bytes to a node and reads the answer; nil where the protocol has none. What was delivered and not
// answered is errUnanswered.
func (p *Proxy) again(addr string, s *slot) (kmsg.Response, error) {
	ctx, cancel := context.WithTimeout(p.ctx, askLimit)
	defer cancel()
	up, err := p.own(ctx, addr)
	if err != nil {
		return nil, err
	}
	defer func() { _ = up.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = up.Close() })
	defer stop()
	if _, err := up.Write(s.q.Raw); err != nil {
		return nil, fmt.Errorf("late copy: %w", err)
	}
	if s.unanswered() {
		return nil, nil // the protocol has no answer to acks=0
	}
	if err := up.SetReadDeadline(time.Now().Add(copyLimit)); err != nil {
		return nil, fmt.Errorf("late copy: %w", err)
	}
	resp, err := receive(up, s.q)
	if err != nil && p.ctx.Err() == nil {
		return nil, fmt.Errorf("%w: %w", errUnanswered, err)
	}
	return resp, err
}

// own opens a connection of the proxy's own, authenticated where the cluster asks for it.
func (p *Proxy) own(ctx context.Context, addr string) (net.Conn, error) {
	c, err := p.connect(ctx, addr)
	if err != nil {
		return nil, err
	}
	if p.cfg.Auth == nil {
		return c, nil
	}
	if err := p.cfg.Auth(ctx, c); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("connect: authenticate: %w", err)
	}
	return c, nil
}

// ask sends one request of the proxy's own and reads its answer.
func (p *Proxy) ask(ctx context.Context, addr string, req kmsg.Request) (kmsg.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	c, err := p.own(ctx, addr)
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	return exchange(c, req, 1)
}
