package memory

import "slices"

// bucket holds values by key. The order of keys is made only when somebody scans: keys holds every key of values once
// fresh is merged in, and may hold keys that are gone.
type bucket struct {
	values map[string][]byte
	keys   []string // sorted, without doubles
	fresh  []string // put since, unsorted
}

func (b *bucket) put(key string, value []byte) {
	if _, had := b.values[key]; !had {
		b.fresh = append(b.fresh, key)
	}
	b.values[key] = value
	// A bucket that is never scanned must not remember all the keys that came and went.
	if len(b.fresh) > 2*len(b.values)+1024 {
		b.rebuild()
	}
}

func (b *bucket) rebuild() {
	b.fresh = b.fresh[:0]
	b.keys = b.keys[:0]
	for key := range b.values {
		b.fresh = append(b.fresh, key)
	}
}

// sort merges the fresh keys in and drops those that are gone, when they are many.
func (b *bucket) sort() {
	if len(b.keys) > 2*len(b.values)+64 {
		b.rebuild()
	}
	if len(b.fresh) == 0 {
		return
	}
	slices.Sort(b.fresh)
	if n := len(b.keys); n == 0 || b.keys[n-1] < b.fresh[0] {
		b.keys = append(b.keys, b.fresh...)
	} else {
		b.keys = merge(b.keys, b.fresh)
	}
	b.keys = slices.Compact(b.keys)
	b.fresh = b.fresh[:0]
}

func merge(a, b []string) []string {
	out := make([]string, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
