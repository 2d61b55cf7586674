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

// seek is the first key >= from.
func (o *ordered) seek(from string) (string, bool) {
	if len(o.chunks) == 0 {
		return "", false
	}
	c := o.at(from)
	i, _ := slices.BinarySearch(o.chunks[c], from)
	return o.get(c, i)
}

// after is the first key > key, which may have been removed meanwhile.
func (o *ordered) after(key string) (string, bool) {
	if len(o.chunks) == 0 {
		return "", false
	}
	c := o.at(key)
	i, found := slices.BinarySearch(o.chunks[c], key)
	if found {
		i++
	}
	return o.get(c, i)
}

func (o *ordered) get(c, i int) (string, bool) {
	if i == len(o.chunks[c]) {
		c, i = c+1, 0
	}
	if c == len(o.chunks) {
		return "", false
	}
	return o.chunks[c][i], true
}
