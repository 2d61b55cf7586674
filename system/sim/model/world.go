package model

import (
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sim/cluster"
	"tahanuji/system/workload"

	"github.com/twmb/franz-go/pkg/kgo"
)

// latency draws how long a message is on its way.
func (w *world) latency() time.Duration { return time.Duration(w.rng.Int64N(int64(w.time.Latency))) }

// expected is about how many events the history will have.
func (w *world) expected() int {
	each := 3 // send, answer, record at rest
	if !w.cfg.NoStored {
		each += 2
	}
	if w.cfg.Replay {
		each *= 2
	}
	return each*len(w.cfg.Sends) + len(w.cfg.Sends)/4 + 256
}

// items cuts n items from a larger piece: small allocations cost more than the model's own work.
func (w *world) items(n int) []history.Item {
	if len(w.spareItems) < n {
		w.spareItems = make([]history.Item, max(256, n))
	}
	out := w.spareItems[:n:n]
	w.spareItems = w.spareItems[n:]
	return out
}

// labels cuts n strings from a larger piece.
func (w *world) labels(n int) []string {
	if len(w.spareNames) < n {
		w.spareNames = make([]string, max(512, n))
	}
	out := w.spareNames[:n:n]
	w.spareNames = w.spareNames[n:]
	return out
}

// placed notes that a record is in its topic.
func (w *world) placed(p *partition, offset int64, label string) {
	if label == "" {
		return
	}
	delete(w.promised, label)
	if _, ok := w.where[label]; ok {
		return
	}
	w.where[label] = history.Position{Topic: p.topic.name, Partition: p.n, Offset: offset}
	if len(w.plan.after) > 0 {
		w.plan.due(label)
	}
}

// promise notes that the source was told that an event is recorded.
func (w *world) promise(label string) {
	if _, ok := w.where[label]; !ok {
		w.promised[label] = true
	}
}

type topic struct {
	name   string
	config map[string]string
	parts  []*partition
	hash   kgo.TopicPartitioner
}

type partition struct {
	cluster.Log
	topic   *topic
	n       int32
	leader  int32
	waiting []*fetching // long polls
}

func (w *world) addTopic(name string, partitions int, config map[string]string) {
	if w.topics[name] != nil {
		return
	}
	t := &topic{name: name, config: config, hash: kgo.StickyKeyPartitioner(nil).ForTopic(name)}
	w.grow(t, partitions)
	w.topics[name] = t
	w.topicOrder = append(w.topicOrder, name)
}

// grow adds partitions to a topic, one for -1; consumers learn of them when they join next.
func (w *world) grow(t *topic, partitions int) {
	if partitions < 0 {
		partitions = t.count() + 1
	}
	for n := len(t.parts); n < partitions; n++ {
		t.parts = append(t.parts, &partition{topic: t, n: int32(n), leader: int32(n % len(w.nodes))})
	}
}

func (t *topic) count() int {
	if t == nil {
		return 0
	}
	return len(t.parts)
}

func (w *world) partition(topic string, n int32) *partition {
	t := w.topics[topic]
	if t == nil || n < 0 || int(n) >= len(t.parts) {
		return nil
	}
	return t.parts[n]
}

func (w *world) group(name string) *cluster.Group {
	g := w.groups[name]
	if g == nil {
		g = cluster.NewGroup(&w.loop, name, int32(len(w.groups)%len(w.nodes)), w.time.Session, w.time.Rebalance)
		w.groups[name] = g
	}
	return g
}

// place is the partition of a key: the hash of franz-go's default partitioner, which is Kafka's.
func (w *world) place(t *topic, key []byte) *partition {
	if key == nil {
		return t.parts[w.rng.IntN(len(t.parts))]
	}
	w.scratch.Key = key
	return t.parts[t.hash.Partition(&w.scratch, len(t.parts))]
}

// append adds a batch to the log unless its producer's numbers forbid it, and answers those who wait for it.
func (w *world) append(p *partition, rs []cluster.Record, pid int64, epoch int16, first int32) (int64, int16) {
	base, code, appended := p.Append(rs, pid, epoch, first)
	if !appended {
		return base, code
	}
	for i := range rs {
		w.placed(p, base+int64(i), rs[i].Label)
	}
	w.lastAppend = w.loop.Now()
	woken := p.waiting
	p.waiting = nil
	for _, f := range woken {
		f.wake()
	}
	return base, 0
}

// quickLabels labels as workload.Identify does. It knows an event by its id, or else by its bytes, and makes the slower
// labeller of the events only when a record comes that is neither.
func quickLabels(doc *contract.Document, load *workload.Load) func(topic string, value []byte) string {
	byID := doc.Envelope.ID != ""
	known := make(map[string]string, len(load.Events))
	for i := range load.Events {
		e := &load.Events[i]
		key := e.ID
		if !byID || key == "" {
			key = string(e.Record)
		}
		if _, ok := known[key]; !ok {
			known[key] = e.Label
		}
	}
	rest := workload.Identify(doc)
	var slow workload.Labeller
	return func(topic string, value []byte) string {
		if topic != load.Topic {
			return rest(topic, value)
		}
		if byID {
			if id, ok := doc.Envelope.ID.Text(value); ok {
				if label, ok := known[id]; ok {
					return label
				}
			}
		}
		if label, ok := known[string(value)]; ok {
			return label
		}
		if slow == nil {
			slow = workload.Identify(doc, load)
		}
		return slow(topic, value)
	}
}
