// Package progress shows how far a sitting is: cells done of all, the running ones, time left. On a terminal it rewrites one
// line; elsewhere it prints a plain line now and then. It decides nothing.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// plainEvery is how often a line is printed where there is no terminal.
const plainEvery = 5 * time.Second

// Progress of a sitting. Safe for concurrent use.
type Progress struct {
	mu       sync.Mutex
	to       io.Writer
	terminal bool
	all      int
	done     int
	broken   int
	running  []string
	begun    time.Time
	printed  time.Time
}

// New shows progress over all cells on to.
func New(to io.Writer, terminal bool, all int) *Progress {
	now := time.Now()
	return &Progress{to: to, terminal: terminal, all: all, begun: now, printed: now}
}

// Begin says that a cell runs.
func (p *Progress) Begin(cell string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, cell)
	p.show(false)
}

// End says that a cell is done, and how: a word such as "holds" or "broken".
func (p *Progress) End(cell, outcome string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if outcome == "broken" {
		p.broken++
	}
	for i, c := range p.running {
		if c == cell {
			p.running = append(p.running[:i], p.running[i+1:]...)
			break
		}
	}
	p.show(p.done == p.all)
}

// Close ends the line that was rewritten.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.terminal {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}

func (p *Progress) show(last bool) {
	now := time.Now()
	if !p.terminal && !last && now.Sub(p.printed) < plainEvery {
		return
	}
	p.printed = now
	line := fmt.Sprintf("%d of %d cells", p.done, p.all)
	if p.broken > 0 {
		line += fmt.Sprintf(", %d with broken clauses", p.broken)
	}
	line += ", " + now.Sub(p.begun).Round(time.Second).String()
	if left := p.left(now); left > 0 {
		line += ", about " + left.Round(time.Second).String() + " left"
	}
	if len(p.running) > 0 {
		line += ": " + strings.Join(p.running, ", ")
	}
	if p.terminal {
		const width = 118
		fmt.Fprintf(p.to, "\r\x1b[K%s", line[:min(len(line), width)])
		return
	}
	fmt.Fprintln(p.to, line)
}

// left is the time that the cells to come will take, if they take what those before took.
func (p *Progress) left(now time.Time) time.Duration {
	if p.done == 0 || p.done == p.all {
		return 0
	}
	return now.Sub(p.begun) / time.Duration(p.done) * time.Duration(p.all-p.done)
}
