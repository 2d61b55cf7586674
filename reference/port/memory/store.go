// Package memory is a port.Store in memory. It outlives the roles that use it, not the process. Nothing is written to disk.
package memory

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"tahanuji/reference/port"
)

// Store keeps buckets of ordered keys. It may be shared by several roles and goroutines; transactions are serialised by a
// lock that is held while a transaction's function runs.
type Store struct {
	mu      sync.Mutex
	buckets map[string]*bucket
}

var _ port.Store = (*Store)(nil)

// New is an empty store.
func New() *Store { return &Store{buckets: map[string]*bucket{}} }

// Update runs one transaction; after an error of fn or an ended context nothing of it is left.
func (s *Store) Update(ctx context.Context, fn func(port.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("memory: update: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &tx{store: s}
	done := false
	defer func() {
		if !done {
			t.undo()
		}
	}()
	if err := fn(t); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("memory: update: %w", err)
	}
	done = true
	return nil
}

// Close does nothing: the store is there for the next one who opens it.
func (s *Store) Close() error { return nil }

// Clear empties the store.
func (s *Store) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buckets = map[string]*bucket{}
}

// Len is the number of keys in a bucket.
func (s *Store) Len(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := s.buckets[name]; b != nil {
		return len(b.values)
	}
	return 0
}

func (s *Store) bucket(name string) *bucket {
	b := s.buckets[name]
	if b == nil {
		b = &bucket{values: map[string][]byte{}}
		s.buckets[name] = b
	}
	return b
}

// change is what a key held before.
type change struct {
	b     *bucket
	key   string
	value []byte
	had   bool
}

type tx struct {
	store   *Store
	changes []change
}

func (t *tx) undo() {
	for _, c := range slices.Backward(t.changes) {
		if c.had {
			c.b.put(c.key, c.value)
		} else {
			delete(c.b.values, c.key)
		}
	}
}

func (t *tx) Get(name, key string) ([]byte, bool, error) {
	b := t.store.buckets[name]
	if b == nil {
		return nil, false, nil
	}
	value, ok := b.values[key]
	return value, ok, nil
}

func (t *tx) Put(name, key string, value []byte) error {
	b := t.store.bucket(name)
	had, ok := b.values[key]
	t.changes = append(t.changes, change{b, key, had, ok})
	b.put(key, slices.Clone(value))
	return nil
}

func (t *tx) Delete(name, key string) error {
	b := t.store.bucket(name)
	if had, ok := b.values[key]; ok {
		t.changes = append(t.changes, change{b, key, had, true})
		delete(b.values, key)
	}
	return nil
}

func (t *tx) Scan(name, from, to string, fn func(string, []byte) bool) error {
	b := t.store.buckets[name]
	if b == nil {
		return nil
	}
	b.sort()
	at, _ := slices.BinarySearch(b.keys, from)
	for _, key := range b.keys[at:] {
		if to != "" && key >= to {
			return nil
		}
		if value, ok := b.values[key]; ok && !fn(key, value) {
			return nil
		}
	}
	return nil
}
