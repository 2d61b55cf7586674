package inside

import (
	"context"
	"errors"
	"sync"
	"time"

	"tahanuji/reference/port"
	"tahanuji/system/target"
)

// Errors of a store that is hurt.
var (
	errFails = errors.New("store: input/output error (by a fault)")
	errFull  = errors.New("store: no space left on device (by a fault)")
)

// Hurting is the state of one role's store, shared by all that opened it.
type Hurting struct {
	mu    sync.Mutex
	next  int
	hurts map[int]*hurt
}

type hurt struct {
	do    target.Verb
	d     time.Duration
	acted int
}

var _ target.Store = (*Hurting)(nil)

// NewHurting hurts nothing yet.
func NewHurting() *Hurting { return &Hurting{hurts: map[int]*hurt{}} }

// Hurt makes transactions fail (StoreFail), fail at their first write (StoreFull) or take d longer (StoreSlow) until heal is
// called; acted counts the transactions that it touched. Other verbs do nothing, and so never acted.
func (h *Hurting) Hurt(do target.Verb, d time.Duration) (heal func() (acted int)) {
	if do != target.StoreFail && do != target.StoreFull && do != target.StoreSlow {
		return func() int { return 0 }
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	n, one := h.next, &hurt{do: do, d: d}
	h.hurts[n] = one
	return func() int {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.hurts, n)
		return one.acted
	}
}

// active are the hurts that act now; each is counted for this transaction by the one who lets it act.
func (h *Hurting) active() []*hurt {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make([]*hurt, 0, len(h.hurts))
	for _, one := range h.hurts {
		out = append(out, one)
	}
	return out
}

func (h *Hurting) count(one *hurt) {
	h.mu.Lock()
	defer h.mu.Unlock()
	one.acted++
}

// Wrap gives a store through which the hurts act.
func (h *Hurting) Wrap(s port.Store) port.Store { return &hurtStore{s, h} }

type hurtStore struct {
	port.Store
	hurting *Hurting
}

// Update runs a transaction. A transaction that only reads is not hurt by a full disk.
func (s *hurtStore) Update(ctx context.Context, fn func(port.Tx) error) error {
	full := (*hurt)(nil)
	for _, one := range s.hurting.active() {
		if one.do == target.StoreFull {
			full = one // it acts at the first write
			continue
		}
		s.hurting.count(one)
		if one.do == target.StoreFail {
			return errFails
		}
		if err := pause(ctx, one.d); err != nil {
			return err
		}
	}
	if full == nil {
		return s.Store.Update(ctx, fn)
	}
	return s.Store.Update(ctx, func(tx port.Tx) error {
		return fn(&fullTx{Tx: tx, hit: sync.OnceFunc(func() { s.hurting.count(full) })})
	})
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// fullTx refuses writes. Deleting frees space, so it works.
type fullTx struct {
	port.Tx
	hit func()
}

func (t *fullTx) Put(string, string, []byte) error {
	t.hit()
	return errFull
}
