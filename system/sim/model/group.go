package model

import (
	"slices"
	"time"

	"tahanuji/reference/port"
)

// APIs that the model's clients call, by the Kafka protocol's names.
const (
	apiProduce      = "Produce"
	apiFetch        = "Fetch"
	apiJoin         = "JoinGroup"
	apiSync         = "SyncGroup"
	apiHeartbeat    = "Heartbeat"
	apiLeave        = "LeaveGroup"
	apiCommit       = "OffsetCommit"
	apiOffsetFetch  = "OffsetFetch"
	apiInitProducer = "InitProducerId"
)

type groupState int

const (
	stateEmpty groupState = iota
	statePreparing
	stateCompleting
	stateStable
)

// group is a classic consumer group as its coordinator keeps it (Kafka's group protocol; no static members).
type group struct {
	w          *world
	name       string
	node       int32
	state      groupState
	generation int32
	members    []*member // in the order in which they came; the first one leads
	offsets    map[port.Partition]int64
	deadline   uint64 // of the rebalance that waits, so that an older timer is known
}

type member struct {
	id     string
	topics []string
	seen   time.Duration
	join   *exchange
	sync   *exchange
	plan   []port.Partition
}

func (w *world) group(name string) *group {
	g := w.groups[name]
	if g == nil {
		g = &group{w: w, name: name, node: int32(len(w.groups) % len(w.nodes)), offsets: map[port.Partition]int64{}}
		w.groups[name] = g
		w.groupOrder = append(w.groupOrder, g)
	}
	return g
}

func (g *group) find(id string) *member {
	for _, m := range g.members {
		if m.id == id {
			return m
		}
	}
	return nil
}

// join is JoinGroup. The answer waits until all members have come, or the rebalance's limit.
func (g *group) join(x *exchange, id string, topics []string) {
	m := g.find(id)
	if m != nil && (g.state == stateCompleting || g.state == stateStable && m != g.members[0]) {
		m.seen = g.w.loop.Now()
		x.body.(*joining).told(g, 0)
		x.reply()
		return
	}
	if m == nil {
		m = &member{id: id, topics: topics}
		g.members = append(g.members, m)
		g.watch(m)
	}
	m.seen = g.w.loop.Now()
	m.join = x
	if g.state != statePreparing {
		g.prepare()
	}
	g.complete(false)
}

// prepare begins a rebalance: members learn of it at their heartbeat, and come again until its limit.
func (g *group) prepare() {
	g.state = statePreparing
	g.deadline++
	this := g.deadline
	for _, m := range g.members {
		if m.sync != nil {
			m.sync.body.(*syncing).told(nil, codeRebalance)
			m.sync.reply()
			m.sync = nil
		}
	}
	g.w.loop.After(g.w.time.Rebalance, func() {
		if g.state == statePreparing && g.deadline == this {
			g.complete(true)
		}
	})
}

// complete ends the joining when all have come; late says that those who have not are out.
func (g *group) complete(late bool) {
	if g.state != statePreparing {
		return
	}
	if late {
		g.members = slices.DeleteFunc(g.members, func(m *member) bool { return m.join == nil })
	}
	if len(g.members) == 0 {
		g.state = stateEmpty
		g.generation++
		return
	}
	for _, m := range g.members {
		if m.join == nil {
			return
		}
	}
	g.generation++
	g.state = stateCompleting
	for _, m := range g.members {
		x := m.join
		m.join, m.seen, m.plan = nil, g.w.loop.Now(), nil
		x.body.(*joining).told(g, 0)
		x.reply()
	}
}

// sync is SyncGroup: the leader's brings the assignment, the others' wait for it.
func (g *group) sync(x *exchange, id string, generation int32, plans map[string][]port.Partition) {
	b := x.body.(*syncing)
	m := g.find(id)
	code := g.check(m, generation)
	if code == 0 && g.state == statePreparing {
		code = codeRebalance
	}
	if code != 0 {
		b.told(nil, code)
		x.reply()
		return
	}
	m.seen = g.w.loop.Now()
	if g.state == stateStable {
		b.told(m.plan, 0)
		x.reply()
		return
	}
	m.sync = x
	if plans == nil {
		return
	}
	g.state = stateStable
	for _, m := range g.members {
		m.plan = plans[m.id]
		if m.sync != nil {
			m.sync.body.(*syncing).told(m.plan, 0)
			m.sync.reply()
			m.sync = nil
		}
	}
}

// check is the code for a request of a member in a generation.
func (g *group) check(m *member, generation int32) int16 {
	switch {
	case m == nil:
		return codeUnknownMember
	case generation != g.generation:
		return codeGeneration
	}
	return 0
}

func (g *group) heartbeat(id string, generation int32) int16 {
	m := g.find(id)
	if code := g.check(m, generation); code != 0 {
		return code
	}
	m.seen = g.w.loop.Now()
	if g.state == statePreparing {
		return codeRebalance
	}
	return 0
}

// mayCommit is the code for a commit: only member and generation are checked, not who owns what.
func (g *group) mayCommit(id string, generation int32) int16 {
	if id == "" && generation < 0 && g.state == stateEmpty {
		return 0
	}
	m := g.find(id)
	if code := g.check(m, generation); code != 0 {
		return code
	}
	m.seen = g.w.loop.Now()
	if g.state == stateCompleting {
		return codeRebalance
	}
	return 0
}

// remove takes a member out: it left, or its session ended.
func (g *group) remove(id string) {
	m := g.find(id)
	if m == nil {
		return
	}
	g.members = slices.DeleteFunc(g.members, func(o *member) bool { return o == m })
	if g.state == stateStable || g.state == stateCompleting {
		g.prepare()
	}
	g.complete(false)
}

// watch ends a member's session when nothing was heard of it for so long. A member that waits in a join is not watched.
func (g *group) watch(m *member) {
	now := g.w.loop.Now()
	left := g.w.time.Session
	if m.seen > 0 {
		left = m.seen + g.w.time.Session - now
	}
	g.w.loop.After(max(left, time.Millisecond), func() {
		if g.find(m.id) != m {
			return
		}
		if m.join != nil {
			m.seen = g.w.loop.Now()
		}
		if g.w.loop.Now()-m.seen >= g.w.time.Session {
			g.remove(m.id)
			return
		}
		g.watch(m)
	})
}
