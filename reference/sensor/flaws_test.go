package sensor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// moments are the faults under which flaws show. Each ends at rest.
var moments = []struct {
	name string
	play func(w *world)
}{
	{"every kind of input, a restart of the display, a replay with state kept", everyInput},
	{"a replay with state emptied", func(w *world) {
		w.hours(3)
		w.rest()
		before := w.finalValues()
		w.replay(true)
		w.blame("summary.replay", before != w.finalValues())
	}},
	{"the recorder dies with events in its outbox", func(w *world) {
		w.hours(1)
		w.recPort.deaf = true
		for i := range 4 {
			w.send(1, time.Hour+time.Duration(i)*time.Minute, "20.5")
		}
		w.recPort.gone = true
		w.startRecorder()
		w.hours(3)
		w.rest()
	}},
	{"the recorder dies at its send", func(w *world) {
		w.recPort.dieAt, w.recPort.dieAfter = "send", 5
		w.hours(2)
		w.rest()
	}},
	{"a member dies once its commit is applied", func(w *world) { w.dying("commit", false) }},
	{"a member dies before its commit is applied", func(w *world) { w.dying("commit", true) }},
	{"a member dies before its summary is sent", func(w *world) { w.dying("send", true) }},
	{"a member dies once its summary is sent", func(w *world) { w.dying("send", false) }},
	{"a member dies once its store has it", func(w *world) { w.dying("update", false) }},
	{"a store fails, then the member dies", func(w *world) {
		w.hours(1)
		w.work(2)
		w.ports[1].failing, w.ports[1].dieAt, w.ports[1].dieAfter = 3, "update", 3
		w.ports[1].before = true
		w.hours(2)
		w.rest()
	}},
	{"a member joins in the middle of a window, and another one leaves", func(w *world) {
		w.hours(1)
		w.work(3)
		w.join(2)
		for i := range 20 {
			w.send(i%4, time.Hour+time.Duration(i)*time.Minute, "18.25")
			w.work(1)
		}
		w.ports[1].gone = true
		delete(w.members, 1)
		w.f.rebalance(w.c.SummarizerGroup)
		for i := range 20 {
			w.send(i%4, time.Hour+time.Duration(20+i)*time.Minute, "18.75")
			w.work(1)
		}
		w.rest()
	}},
	{"a dead member's summary arrives late", func(w *world) {
		w.hours(1)
		w.work(2)
		w.ports[1].dieAt, w.ports[1].before = "send", true
		w.ports[1].held = true
		w.hours(2)
		w.work(4)
		w.hours(3)
		w.send(1, 31*time.Minute, "20.75") // late: its window is published anew
		w.work(2)
		w.f.arrive()
		w.rest()
	}},
	{"a paused member publishes and commits after it lost its partitions", func(w *world) {
		w.join(2)
		w.hours(1)
		w.work(3)
		for device := range 4 {
			w.send(device, time.Hour+6*time.Minute, "23.5") // closes the first hour
		}
		w.meanwhile = func() {
			w.f.evict(w.c.SummarizerGroup, w.ports[1])
			for device := range 4 {
				w.send(device, 32*time.Minute, "25.5") // late
			}
			w.f.now = w.f.now.Add(2 * w.c.Timing.Claim)
			if err := w.members[2].rounds(w.t, 5); err != nil {
				w.t.Fatal(err)
			}
		}
		w.rest()
		if w.meanwhile != nil && len(w.flaws) == 0 {
			w.t.Error("member 1 was never paused")
		}
	}},
	{"a broken record in the topic", func(w *world) {
		w.hours(1)
		w.poison(1)
		w.poison(2)
		w.hours(2)
		w.rest()
	}},
}

func everyInput(w *world) {
	w.hours(1)
	w.sendInvalid()
	w.resend(3)
	w.work(3)
	w.hours(3)
	w.work(3)
	w.resend(4) // after its window
	w.send(1, 30*time.Minute+time.Second, "-12.5")
	w.rest()
	before := w.finalValues()
	w.startDisplay()
	w.work(2)
	w.blame("display.last-value", len(w.display.Rows()) != len(w.finals()))
	w.replay(false)
	w.blame("summary.replay", before != w.finalValues())
}

// hours sends the readings of four devices up to an hour of event time, in which the greatest is not the last.
func (w *world) hours(until int) {
	from := w.n
	for hour := range until {
		for i, value := range []string{"21.34", "24.57", "24.570", "19.11", "-3", "20.26", "22.09"} {
			for device := range 4 {
				if from == 0 || hour == until-1 {
					w.send(device, time.Duration(hour)*time.Hour+time.Duration(i*8)*time.Minute+time.Duration(from)*time.Second, value)
				}
			}
		}
	}
}

func (w *world) dying(at string, before bool) {
	w.hours(1)
	w.work(2)
	w.ports[1].dieAt, w.ports[1].before = at, before
	w.hours(2)
	w.work(4)
	w.hours(3)
	w.rest()
}

func (w *world) finalValues() string {
	var lines []string
	for key, r := range w.finals() {
		lines = append(lines, key+" "+string(r.Value))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestRolesWithoutFlawsBreakNothing(t *testing.T) {
	for _, m := range moments {
		t.Run(m.name, func(t *testing.T) {
			w := newWorld(t, nil)
			m.play(w)
			if got := w.judge(); len(got) > 0 {
				t.Errorf("broken: %v", got)
			}
			if len(w.finals()) == 0 || len(w.sent) == 0 {
				t.Error("nothing happened")
			}
		})
	}
}

// The first clause that a flaw is said to break is broken at one of the moments.
func TestEveryFlawBreaksItsClause(t *testing.T) {
	for _, f := range AllFlaws() {
		t.Run(f.Name, func(t *testing.T) {
			broken := map[string]bool{}
			for _, m := range moments {
				w := newWorld(t, Flaws{f.Name: true})
				m.play(w)
				for _, clause := range w.judge() {
					broken[clause] = true
				}
			}
			var missed []string
			for _, clause := range f.Breaks {
				if !broken[clause] {
					missed = append(missed, clause)
				}
			}
			if slices.Contains(missed, f.Breaks[0]) {
				t.Errorf("not broken: %v; broken: %v", missed, broken)
			}
			t.Logf("not seen here: %v; seen: %v", missed, broken)
		})
	}
}

func TestEveryFlawIsConsulted(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	list := ""
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "flaws.go" {
			list = string(text)
		} else if !strings.HasSuffix(name, "_test.go") {
			code.Write(text)
		}
	}
	names := map[string]bool{}
	for _, f := range AllFlaws() {
		if names[f.Name] {
			t.Errorf("%s is listed twice", f.Name)
		}
		names[f.Name] = true
		constant := ""
		for line := range strings.Lines(list) {
			if left, right, ok := strings.Cut(line, "="); ok && strings.TrimSpace(right) == fmt.Sprintf("%q", f.Name) {
				constant = strings.TrimSpace(left)
			}
		}
		if constant == "" || !strings.Contains(code.String(), "flaws.Has("+constant+")") {
			t.Errorf("%s (constant %q) is consulted nowhere", f.Name, constant)
		}
		if len(f.Breaks) == 0 || f.Doc == "" || f.Role == "" {
			t.Errorf("%s says too little of itself", f.Name)
		}
	}
	if got := strings.Count(list, ` = "`); got != len(names)+3 {
		t.Errorf("%d constants for %d flaws and 3 roles", got, len(names))
	}
}
