package checkers

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// mutants break a run in the way that the clause forbids, one a clause.
var mutants = map[contract.ID]mutant{
	"topic.partitions": func(m *mutation) bool {
		return m.describe(m.in, func(live map[string]any) { live["partitions"] = m.in.Partitions + 1 + m.draw(3) })
	},
	"topic.retention": func(m *mutation) bool {
		return m.describe(m.in, func(live map[string]any) { live["config"].(map[string]any)["retention.ms"] = "86400000" })
	},
	"topic.cleanup": func(m *mutation) bool {
		return m.describe(m.out, func(live map[string]any) { live["config"].(map[string]any)["cleanup.policy"] = "compact,delete" })
	},
	"topic.only-listed": func(m *mutation) bool {
		return m.also(history.Event{Op: history.OpTopic, Phase: history.OK, Key: "another", Value: "{}", Tag: history.ScanRest})
	},
	"topic.key": func(m *mutation) bool {
		e := m.pick(m.record(m.in.Name))
		e.Key = []string{"", "x", e.Key + " "}[m.draw(3)]
		return true
	},
	"replay.window": func(m *mutation) bool {
		return m.describe(m.in, func(live map[string]any) { live["config"].(map[string]any)["retention.ms"] = 1000 })
	},
	"capacity.arithmetic": func(m *mutation) bool {
		changed, capacity := *m.doc, *m.doc.Capacity
		capacity.EventBytes = 20 + m.draw(50)
		changed.Capacity = &capacity
		m.doc = &changed
		return true
	},
	"schema.valid-only": func(m *mutation) bool {
		e := m.pick(m.record(m.in.Name))
		set(e, m.s.wrong, "wrong")
		return true
	},
	"delivery.no-loss": func(m *mutation) bool {
		gone := m.events[m.draw(len(m.events))].id
		return m.drop(func(e *history.Event) bool { return e.Op == history.OpRecord && m.id(e.Value) == gone })
	},
	"delivery.in-doubt": func(m *mutation) bool {
		e := m.makeEvent(900, m.s.keys[0], m.base())
		if m.doc.Source.Resend == "until-recorded" && m.draw(2) == 0 {
			of := m.add(history.Event{Proc: m.source.Role, Op: history.OpSend, Phase: history.Invoke, Key: e.label, Value: e.value})
			return m.also(history.Event{Proc: m.source.Role, Op: history.OpSend, Phase: history.Unknown, Of: of, Key: e.label})
		}
		renamed := m.id(m.pick(m.record(m.in.Name)).Value)
		for i := range m.h.Events {
			if e := &m.h.Events[i]; e.Op == history.OpRecord && m.id(e.Value) == renamed {
				set(e, m.doc.Envelope.ID, m.s.id(901))
			}
		}
		return true
	},
	"delivery.no-invention": func(m *mutation) bool {
		e, r := m.makeEvent(902, m.s.keys[0], m.base()), *m.pick(m.record(m.in.Name))
		r.Value, r.Where = e.value, &history.Position{Topic: m.in.Name, Partition: r.Where.Partition, Offset: r.Where.Offset + 1000}
		return m.also(r)
	},
	"order.device": func(m *mutation) bool {
		first := map[string]*history.Event{} // per key the first record in the log
		for i := range m.h.Events {
			e := &m.h.Events[i]
			if !m.record(m.in.Name)(e) {
				continue
			}
			a := first[e.Key]
			if a == nil {
				first[e.Key] = e
				continue
			}
			if m.id(a.Value) != m.id(e.Value) {
				a.Value, e.Value = e.Value, a.Value // the second event of a key comes before the first
				return m.drop(func(o *history.Event) bool {
					return m.record(m.in.Name)(o) && o.Where.Offset != e.Where.Offset && m.id(o.Value) == m.id(e.Value)
				}) || true
			}
		}
		return false
	},
	"poison.isolated": func(m *mutation) bool {
		p := m.pick(func(e *history.Event) bool {
			return e.Op == history.OpSend && e.Tag == check.PoisonTag && e.Phase == history.OK
		})
		if m.draw(2) == 0 && slices.ContainsFunc(m.h.Events, func(e history.Event) bool {
			return m.record(m.in.Name)(&e) && e.Where.Partition == p.Where.Partition
		}) {
			return m.drop(func(e *history.Event) bool { return e.Op == history.OpRecord && e.Where.Topic == m.out.Name }) && m.fold.Fold.Emit == "on-change"
		}
		e := m.pick(func(e *history.Event) bool {
			return is(history.OpCommitted, history.ScanRest)(e) && e.Proc == m.fold.Group && e.Where.Partition == p.Where.Partition
		})
		e.Where = p.Where
		return true
	},
	"role.stays-up": func(m *mutation) bool {
		return m.also(history.Event{Proc: m.source.Role + "/1", Op: history.OpRole, Phase: history.OK, Key: "exited", Tag: []string{"never", "always"}[m.draw(2)]})
	},
	"producer.acks-all": func(m *mutation) bool {
		m.pickExchange(func(x *history.Exchange) bool { return x.API == "Produce" }).Acks = int16(m.draw(2))
		return true
	},
	"producer.idempotent": func(m *mutation) bool {
		m.pickExchange(func(x *history.Exchange) bool { return x.API == "Produce" }).Items[0].ProducerID = -1
		return true
	},
	"producer.no-log-duplicate": func(m *mutation) bool {
		a := m.pick(m.record(m.in.Name))
		b := m.pick(func(e *history.Event) bool {
			return m.record(m.in.Name)(e) && e.Where.Partition == a.Where.Partition && e != a
		})
		if b == nil {
			return false
		}
		b.Producer = a.Producer
		return true
	},
	"ack.truth": func(m *mutation) bool {
		e := m.pick(func(e *history.Event) bool {
			return e.Op == history.OpSend && e.Where != nil && e.Tag != check.PoisonTag
		})
		if e == nil || m.draw(2) == 0 {
			m.pickExchange(func(x *history.Exchange) bool { return x.API == "Produce" && x.At < m.rest() }).Items[0].Offset += 500
			return true
		}
		e.Where = &history.Position{Topic: e.Where.Topic, Partition: e.Where.Partition, Offset: e.Where.Offset + 300}
		return true
	},
	"commit.after-store": func(m *mutation) bool {
		gone := m.events[m.draw(len(m.events))].id
		return m.drop(func(e *history.Event) bool { return e.Op == history.OpStored && e.Key == gone })
	},
	"commit.matches": func(m *mutation) bool {
		if x := m.pickExchange(func(x *history.Exchange) bool {
			return x.API == "OffsetCommit" && x.At < m.rest() && x.Items[0].Offset > 1
		}); x != nil && m.draw(2) == 0 {
			back := *x
			back.Items = slices.Clone(x.Items)
			back.Items[0].Offset -= 1
			back.Seq++
			at := slices.IndexFunc(m.h.Ledger, func(o history.Exchange) bool { return o.Seq == x.Seq })
			m.h.Ledger = slices.Insert(m.h.Ledger, at+1, back)
			for i := range m.h.Ledger {
				m.h.Ledger[i].Seq = int64(i + 1)
			}
			return true
		}
		e := m.pick(func(e *history.Event) bool { return is(history.OpCommitted, history.ScanRest)(e) && e.Where.Offset > 0 })
		e.Where = &history.Position{Topic: e.Where.Topic, Partition: e.Where.Partition, Offset: e.Where.Offset - 1}
		return true
	},
	"group.progress": func(m *mutation) bool {
		e := m.pick(func(e *history.Event) bool { return is(history.OpCommitted, history.ScanRest)(e) && e.Where.Offset > 0 })
		e.Where = &history.Position{Topic: e.Where.Topic, Partition: e.Where.Partition, Offset: -1}
		return true
	},
	"group.full-stream": func(m *mutation) bool {
		if m.draw(2) == 0 {
			m.exchange(history.Exchange{API: "JoinGroup", Door: m.display.Role + "/1", Group: m.fold.Group})
			return true
		}
		p := int32(m.draw(m.in.Partitions))
		dropped := false
		for i := range m.h.Ledger {
			if x := &m.h.Ledger[i]; x.API == "Fetch" && x.Items[0].Topic == m.in.Name && x.Items[0].Partition == p {
				x.Items[0].Records, dropped = 0, true
			}
		}
		return dropped
	},
	"lag.bound": func(m *mutation) bool {
		for i := range m.h.Events {
			if e := &m.h.Events[i]; e.Op == history.OpLag && e.Tag == "healed" && e.Proc == m.fold.Group {
				e.Value = "100000"
				for k := i; k < len(m.h.Events); k++ {
					m.h.Events[k].At += time.Hour
				}
				return true
			}
		}
		return false
	},
	"count.once": func(m *mutation) bool {
		e := m.anyLast()
		if e == nil {
			return false
		}
		set(e, m.aggregate("count"), 1000+m.draw(10))
		return true
	},
	"summary.value": func(m *mutation) bool {
		e := m.anyLast()
		if e == nil {
			return false
		}
		set(e, m.aggregate("max", "min", "sum"), json.RawMessage("-3.5"))
		return true
	},
	"summary.published": func(m *mutation) bool {
		e := m.anyLast()
		if e == nil {
			return false
		}
		gone := m.overwriteKey(e.Value)
		return m.drop(func(e *history.Event) bool {
			return e.Op == history.OpRecord && e.Where.Topic == m.out.Name && m.overwriteKey(e.Value) == gone
		})
	},
	"summary.same-value": func(m *mutation) bool {
		seen := map[string]bool{}
		for i := range m.h.Events {
			e := &m.h.Events[i]
			if !m.record(m.out.Name)(e) {
				continue
			}
			if seen[e.Value] {
				e.Value = strings.TrimSuffix(e.Value, "}") + " }"
				return true
			}
			seen[e.Value] = true
		}
		return false
	},
	"summary.replay": func(m *mutation) bool {
		rest := map[history.Position]bool{}
		for i := range m.h.Events {
			e := &m.h.Events[i]
			if e.Op == history.OpRecord && e.Tag == history.ScanRest {
				rest[*e.Where] = true
			}
		}
		last := map[string]*history.Event{}
		for i := range m.h.Events {
			if e := &m.h.Events[i]; e.Op == history.OpRecord && e.Tag == history.ScanReplayEmptied && e.Where.Topic == m.out.Name && !rest[*e.Where] {
				last[m.overwriteKey(e.Value)] = e
			}
		}
		for _, e := range last {
			at := *e.Where
			for i := range m.h.Events {
				if o := &m.h.Events[i]; o.Op == history.OpRecord && *o.Where == at {
					set(o, m.aggregate("count"), 77)
				}
			}
			return true
		}
		return false
	},
	"display.last-value": func(m *mutation) bool {
		e := m.pick(func(e *history.Event) bool { return e.Op == history.OpRow && e.Key != "" })
		if e == nil {
			return false
		}
		switch m.draw(3) {
		case 0:
			return m.also(*e)
		case 1:
			gone := e.Seq
			return m.drop(func(e *history.Event) bool { return e.Seq == gone })
		}
		var row map[string]any
		_ = json.Unmarshal([]byte(e.Value), &row)
		row[string(m.aggregate("count"))] = 999
		text, _ := json.Marshal(row)
		e.Value = string(text)
		return true
	},
}
