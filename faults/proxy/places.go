package proxy

import (
	"sync"

	"tahanuji/faults/proxy/wire"
	"tahanuji/system/history"
)

// places knows where labelled records are, what was committed, and which moments have come.
type places struct {
	mu      sync.Mutex
	labels  map[history.Position]string
	first   map[string]history.Position // of a label
	marks   map[string]bool
	commits map[committed]int64
	waiting map[string]chan struct{}
}

type committed struct {
	group, topic string
	partition    int32
}

func newPlaces() *places {
	return &places{
		labels: map[history.Position]string{}, first: map[string]history.Position{}, marks: map[string]bool{},
		commits: map[committed]int64{}, waiting: map[string]chan struct{}{},
	}
}

func (p *places) add(found []wire.Place) {
	if len(found) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range found {
		p.labels[f.Where] = f.Label
		if _, ok := p.first[f.Label]; !ok {
			p.first[f.Label] = f.Where
			p.wake(f.Label)
		}
	}
}

func (p *places) mark(moment string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.marks[moment] = true
	p.wake(moment)
}

func (p *places) wake(label string) {
	if ch := p.waiting[label]; ch != nil {
		close(ch)
		delete(p.waiting, label)
	}
}

func (p *places) seen(label string) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	ch := p.waiting[label]
	if ch == nil {
		ch = make(chan struct{})
		p.waiting[label] = ch
	}
	if _, ok := p.first[label]; ok || p.marks[label] {
		p.wake(label)
	}
	return ch
}

// come says whether a moment's After is met; "" is always.
func (p *places) come(after string) bool {
	if after == "" {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.first[after]
	return ok || p.marks[after]
}

func (p *places) where(label string) (history.Position, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := p.first[label]
	return at, ok
}

func (p *places) label(at history.Position) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, ok := p.labels[at]
	return l, ok
}

// commit keeps what a group's offsets are, from commits that were applied and from what OffsetFetch answered.
func (p *places) commit(v *wire.View) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, it := range v.Items {
		if it.Code == 0 && it.Topic != "" && it.Offset >= 0 {
			p.commits[committed{v.Group, it.Topic, it.Partition}] = it.Offset
		}
	}
}

// passes says whether a commit is the first that passes the record with the label: it commits an offset above the record's,
// and what was committed before is not.
func (p *places) passes(v *wire.View, label string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, ok := p.first[label]
	if !ok {
		return false
	}
	for _, it := range v.Items {
		if it.Topic != at.Topic || it.Partition != at.Partition || it.Offset <= at.Offset {
			continue
		}
		before, ok := p.commits[committed{v.Group, it.Topic, it.Partition}]
		return !ok || before <= at.Offset
	}
	return false
}
