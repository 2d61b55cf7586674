package fold

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/cockroachdb/apd/v3"
)

// Row is the state of one summary. Version counts its changes; Published is the version of the publication that stands
// last in the topic as far as is known, at Partition and Offset.
type Row struct {
	Version, Published uint64
	Partition          int32
	Offset             int64 // -1: never published
	Start, End         int64 // milliseconds since 1970
	Count              int64
	Values             []Value // one for each aggregate; a count has none
	Floats             []float64
}

// Value is the state of one aggregate: the sum, the least, the greatest of N numbers.
type Value struct {
	N   int64
	Num string // canonical decimal text
}

// NewRow is an empty row of a window with n aggregates.
func NewRow(start, end int64, n int) *Row {
	return &Row{Offset: -1, Start: start, End: end, Values: make([]Value, n)}
}

// Add takes one event in; numbers holds one JSON number for each aggregate, "" where the event has none. After an error the
// row is as it was.
func (r *Row) Add(into []Aggregate, numbers []string) error {
	values := slices.Clone(r.Values)
	var d apd.Decimal
	text := ""
	for i, a := range into {
		if a.Op == Count || numbers[i] == "" {
			continue
		}
		if numbers[i] != text { // several aggregates of one field parse it once
			if err := parse(&d, numbers[i]); err != nil {
				return err
			}
			text = numbers[i]
		}
		if err := values[i].add(a.Op, &d); err != nil {
			return fmt.Errorf("%s: %w", a.Into, err)
		}
	}
	r.Version++
	r.Count++
	r.Values = values
	return nil
}

func (v *Value) add(op Op, d *apd.Decimal) error {
	v.N++
	if v.N == 1 {
		v.Num = plain(d)
		return nil
	}
	if op == Count {
		return nil
	}
	var had apd.Decimal
	if err := parse(&had, v.Num); err != nil {
		return err
	}
	switch op {
	case Sum, Mean:
		var sum apd.Decimal
		if _, err := exact.Add(&sum, &had, d); err != nil {
			return fmt.Errorf("sum: %w", err)
		}
		v.Num = plain(&sum)
	case Min:
		if d.Cmp(&had) < 0 {
			v.Num = plain(d)
		}
	case Max:
		if d.Cmp(&had) > 0 {
			v.Num = plain(d)
		}
	case Count:
	}
	return nil
}

// JSON is an aggregate's value as it stands in a summary, "" when no event had the field.
func (r *Row) JSON(i int, a Aggregate) (string, error) {
	v := r.Values[i]
	switch a.Op {
	case Count:
		return strconv.FormatInt(r.Count, 10), nil
	case Sum, Min, Max:
		return v.Num, nil
	case Mean:
		if v.N == 0 {
			return "", nil
		}
		var sum apd.Decimal
		if err := parse(&sum, v.Num); err != nil {
			return "", err
		}
		decimals := a.Decimals
		if decimals < 0 {
			decimals = 12
		}
		return quotient(&sum, v.N, decimals), nil
	}
	return "", fmt.Errorf("aggregate %s: op %q is not known", a.Into, a.Op)
}

var errShort = errors.New("row: the stored bytes end too early")

// Encode writes a row compactly: varints, then each aggregate's text with its length.
func (r *Row) Encode() []byte {
	b := make([]byte, 0, 96)
	b = binary.AppendUvarint(b, r.Version)
	b = binary.AppendUvarint(b, r.Published)
	for _, v := range [...]int64{int64(r.Partition), r.Offset, r.Start, r.End, r.Count, int64(len(r.Values))} {
		b = binary.AppendVarint(b, v)
	}
	for _, v := range r.Values {
		b = binary.AppendVarint(b, v.N)
		b = binary.AppendVarint(b, int64(len(v.Num)))
		b = append(b, v.Num...)
	}
	for _, f := range r.Floats {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(f))
	}
	return b
}

// DecodeRow reads what Encode wrote.
func DecodeRow(b []byte) (*Row, error) {
	d := decoder{b: b}
	r := &Row{Version: d.unsigned(), Published: d.unsigned(), Partition: int32(d.signed()), Offset: d.signed(),
		Start: d.signed(), End: d.signed(), Count: d.signed()}
	n := d.signed()
	if d.short || n < 0 || n > int64(len(b)) {
		return nil, errShort
	}
	r.Values = make([]Value, n)
	for i := range r.Values {
		r.Values[i] = Value{N: d.signed(), Num: d.text(d.signed())}
	}
	for !d.short && len(d.b) >= 8 {
		r.Floats = append(r.Floats, math.Float64frombits(binary.BigEndian.Uint64(d.b)))
		d.b = d.b[8:]
	}
	if d.short {
		return nil, errShort
	}
	return r, nil
}

type decoder struct {
	b     []byte
	short bool
}

func (d *decoder) unsigned() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.short = true
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.short = true
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *decoder) text(n int64) string {
	if n < 0 || n > int64(len(d.b)) {
		d.short = true
		return ""
	}
	v := string(d.b[:n])
	d.b = d.b[n:]
	return v
}
