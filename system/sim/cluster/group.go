package cluster

import (
	"cmp"
	"slices"
	"time"

	"tahanuji/reference/port"
	"tahanuji/system/sim/virtual"
)

type groupState int

const (
	stateEmpty groupState = iota
	statePreparing
	stateCompleting
	stateStable
)

// Group is a classic consumer group as its coordinator keeps it (Kafka's group protocol; no static members).
type Group struct {
	Name    string
	Node    int32 // the coordinator
	Offsets map[port.Partition]int64

	loop       *virtual.Loop
	session    time.Duration
	rebalance  time.Duration
	state      groupState
	generation int32
	members    []*member // in the order in which they came; the first one leads
	deadline   uint64    // of the rebalance that waits, so that an older timer is known
}

type member struct {
	id     string
	topics []string
	seen   time.Duration
	join   func(Joined)
	sync   func([]port.Partition, int16)
	plan   []port.Partition
}

// Joined is the answer to a join.
type Joined struct {
	Code       int16
	Generation int32
	Leads      bool     // the member is to assign the partitions
	Members    []Member // all, for the one that leads
}

// Member is a member as its leader sees it.
type Member struct {
	ID     string
	Topics []string
}

// NewGroup is an empty group. A member that is silent for session is out; members have rebalance to join again.
func NewGroup(loop *virtual.Loop, name string, node int32, session, rebalance time.Duration) *Group {
	return &Group{Name: name, Node: node, Offsets: map[port.Partition]int64{}, loop: loop, session: session, rebalance: rebalance}
}

// Size is the number of members.
func (g *Group) Size() int { return len(g.members) }

func (g *Group) find(id string) *member {
	for _, m := range g.members {
		if m.id == id {
			return m
		}
	}
	return nil
}

// Join is JoinGroup. The answer comes when all members have joined, or after the rebalance's limit.
func (g *Group) Join(id string, topics []string, answer func(Joined)) {
	m := g.find(id)
	if m != nil && (g.state == stateCompleting || g.state == stateStable && m != g.members[0]) {
		m.seen = g.loop.Now()
		answer(g.joined(m))
		return
	}
	if m == nil {
		m = &member{id: id, topics: topics}
		g.members = append(g.members, m)
		m.seen = g.loop.Now()
		g.watch(m, g.session)
	}
	m.seen, m.join = g.loop.Now(), answer
	if g.state != statePreparing {
		g.prepare()
	}
	g.complete(false)
}

func (g *Group) joined(m *member) Joined {
	j := Joined{Generation: g.generation, Leads: m == g.members[0]}
	for _, o := range g.members {
		j.Members = append(j.Members, Member{o.id, o.topics})
	}
	return j
}

// prepare begins a rebalance: members learn of it at their heartbeat, and join again until its limit.
func (g *Group) prepare() {
	g.state = statePreparing
	g.deadline++
	this := g.deadline
	for _, m := range g.members {
		m.answer(nil, Rebalance)
	}
	g.loop.After(g.rebalance, func() {
		if g.state == statePreparing && g.deadline == this {
			g.complete(true)
		}
	})
}

// answer answers the sync that a member waits for, if it does.
func (m *member) answer(plan []port.Partition, code int16) {
	if sync := m.sync; sync != nil {
		m.sync = nil
		sync(plan, code)
	}
}

// complete ends the joining when all have come; late says that those who have not are out.
func (g *Group) complete(late bool) {
	if g.state != statePreparing {
		return
	}
	if late {
		g.members = slices.DeleteFunc(g.members, func(m *member) bool { return m.join == nil })
	}
	if slices.ContainsFunc(g.members, func(m *member) bool { return m.join == nil }) {
		return
	}
	g.generation++
	if len(g.members) == 0 {
		g.state = stateEmpty
		return
	}
	g.state = stateCompleting
	for _, m := range slices.Clone(g.members) {
		join := m.join
		m.join, m.seen, m.plan = nil, g.loop.Now(), nil
		join(g.joined(m))
	}
}

// Sync is SyncGroup: the leader's brings the assignment (plans not nil), the others' wait for it.
func (g *Group) Sync(id string, generation int32, plans map[string][]port.Partition, answer func([]port.Partition, int16)) {
	m := g.find(id)
	code := g.check(m, generation)
	if code == 0 && g.state == statePreparing {
		code = Rebalance
	}
	if code != 0 {
		answer(nil, code)
		return
	}
	m.seen = g.loop.Now()
	if g.state == stateStable {
		answer(m.plan, 0)
		return
	}
	m.sync = answer
	if plans == nil {
		return
	}
	g.state = stateStable
	for _, m := range g.members {
		m.plan = plans[m.id]
		m.answer(m.plan, 0)
	}
}

// check is the code for a request of a member in a generation.
func (g *Group) check(m *member, generation int32) int16 {
	switch {
	case m == nil:
		return UnknownMember
	case generation != g.generation:
		return OldGeneration
	}
	return 0
}

// Heartbeat is the code that a heartbeat is answered with.
func (g *Group) Heartbeat(id string, generation int32) int16 {
	m := g.find(id)
	if code := g.check(m, generation); code != 0 {
		return code
	}
	m.seen = g.loop.Now()
	if g.state == statePreparing {
		return Rebalance
	}
	return 0
}

// MayCommit is the code for a commit: only member and generation are checked, not who owns what. Without a member, an empty
// group takes commits from anybody.
func (g *Group) MayCommit(id string, generation int32) int16 {
	if id == "" && generation < 0 && g.state == stateEmpty {
		return 0
	}
	m := g.find(id)
	if code := g.check(m, generation); code != 0 {
		return code
	}
	m.seen = g.loop.Now()
	if g.state == stateCompleting {
		return Rebalance
	}
	return 0
}

// Remove takes a member out: it left, or its session ended.
func (g *Group) Remove(id string) {
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
func (g *Group) watch(m *member, after time.Duration) {
	g.loop.After(max(after, time.Millisecond), func() {
		if g.find(m.id) != m {
			return
		}
		now := g.loop.Now()
		if m.join != nil {
			m.seen = now
		}
		if now-m.seen >= g.session {
			g.Remove(m.id)
			return
		}
		g.watch(m, m.seen+g.session-now)
	})
}

// Topic is a topic with the number of its partitions.
type Topic struct {
	Name       string
	Partitions int
}

// Share assigns each topic's partitions in ranges, members in the order of their ids (Kafka's range assignor).
func Share(topics []Topic, members []Member) map[string][]port.Partition {
	members = slices.Clone(members)
	slices.SortFunc(members, func(a, b Member) int { return cmp.Compare(a.ID, b.ID) })
	plans := make(map[string][]port.Partition, len(members))
	for _, m := range members {
		plans[m.ID] = []port.Partition{}
	}
	for _, t := range topics {
		var readers []string
		for _, m := range members {
			if slices.Contains(m.Topics, t.Name) {
				readers = append(readers, m.ID)
			}
		}
		for i, id := range readers {
			for n := i * t.Partitions / len(readers); n < (i+1)*t.Partitions/len(readers); n++ {
				plans[id] = append(plans[id], port.Partition{Topic: t.Name, Partition: int32(n)})
			}
		}
	}
	return plans
}
