package records_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"pgregory.net/rapid"

	"tahanuji/system/broker/records"
)

// zip compresses the records of one batch, as a client does.
func zip(t *rapid.T, raw []byte, codec kgo.CompressionCodec) []byte {
	c, err := kgo.DefaultCompressor(codec)
	if err != nil {
		t.Fatal(err)
	}
	if c == nil {
		return raw
	}
	const header = 61
	body, kind := c.Compress(new(bytes.Buffer), raw[header:])
	out := append(bytes.Clone(raw[:header]), body...)
	binary.BigEndian.PutUint16(out[21:], uint16(kind))
	binary.BigEndian.PutUint32(out[8:], uint32(len(out)-12))
	return out
}

func TestWhatWasWrittenIsReadWhateverTheCompression(t *testing.T) {
	unzip := kgo.DefaultDecompressor()
	rapid.Check(t, func(rt *rapid.T) {
		batches := rapid.SliceOfN(rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 1, 20), 1, 4).Draw(rt, "batches")
		codecs := []kgo.CompressionCodec{kgo.NoCompression(), kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()}
		var raw []byte
		seq := int32(0)
		for _, values := range batches {
			raw = append(raw, zip(rt, records.Append(nil, 7, 2, seq, values...), rapid.SampledFrom(codecs).Draw(rt, "codec"))...)
			seq += int32(len(values))
		}
		cut := rapid.IntRange(0, 60).Draw(rt, "cut") // a Fetch may end within a batch
		raw = append(raw, raw[:cut]...)
		n, seq := 0, int32(0)
		for b := range records.Batches(raw) {
			if n == len(batches) {
				rt.Fatal("a batch that is cut was read")
			}
			recs, err := b.Records(unzip)
			if err != nil {
				rt.Fatal(err)
			}
			if b.Producer != 7 || b.Epoch != 2 || b.FirstSeq != seq || len(recs) != len(batches[n]) || b.Control() {
				rt.Fatalf("batch %d is %+v with %d records", n, b, len(recs))
			}
			for i, r := range recs {
				if !bytes.Equal(r.Value, batches[n][i]) || r.Key != nil || r.Delta != int32(i) {
					rt.Fatalf("record %d of batch %d is %+v", i, n, r)
				}
			}
			seq += int32(len(recs))
			n++
		}
		if n != len(batches) {
			rt.Fatalf("%d of %d batches were read", n, len(batches))
		}
	})
}

// FuzzBatches: whatever stands there, reading it ends, and costs no more memory than it is long.
func FuzzBatches(f *testing.F) {
	f.Add(records.Append(nil, 1, 0, 0, []byte("a"), []byte("b")))
	f.Add([]byte{})
	unzip := kgo.DefaultDecompressor()
	f.Fuzz(func(t *testing.T, raw []byte) {
		for b := range records.Batches(raw) {
			recs, err := b.Records(unzip)
			if err == nil && b.Attributes&7 == 0 && len(recs) > len(raw) {
				t.Fatalf("%d records in %d bytes", len(recs), len(raw))
			}
		}
	})
}
