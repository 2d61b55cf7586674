package workload

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"

	"tahanuji/system/contract"
	"tahanuji/system/workload/draw"
)

// lineLimit is the longest line that is read, in bytes: Kafka's own default for a record (message.max.bytes) is 1 MiB.
const lineLimit = 1 << 20

// FromFile reads a load from a file with one record a line, sent in the file's order. Every line is held against the document:
// a line that breaks its schema or rules is an error with its number and fields. A record that stands twice is a duplicate
// send; two different records with one id are an error. Of the options, Flow and First count.
func FromFile(doc *contract.Document, path string, o Options) (*Load, error) {
	return fromFile(doc, o, path)
}

func fromFile(doc *contract.Document, o Options, path string) (*Load, error) {
	s, err := newShape(doc, o.Flow)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("workload: input: %w", err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	l := newLoad(s, o)
	r := &reader{load: l, seen: map[string]Event{}, next: o.First, path: path}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, lineLimit)
	for number := 1; lines.Scan(); number++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := r.line(bytes.Clone(line), number); err != nil {
			r.errs = append(r.errs, err)
			if len(r.errs) == 5 {
				break
			}
		}
	}
	if err := errors.Join(append(r.errs, lines.Err())...); err != nil {
		return nil, fmt.Errorf("workload: input: %w", err)
	}
	if len(l.Events) == 0 {
		return nil, fmt.Errorf("workload: input: %s holds no event", path)
	}
	first, err := draw.Parse(l.Events[0].Record)
	if err != nil {
		return nil, fmt.Errorf("workload: input: %w", err)
	}
	if err := s.clocks(first, l.Base); err != nil {
		return nil, err
	}
	l.cover()
	return l, nil
}

type reader struct {
	load *Load
	seen map[string]Event // by id
	next int
	path string
	errs []error
}

func (r *reader) line(raw []byte, number int) error {
	s := r.load.shape
	if problems := s.payload.Validate(raw); len(problems) > 0 {
		var why []string
		for _, p := range problems {
			why = append(why, fmt.Sprintf("%s: %s", fieldName(p.Field), p.Why))
		}
		return fmt.Errorf("%s:%d: %s", r.path, number, strings.Join(why, "; "))
	}
	record, err := draw.Parse(raw)
	if err != nil {
		return fmt.Errorf("%s:%d: %w", r.path, number, err)
	}
	w := s.window()
	text, ok := w.Of.Text(raw)
	if !ok {
		return fmt.Errorf("%s:%d: %s: the event has no time there", r.path, number, w.Of)
	}
	at, err := contract.ParseTime(text)
	if err != nil {
		return fmt.Errorf("%s:%d: %s: %w", r.path, number, w.Of, err)
	}
	e := Event{Record: raw, At: at, Window: w.Start(at), Tag: TagFile}
	s.describe(&e, record)
	if old, ok := r.seen[e.ID]; ok && e.ID != "" {
		if !bytes.Equal(old.Record, raw) {
			return fmt.Errorf("%s:%d: %s: the id %q stands in an earlier line with another record", r.path, number, s.doc.Envelope.ID, e.ID)
		}
		r.load.Sends = append(r.load.Sends, Send{Event: old, Kind: Duplicate, Tag: TagFile})
		return nil
	}
	r.seen[e.ID] = r.load.add(e, First, &r.next)
	return nil
}
