package payload

import "sync"

// before is what was wrong with records that a checker, or one that shares its schema, refused before: the runs of a search show
// them the same broken records a thousand times. The zero value knows none; it is safe for concurrent use.
type before struct {
	mu       sync.Mutex
	refusals map[string][]Refusal // by record
}

// Bounds of what is kept: longer records, and those that come when it is full, are checked each time.
const (
	longestKept = 2048 // bytes
	mostKept    = 2048 // records
)

func (b *before) find(raw []byte) ([]Refusal, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	refused, ok := b.refusals[string(raw)]
	return refused, ok
}

func (b *before) keep(raw []byte, refused []Refusal) {
	if len(raw) > longestKept {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.refusals) >= mostKept {
		return
	}
	if b.refusals == nil {
		b.refusals = map[string][]Refusal{}
	}
	b.refusals[string(raw)] = refused
}
