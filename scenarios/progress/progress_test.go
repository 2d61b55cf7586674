package progress_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"tahanuji/scenarios/progress"
)

// buffer is a writer whose text may be read while others write.
type buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func TestOnATerminalOneLineIsRewrittenAndCleared(t *testing.T) {
	var b buffer
	p := progress.New(&b, true, 3)
	p.Begin("sensor/calm/none/embedded")
	p.Begin("sensor/event-cut/produce-cut/embedded")
	p.End("sensor/calm/none/embedded", "holds")
	p.End("sensor/event-cut/produce-cut/embedded", "broken")
	p.Close()
	text := b.text.String()
	if strings.Contains(text, "\n") {
		t.Errorf("there is more than one line: %q", text)
	}
	if !strings.HasSuffix(text, "\r\x1b[K") {
		t.Errorf("the line is not cleared at the end: %q", text)
	}
	states := strings.Split(text, "\r\x1b[K")
	for i, piece := range []string{"0 of 3 cells", "0 of 3 cells", "1 of 3 cells", "2 of 3 cells, 1 with broken clauses"} {
		if !strings.HasPrefix(states[i+1], piece) {
			t.Errorf("state %d is %q, want %q", i, states[i+1], piece)
		}
	}
	if !strings.Contains(states[2], "sensor/calm/none/embedded, sensor/event-cut/produce-cut/embedded") {
		t.Errorf("the running cells are not named: %q", states[2])
	}
	if strings.Contains(states[3], "calm") {
		t.Errorf("a cell that is done is named as running: %q", states[3])
	}
}

func TestALineOnATerminalIsNoLongerThanAScreenIsWide(t *testing.T) {
	var b buffer
	p := progress.New(&b, true, 9)
	for i := range 9 {
		p.Begin(fmt.Sprintf("sensor/a-scenario-with-a-long-name-%d/a-fault/embedded", i))
	}
	for _, line := range strings.Split(b.text.String(), "\r\x1b[K") {
		if len(line) > 118 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}

func TestElsewhereThereAreFewPlainLinesAndTheLastOne(t *testing.T) {
	var b buffer
	p := progress.New(&b, false, 50)
	for i := range 50 {
		id := fmt.Sprint("cell-", i)
		p.Begin(id)
		p.End(id, "holds")
	}
	p.Close()
	text := b.text.String()
	if strings.ContainsAny(text, "\r\x1b") {
		t.Errorf("control characters in plain lines: %q", text)
	}
	if !strings.HasSuffix(text, "\n") || !strings.Contains(text, "50 of 50 cells") {
		t.Errorf("the last line is missing: %q", text)
	}
	if n := strings.Count(text, "\n"); n > 25 {
		t.Errorf("%d lines for 50 cells that took no time", n)
	}
}

func TestProgressIsToldByManyAtOnce(t *testing.T) {
	var b buffer
	p := progress.New(&b, true, 40)
	var wait sync.WaitGroup
	for i := range 40 {
		wait.Go(func() {
			id := fmt.Sprint("cell-", i)
			p.Begin(id)
			p.End(id, "holds")
		})
	}
	wait.Wait()
	states := strings.Split(b.text.String(), "\r\x1b[K")
	if last := states[len(states)-1]; !strings.HasPrefix(last, "40 of 40 cells") || strings.Contains(last, "left") || strings.Contains(last, "cell-") {
		t.Errorf("at the end it says %q", last)
	}
}
