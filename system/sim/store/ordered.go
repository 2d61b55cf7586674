package store

import (
	"slices"
	"sort"
)

// chunk bounds how many keys lie side by side: an insert moves at most as many.
const chunk = 256

// ordered keeps keys in order from the first scan of a bucket on; a bucket that is never scanned costs nothing.
type ordered struct {
	built  bool
	chunks [][]string // none empty, ascending
	// version counts changes: a walk goes on by place while it stands still.
	version int
}

func (o *ordered) build(values map[string][]byte) {
	if o.built {
		return
	}
	o.built = true
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for part := range slices.Chunk(keys, chunk/2) {
		o.chunks = append(o.chunks, slices.Clone(part))
	}
}

// at is the chunk that holds key or would hold it.
func (o *ordered) at(key string) int {
	return max(0, sort.Search(len(o.chunks), func(i int) bool { return o.chunks[i][0] > key })-1)
}

func (o *ordered) insert(key string) {
	if !o.built {
		return
	}
	o.version++
	if len(o.chunks) == 0 {
		o.chunks = append(o.chunks, []string{key})
		return
	}
	c := o.at(key)
	i, found := slices.BinarySearch(o.chunks[c], key)
	if found {
		return
	}
	o.chunks[c] = slices.Insert(o.chunks[c], i, key)
	if full := o.chunks[c]; len(full) > chunk {
		o.chunks[c] = full[: chunk/2 : chunk/2]
		o.chunks = slices.Insert(o.chunks, c+1, slices.Clone(full[chunk/2:]))
	}
}

func (o *ordered) remove(key string) {
	if !o.built || len(o.chunks) == 0 {
		return
	}
	o.version++
	c := o.at(key)
	i, found := slices.BinarySearch(o.chunks[c], key)
	if !found {
		return
	}
	o.chunks[c] = slices.Delete(o.chunks[c], i, i+1)
	if len(o.chunks[c]) == 0 {
		o.chunks = slices.Delete(o.chunks, c, c+1)
	}
}

// seek is the place of the first key >= from.
func (o *ordered) seek(from string) (c, i int) {
	if len(o.chunks) == 0 {
		return 0, 0
	}
	c = o.at(from)
	i, _ = slices.BinarySearch(o.chunks[c], from)
	return o.round(c, i)
}

// after is the place of the first key > key, which may have been removed meanwhile.
func (o *ordered) after(key string) (c, i int) {
	c, i = o.seek(key)
	if at, ok := o.get(c, i); ok && at == key {
		return o.round(c, i+1)
	}
	return c, i
}

// round turns the place behind a chunk's last key into that of the next chunk's first.
func (o *ordered) round(c, i int) (int, int) {
	if i == len(o.chunks[c]) {
		return c + 1, 0
	}
	return c, i
}

// get is the key at a place, false behind the last one.
func (o *ordered) get(c, i int) (string, bool) {
	if c >= len(o.chunks) {
		return "", false
	}
	return o.chunks[c][i], true
}
