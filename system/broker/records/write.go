package records

import (
	"encoding/binary"
	"hash/crc32"
)

// Append writes one uncompressed batch with the values, without keys, as an idempotent producer sends it (producer -1: one
// that is not). It is for requests of the harness's own and for tests; it sets the CRC.
func Append(dst []byte, producer int64, epoch int16, firstSeq int32, values ...[]byte) []byte {
	var body []byte
	for i, v := range values {
		r := []byte{0}                       // attributes
		r = binary.AppendVarint(r, 0)        // timestamp delta
		r = binary.AppendVarint(r, int64(i)) // offset delta
		r = binary.AppendVarint(r, -1)       // key
		r = binary.AppendVarint(r, int64(len(v)))
		r = append(r, v...)
		r = binary.AppendVarint(r, 0) // headers
		body = binary.AppendVarint(body, int64(len(r)))
		body = append(body, r...)
	}
	at := len(dst)
	dst = append(dst, make([]byte, header)...)
	dst = append(dst, body...)
	b := dst[at:]
	binary.BigEndian.PutUint32(b[atLength:], uint32(len(b)-12))
	binary.BigEndian.PutUint32(b[12:], 0xffffffff) // partition leader epoch: -1, the broker sets it
	b[atMagic] = 2
	binary.BigEndian.PutUint32(b[atLastDelta:], uint32(len(values)-1))
	binary.BigEndian.PutUint64(b[atProducer:], uint64(producer))
	binary.BigEndian.PutUint16(b[atEpoch:], uint16(epoch))
	binary.BigEndian.PutUint32(b[atSequence:], uint32(firstSeq))
	binary.BigEndian.PutUint32(b[atCount:], uint32(len(values)))
	binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[atAttributes:], crc32.MakeTable(crc32.Castagnoli)))
	return dst
}
