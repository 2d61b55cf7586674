package model

import (
	"time"

	"tahanuji/system/history"
	"tahanuji/system/sim/cluster"
	"tahanuji/system/target"
)

// fire does what a step says to roles, nodes, stores or topics. x is the request that was its moment, nil if none.
func (w *world) fire(s *step, x *exchange) {
	d := s.Do
	switch d.Do {
	case target.Kill, target.Stop, target.Pause, target.Leave:
		p := w.victim(s, x)
		if p == nil {
			return
		}
		w.hurt(s, p)
	case target.Join:
		if r := w.roles[orElse(d.Role, s.At.Role)]; r != nil {
			n := r.next()
			w.acted(s, "%s/%d joined", r.Name, n.number)
			n.start()
		}
	case target.NodeDown:
		w.nodeDown(s, x)
	case target.LeaderMove:
		if p := w.partitionOf(s, x); p != nil && len(w.nodes) > 1 {
			p.leader = (p.leader + 1) % int32(len(w.nodes))
			w.acted(s, "the leader of %s/%d moved to node %d", p.topic.name, p.n, p.leader)
			for _, f := range p.waiting {
				f.wake()
			}
			p.waiting = nil
		}
	case target.CoordinatorMove:
		if g := w.groupOf(s, x); g != nil && len(w.nodes) > 1 {
			g.Node = (g.Node + 1) % int32(len(w.nodes))
			w.acted(s, "the coordinator of %s moved to node %d", g.Name, g.Node)
		}
	case target.StoreFail, target.StoreFull, target.StoreSlow:
		if r := w.roles[orElse(d.Role, s.At.Role)]; r != nil {
			r.sick = append(r.sick, &sickness{step: s, until: w.loop.Now() + orTime(d.For, time.Second), left: max(1, s.Budget)})
			w.faultSeen(s)
		}
	case target.Poison:
		w.poison(s)
	case target.NotApplied, target.Applied, target.AckLost, target.CutBefore, target.Copy, target.LateCopy, target.Hold,
		target.SendTwice, target.SendLater, target.Reorder, target.Late, target.Invalid, target.Burst:
	}
}

func (w *world) hurt(s *step, p *instance) {
	d := s.Do
	r := p.role
	switch d.Do { //nolint:exhaustive // these four are the verbs on roles; actions dispatches the others
	case target.Kill:
		w.acted(s, "%s was killed at %s", p.door, s.At)
		p.kill()
		if d.For >= 0 {
			w.hold(s, d.For, p.start)
		} else {
			p.away = true
		}
	case target.Pause:
		w.acted(s, "%s was paused for %v", p.door, d.For)
		p.pause()
		w.hold(s, d.For, p.resume)
	case target.Leave:
		w.acted(s, "%s of %s left", p.door, r.Name)
		p.away = true
		p.stop(nil)
	default:
		w.acted(s, "%s was asked to stop", p.door)
		p.stop(func() { w.hold(s, d.For, p.start) })
	}
}

// victim is the instance that a role action hits: the one named, else the one of the request, else the first that is up.
func (w *world) victim(s *step, x *exchange) *instance {
	d := s.Do
	name := orElse(d.Role, s.At.Role)
	if name == "" && x != nil {
		name = x.from.role.Name
	}
	r := w.roles[name]
	if r == nil {
		return nil
	}
	member := d.Member
	if member == 0 && x != nil && x.from.role == r {
		member = x.from.number
	}
	if member == 0 && (d.Role == "" || d.Role == s.At.Role) {
		member = s.At.Member
	}
	for _, p := range r.instances {
		if (member == 0 || p.number == member) && p.proc != nil && !p.proc.dead {
			return p
		}
	}
	return nil
}

