package model

import (
	"time"

	"tahanuji/system/history"
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

// grow adds partitions to a topic, one for -1; consumers learn of them when they join next.
func (w *world) grow(t *topic, partitions int) {
	if partitions < 0 {
		partitions = len(t.parts) + 1
	}
	for n := len(t.parts); n < partitions; n++ {
		t.parts = append(t.parts, &partition{topic: t, n: int32(n), leader: int32(n % len(w.nodes)), origins: map[int64]*origin{}})
	}
}
