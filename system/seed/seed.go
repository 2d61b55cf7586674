// Package seed derives random decisions from a run's one seed and an address, so that a decision does not depend on how
// many others were taken before it. It holds no global generator and reads no clock; it is no source of secrets.
package seed

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/bits"
	"math/rand"
	"strconv"
)

// Derive returns the number that belongs to an address (parts, in order) under a seed. Equal arguments give equal numbers
// on every machine and in every version: recorded runs rest on it. Parts are kept apart: ("ab","c") is not ("a","bc").
func Derive(seed uint64, parts ...string) uint64 {
	h := fnv.New64a()
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], seed)
	h.Write(n[:])
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return mix(h.Sum64())
}

// Rand returns a generator of its own for an address. It is not safe for concurrent use.
func Rand(seed uint64, parts ...string) *rand.Rand {
	return rand.New(&stream{Derive(seed, parts...)})
}

// stream is splitmix64 as a source: it costs nothing to begin, where math/rand's own source fills 607 words first.
type stream struct{ state uint64 }

var _ rand.Source64 = (*stream)(nil)

// Uint64 is the next number of the stream.
func (s *stream) Uint64() uint64 {
	z := mix(s.state)
	s.state += golden
	return z
}

// Int63 is the next number without its lowest bit.
func (s *stream) Int63() int64 { return int64(s.Uint64() >> 1) }

// Seed begins the stream anew.
func (s *stream) Seed(seed int64) { s.state = uint64(seed) }

// golden is 2^64 divided by the golden ratio: the step of splitmix64.
const golden = 0x9e3779b97f4a7c15

// Pick draws a number from 0 to n-1 for an address, each as likely as the others; n must be positive.
func Pick(seed uint64, n int, parts ...string) int {
	high, _ := bits.Mul64(Derive(seed, parts...), uint64(n))
	return int(high)
}

// Format writes a seed as files carry it: a decimal string, because 64-bit numbers do not survive JSON readers.
func Format(seed uint64) string {
	return strconv.FormatUint(seed, 10)
}

// Parse reads what Format wrote. It refuses anything but a decimal number below 2^64.
func Parse(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("seed: %q is no decimal number from 0 to 18446744073709551615: %w", text, err)
	}
	return n, nil
}

// mix is the finaliser of splitmix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): FNV
// alone leaves the high bits of short addresses alike.
func mix(z uint64) uint64 {
	z += golden
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}
