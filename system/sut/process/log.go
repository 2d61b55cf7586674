package process

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// LogLimit is how much of a role's output is kept in its file, in bytes.
const LogLimit = 10 << 20

const (
	tailLines  = 12  // lines that a sentence about a failure quotes at most
	tailLength = 300 // bytes of each
)

// Log keeps the output of one role instance over all its starts: one file, bounded, and the last lines for sentences.
type Log struct {
	mu    sync.Mutex
	file  *os.File
	path  string
	limit int64
	size  int64
	left  int64 // lines left out since the file is full
	tail  []string
}

// OpenLog creates the file (its folder must exist). At most limit bytes are written, then a note, and at Close how many
// lines were left out and the last of them.
func OpenLog(path string, limit int64) (*Log, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, fmt.Errorf("process: open a log: %w", err)
	}
	return &Log{file: f, path: path, limit: limit}, nil
}

// Path of the file.
func (l *Log) Path() string { return l.path }

// Line keeps one line of output.
func (l *Log) Line(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	short := s
	if len(short) > tailLength {
		short = strings.ToValidUTF8(short[:tailLength], "") + " ..."
	}
	l.tail = append(l.tail, short)
	if len(l.tail) > tailLines {
		l.tail = l.tail[1:]
	}
	l.write(s)
}

// Note writes a line of our own, with the time of day.
func (l *Log) Note(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write("--- " + time.Now().UTC().Format("15:04:05.000") + " " + fmt.Sprintf(format, args...))
}

func (l *Log) write(s string) {
	if l.file == nil {
		return
	}
	switch {
	case l.left > 0:
		l.left++
	case l.size+int64(len(s))+1 > l.limit:
		l.left++
		// A log that can't be written is no reason to hurt the run: what a role prints is judged by nobody.
		_, _ = fmt.Fprintf(l.file, "--- this log is full at %d bytes; the rest is left out\n", l.limit)
	default:
		n, _ := l.file.WriteString(s + "\n")
		l.size += int64(n)
	}
}

// Forget drops the last lines, so that a later Tail speaks of what came since.
func (l *Log) Forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tail = nil
}

// Tail ends a sentence with the last lines of output.
func (l *Log) Tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.tail) == 0 {
		return "it printed nothing"
	}
	return "its last lines:\n    " + strings.Join(l.tail, "\n    ")
}

// Close writes what was left out and closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	if l.left > 0 {
		_, _ = fmt.Fprintf(l.file, "--- %d lines were left out; the last ones:\n%s\n", l.left, strings.Join(l.tail, "\n"))
	}
	err := l.file.Close()
	l.file = nil
	if err != nil {
		return fmt.Errorf("process: close a log: %w", err)
	}
	return nil
}
