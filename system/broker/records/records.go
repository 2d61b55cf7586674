// Package records reads Kafka's record batches (magic 2, KIP-98) as they stand in a Produce, a Fetch or a log, and writes plain
// ones. It compresses nothing, checks no CRC, and skips the message sets of Kafka before 0.11.
package records

import (
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/twmb/franz-go/pkg/kgo"
)

// header is the length of a batch before its records.
const header = 61

// Offsets within a batch's header (Kafka protocol, "Record Batch").
const (
	atLength     = 8
	atMagic      = 16
	atAttributes = 21
	atLastDelta  = 23
	atFirstTime  = 27
	atProducer   = 43
	atEpoch      = 51
	atSequence   = 53
	atCount      = 57
)

// Batch is one record batch; its slices are views of what it was read from.
type Batch struct {
	Base       int64 // offset of the first record; 0 in a Produce
	LastDelta  int32 // offset of the last record, less Base
	Attributes int16
	FirstTime  int64 // milliseconds since 1970
	Producer   int64 // -1: not idempotent
	Epoch      int16
	FirstSeq   int32 // -1: not idempotent
	Count      int32
	body       []byte
}

// Control says whether the batch holds transaction markers instead of records.
func (b Batch) Control() bool { return b.Attributes&0x20 != 0 }

// Record is one record of a batch; Key and Value are nil where the record has none.
type Record struct {
	Delta      int32 // offset less the batch's Base; the record's sequence less FirstSeq
	Time       int64 // milliseconds since 1970
	Key, Value []byte
}

// Batches of src, in order. A last batch that is cut off (a Fetch may end so) or one of an old format ends the sequence.
func Batches(src []byte) iter.Seq[Batch] {
	return func(yield func(Batch) bool) {
		for len(src) >= header && src[atMagic] == 2 {
			n := int(int32(binary.BigEndian.Uint32(src[atLength:]))) + 12
			if n < header || n > len(src) {
				return
			}
			b := Batch{
				Base:       int64(binary.BigEndian.Uint64(src)),
				LastDelta:  int32(binary.BigEndian.Uint32(src[atLastDelta:])),
				Attributes: int16(binary.BigEndian.Uint16(src[atAttributes:])),
				FirstTime:  int64(binary.BigEndian.Uint64(src[atFirstTime:])),
				Producer:   int64(binary.BigEndian.Uint64(src[atProducer:])),
				Epoch:      int16(binary.BigEndian.Uint16(src[atEpoch:])),
				FirstSeq:   int32(binary.BigEndian.Uint32(src[atSequence:])),
				Count:      int32(binary.BigEndian.Uint32(src[atCount:])),
				body:       src[header:n],
			}
			if !yield(b) {
				return
			}
			src = src[n:]
		}
	}
}

// Records of the batch, decompressed if need be. What stands before a damaged record is returned with the error.
func (b Batch) Records(d kgo.Decompressor) ([]Record, error) {
	body := b.body
	if codec := kgo.CompressionCodecType(b.Attributes & 7); codec != 0 {
		var err error
		if body, err = d.Decompress(body, codec); err != nil {
			return nil, fmt.Errorf("records: decompress batch at %d: %w", b.Base, err)
		}
	}
	out := make([]Record, 0, min(int(max(b.Count, 0)), len(body)/7+1)) // a record has at least 7 bytes
	for len(body) > 0 && len(out) < int(b.Count) {
		n, w := binary.Varint(body)
		if w <= 0 || n < 0 || n > int64(len(body)-w) {
			return out, fmt.Errorf("records: record %d of the batch at %d has the length %d, with %d bytes left", len(out), b.Base, n, len(body))
		}
		r, ok := record(body[w:w+int(n)], b.FirstTime)
		if !ok {
			return out, fmt.Errorf("records: record %d of the batch at %d is damaged", len(out), b.Base)
		}
		out = append(out, r)
		body = body[w+int(n):]
	}
	return out, nil
}

func record(src []byte, first int64) (Record, bool) {
	if len(src) < 1 {
		return Record{}, false
	}
	src = src[1:] // attributes, unused
	ms, w := binary.Varint(src)
	if w <= 0 {
		return Record{}, false
	}
	src = src[w:]
	delta, w := binary.Varint(src)
	if w <= 0 {
		return Record{}, false
	}
	key, rest, ok := field(src[w:])
	if !ok {
		return Record{}, false
	}
	value, _, ok := field(rest)
	return Record{Delta: int32(delta), Time: first + ms, Key: key, Value: value}, ok
}

// field is a length and that many bytes; a length of -1 is nil.
func field(src []byte) (value, rest []byte, ok bool) {
	n, w := binary.Varint(src)
	switch {
	case w <= 0 || n > int64(len(src)-w):
		return nil, nil, false
	case n < 0:
		return nil, src[w:], true
	}
	return src[w : w+int(n) : w+int(n)], src[w+int(n):], true
}