func (w *world) nodeDown(s *step, x *exchange) {
	id := int32(0)
	switch s.Do.Of {
	case "leader":
		if p := w.partitionOf(s, x); p != nil {
			id = p.leader
		}
	case "coordinator":
		if g := w.groupOf(s, x); g != nil {
			id = g.Node
		}
	}
	if w.nodes[id].down {
		return
	}
	w.nodes[id].down = true
	w.acted(s, "node %d was down for %v", id, s.Do.For)
	w.hold(s, s.Do.For, func() { w.nodes[id].down = false })
}

// partitionOf is the partition of the step's record, or of the request's first item.
func (w *world) partitionOf(s *step, x *exchange) *partition {
	for _, label := range []string{s.At.Carries, s.At.Passes, s.At.After} {
		if at, ok := w.where[label]; ok {
			return w.partition(at.Topic, at.Partition)
		}
	}
	if x != nil && len(x.items) > 0 {
		return w.partition(x.items[0].Topic, x.items[0].Partition)
	}
	return nil
}

func (w *world) groupOf(s *step, x *exchange) *cluster.Group {
	if x != nil && x.group != "" {
		return w.groups[x.group]
	}
	name := orElse(s.Do.Role, s.At.Role)
	for _, f := range w.cfg.Doc.Flows {
		if f.Group != "" && (f.Role == name || name == "") {
			return w.group(f.Group)
		}
	}
	return nil
}

// poison writes a record that breaks its schema, to the partition of the moment's record where that is in the same topic.
func (w *world) poison(s *step) {
	topic := s.Do.Of
	p := w.partition(topic, w.where[s.At.After].Partition)
	if at := w.where[s.At.After]; at.Topic != topic || p == nil {
		p = w.partition(topic, 0)
	}
	key, value, how, err := w.cfg.Load.Poison(topic, s.At.After, s.Name)
	if err != nil || p == nil {
		return // nothing acted: the step says so by its count
	}
	const op, tag = history.OpSend, "poison"
	begun := w.add(history.Event{Proc: "harness", Op: op, Phase: history.Invoke, Tag: tag, Key: tag, Value: string(value)})
	where := &history.Position{Topic: topic, Partition: p.n, Offset: int64(len(p.Records))}
	w.append(p, []cluster.Record{{Key: key, Value: value, At: w.clock()}}, -1, -1, -1)
	w.add(history.Event{Proc: "harness", Op: op, Phase: history.OK, Of: begun, Tag: tag, Key: tag, Where: where})
	w.acted(s, "a record (%s) was written to %s/%d", how, topic, p.n)
}

// hold does fn once d from now, or when all faults are healed, whichever is first.
func (w *world) hold(s *step, d time.Duration, fn func()) {
	h := &held{step: s, fn: fn}
	w.holds = append(w.holds, h)
	w.loop.After(d, func() { w.release(h) })
}

// held is what ends a fault.
type held struct {
	step *step
	fn   func()
}

func (w *world) release(h *held) {
	if h.fn == nil {
		return
	}
	fn := h.fn
	h.fn = nil
	fn()
	w.faultHealed(h.step)
}

// heal ends every fault that acts; none begins after it.
func (w *world) heal() {
	for _, s := range w.plan.all {
		s.left = 0
	}
	for len(w.holds) > 0 {
		holds := w.holds
		w.holds = nil
		for _, h := range holds {
			w.release(h)
		}
	}
	for _, r := range w.order {
		for _, s := range r.sick {
			w.faultHealed(s.step)
		}
		r.sick = nil
	}
	for i := range w.nodes {
		w.nodes[i].down = false
	}
}

func (w *world) faultSeen(s *step) {
	if s.invoked == 0 {
		what := ""
		if len(s.what) > 0 {
			what = s.what[0]
		}
		s.invoked = w.add(history.Event{Op: history.OpFault, Phase: history.Invoke, Key: s.Name, Value: what, Tag: s.Fault})
	}
}

func (w *world) faultHealed(s *step) {
	if s.invoked != 0 && !s.healed {
		s.healed = true
		w.add(history.Event{Op: history.OpFault, Phase: history.OK, Of: s.invoked, Key: s.Name, Tag: s.Fault})
	}
}
