// Package wire reads and writes what passes between Kafka clients and brokers: frames, headers, addresses, versions, error
// codes. It is pure: it opens no connection and holds no state. It knows the requests that kmsg knows; what it does not
// know it refuses to understand, with an error, so that the proxy can fail closed.
package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// MaxFrame is the largest frame that is taken, in bytes: Kafka's own default of socket.request.max.bytes.
const MaxFrame = 100 << 20

// chunk is what is allocated at once for a frame, so that a length that lies costs no more than what really comes.
const chunk = 1 << 20

// Errors of frames that callers tell apart.
var (
	ErrTooLarge = errors.New("the frame is too large")
	ErrUnknown  = errors.New("the request is not known")
)

// ReadFrame reads one frame: four bytes of length, and that many. The length stays in front. io.EOF means that the stream
// ended between frames.
func ReadFrame(r io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("frame: cut in its length: %w", err)
		}
		return nil, err // io.EOF and the connection's own errors are what callers look at
	}
	n := int(int32(binary.BigEndian.Uint32(size[:])))
	if n < 0 || n > MaxFrame {
		return nil, fmt.Errorf("frame of %d bytes: %w", n, ErrTooLarge)
	}
	if n <= chunk {
		raw := make([]byte, 4+n)
		copy(raw, size[:])
		if _, err := io.ReadFull(r, raw[4:]); err != nil {
			return nil, fmt.Errorf("frame of %d bytes: %w", n, cut(err))
		}
		return raw, nil
	}
	var buf bytes.Buffer
	buf.Write(size[:])
	if m, err := io.CopyN(&buf, r, int64(n)); err != nil {
		return nil, fmt.Errorf("frame of %d bytes: cut after %d: %w", n, m, cut(err))
	}
	return buf.Bytes(), nil
}

// cut makes an end within a frame tell itself apart from one between frames.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Request is one request as it came.
type Request struct {
	Raw     []byte // the whole frame
	Key     int16
	Version int16
	Corr    int32
	Client  string
	// Body is nil where the version is beyond what kmsg knows, which only ApiVersions may be (KIP-511).
	Body kmsg.Request
}

// ParseRequest reads a frame's header (request header v1 or v2; the client id is never compact, KIP-482) and body. An error
// means that the request must not be passed on: nobody could say what it does or where its answer leads.
func ParseRequest(raw []byte) (Request, error) {
	q := Request{Raw: raw}
	if len(raw) < 4 {
		return q, fmt.Errorf("request: %d bytes are no frame", len(raw))
	}
	b := kbin.Reader{Src: raw[4:]}
	q.Key, q.Version, q.Corr = b.Int16(), b.Int16(), b.Int32()
	if id := b.NullableString(); id != nil {
		q.Client = *id
	}
	if err := b.Complete(); err != nil {
		return q, fmt.Errorf("request: header: %w", err)
	}
	body := kmsg.RequestForKey(q.Key)
	if body == nil || !Passes(q.Key) {
		return q, fmt.Errorf("request: key %d: %w", q.Key, ErrUnknown)
	}
	if q.Version < 0 || q.Version > maxVersion(body) || q.Version < minVersion(q.Key) {
		if q.Key == keyApiVersions && q.Version > 0 {
			return q, nil
		}
		return q, fmt.Errorf("request: %s v%d: %w", Name(q.Key), q.Version, ErrUnknown)
	}
	body.SetVersion(q.Version)
	if body.IsFlexible() {
		kmsg.SkipTags(&b)
	}
	if err := body.ReadFrom(b.Src); err != nil {
		return q, fmt.Errorf("request: %s v%d: %w", Name(q.Key), q.Version, err)
	}
	q.Body = body
	return q, nil
}

// ParseResponse reads the answer to a request. The answer to an ApiVersions that the broker knows less of than the client
// is v0, whatever was asked (KIP-511); its header is v0 always.
func ParseResponse(raw []byte, q Request) (kmsg.Response, error) {
	if len(raw) < 8 {
		return nil, fmt.Errorf("response: %d bytes are no answer", len(raw))
	}
	if corr := Corr(raw); corr != q.Corr {
		return nil, fmt.Errorf("response: %s: correlation id %d came, %d was due", Name(q.Key), corr, q.Corr)
	}
	resp := kmsg.ResponseForKey(q.Key)
	version := q.Version
	if q.Key == keyApiVersions && (q.Body == nil || unsupported(raw)) {
		version = 0
	}
	resp.SetVersion(version)
	b := kbin.Reader{Src: raw[8:]}
	if resp.IsFlexible() && q.Key != keyApiVersions {
		kmsg.SkipTags(&b)
	}
	if err := resp.ReadFrom(b.Src); err != nil {
		return nil, fmt.Errorf("response: %s v%d: %w", Name(q.Key), version, err)
	}
	return resp, nil
}

// Corr is the correlation id of an answer's frame, which has at least 8 bytes.
func Corr(raw []byte) int32 { return int32(binary.BigEndian.Uint32(raw[4:])) }

// unsupported says whether an ApiVersions answer begins with UNSUPPORTED_VERSION.
func unsupported(raw []byte) bool {
	return len(raw) >= 10 && binary.BigEndian.Uint16(raw[8:]) == 35
}

// AppendResponse writes a whole frame: length, correlation id, header tags where the version has them, body.
func AppendResponse(dst []byte, corr int32, resp kmsg.Response) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = binary.BigEndian.AppendUint32(dst, uint32(corr))
	if resp.IsFlexible() && resp.Key() != keyApiVersions {
		dst = append(dst, 0)
	}
	dst = resp.AppendTo(dst)
	binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
	return dst
}

// NoAnswer says whether the protocol has no answer to a request: a Produce with acks=0.
func NoAnswer(body kmsg.Request) bool {
	q, ok := body.(*kmsg.ProduceRequest)
	return ok && q.Acks == 0
}
