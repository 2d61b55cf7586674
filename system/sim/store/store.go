// Package store is a role's store in memory: ordered buckets with transactions that are undone when they fail. It outlives
// the role's process in the model. It writes nothing to disk and is not safe for concurrent use.
package store

import "tahanuji/reference/port"

// Memory is one store. Its zero value is empty.
type Memory struct {
	buckets map[string]*bucket
	undo    []change
	// Deny is asked before each write of a transaction: an error makes the write fail (a full disk). Nil: none is denied.
	Deny func() error
}

var _ port.Tx = (*Memory)(nil)

type bucket struct {
	values map[string][]byte
	keys   ordered
}

type change struct {
	bucket *bucket
	key    string
	value  []byte
	had    bool
}

// Update runs fn as one transaction: if it returns an error, or panics, nothing of it stays.
func (m *Memory) Update(fn func(port.Tx) error) (err error) {
	m.undo = m.undo[:0]
	committed := false
	defer func() {
		if !committed {
			m.rollBack()
		}
	}()
	if err = fn(m); err != nil {
		return err
	}
	committed = true
	return nil
}

func (m *Memory) rollBack() {
	for i := len(m.undo) - 1; i >= 0; i-- {
		c := m.undo[i]
		if c.had {
			c.bucket.set(c.key, c.value)
		} else {
			c.bucket.drop(c.key)
		}
	}
	m.undo = m.undo[:0]
}

// Clear empties the store.
func (m *Memory) Clear() { m.buckets, m.undo = nil, nil }

// Len counts the keys of a bucket.
func (m *Memory) Len(name string) int {
	if b := m.buckets[name]; b != nil {
		return len(b.values)
	}
	return 0
}

func (m *Memory) bucket(name string) *bucket {
	b := m.buckets[name]
	if b == nil {
		if m.buckets == nil {
			m.buckets = map[string]*bucket{}
		}
		b = &bucket{values: map[string][]byte{}}
		m.buckets[name] = b
	}
	return b
}

func (b *bucket) set(key string, value []byte) {
	if _, had := b.values[key]; !had {
		b.keys.insert(key)
	}
	b.values[key] = value
}

func (b *bucket) drop(key string) {
	delete(b.values, key)
	b.keys.remove(key)
}

// Get reads a key. The caller does not write into the value.
func (m *Memory) Get(bucket, key string) ([]byte, bool, error) {
	b := m.buckets[bucket]
	if b == nil {
		return nil, false, nil
	}
	v, ok := b.values[key]
	return v, ok, nil
}

// Put writes a key; the value is copied.
func (m *Memory) Put(bucket, key string, value []byte) error {
	if m.Deny != nil {
		if err := m.Deny(); err != nil {
			return err
		}
	}
	b := m.bucket(bucket)
	old, had := b.values[key]
	m.undo = append(m.undo, change{b, key, old, had})
	b.set(key, append([]byte(nil), value...))
	return nil
}

// Delete removes a key; one that is not there is no error.
func (m *Memory) Delete(bucket, key string) error {
	b := m.buckets[bucket]
	if b == nil {
		return nil
	}
	old, had := b.values[key]
	if !had {
		return nil
	}
	m.undo = append(m.undo, change{b, key, old, true})
	b.drop(key)
	return nil
}

// Scan calls fn in key order for keys >= from and < to ("" is open) until it returns false. fn may write to the bucket: the
// scan goes over the keys that were there at its start.
func (m *Memory) Scan(bucket, from, to string, fn func(key string, value []byte) bool) error {
	b := m.buckets[bucket]
	if b == nil {
		return nil
	}
	b.keys.build(b.values)
	c, i := b.keys.seek(from)
	for {
		key, ok := b.keys.get(c, i)
		if !ok || to != "" && key >= to {
			return nil
		}
		version := b.keys.version
		if v, here := b.values[key]; here && !fn(key, v) {
			return nil
		}
		if b.keys.version == version {
			if i++; i == len(b.keys.chunks[c]) {
				c, i = c+1, 0
			}
		} else {
			c, i = b.keys.after(key)
		}
	}
}
