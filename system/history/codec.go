package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// maxLine bounds a line of a history file: the largest record that a broker takes by default, with room for escapes.
const maxLine = 16 << 20

// WriteEvents writes one JSON object a line.
func WriteEvents(w io.Writer, events []Event) error { return writeLines(w, events) }

// WriteLedger writes one JSON object a line.
func WriteLedger(w io.Writer, ledger []Exchange) error { return writeLines(w, ledger) }

// ReadEvents reads what WriteEvents wrote. Unknown fields and broken lines are errors that name the line.
func ReadEvents(r io.Reader) ([]Event, error) { return readLines[Event](r) }

// ReadLedger reads what WriteLedger wrote. Unknown fields and broken lines are errors that name the line.
func ReadLedger(r io.Reader) ([]Exchange, error) { return readLines[Exchange](r) }

func writeLines[T any](w io.Writer, values []T) error {
	b := bufio.NewWriterSize(w, 64<<10)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	for i := range values {
		if err := enc.Encode(&values[i]); err != nil {
			return fmt.Errorf("history: write line %d: %w", i+1, err)
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("history: write: %w", err)
	}
	return nil
}

func readLines[T any](r io.Reader) ([]T, error) {
	var out []T
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), maxLine)
	for line := 1; s.Scan(); line++ {
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(s.Bytes()))
		d.DisallowUnknownFields()
		var v T
		if err := d.Decode(&v); err != nil {
			return nil, fmt.Errorf("history: line %d: %w", line, err)
		}
		out = append(out, v)
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("history: read: %w", err)
	}
	return out, nil
}
