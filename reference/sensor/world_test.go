package sensor

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"tahanuji/reference/port"
)

// world drives the three roles over a fake broker, as a run of the harness would, one step after the other.
type world struct {
	t     *testing.T
	c     Config
	f     *fake
	flaws Flaws

	recorder *Recorder
	recPort  *fakePort
	members  map[int]*Summarizer
	ports    map[int]*fakePort
	display  *Display
	showPort *fakePort

	// meanwhile happens while member 1 is paused, right after its next transaction.
	meanwhile func()

	n        int
	sent     []sent
	invalid  []Answer
	stored   map[string]bool
	poisoned map[Position]bool
	found    map[string]bool // clauses that were seen broken on the way
}

// sent is one valid event and the recorder's last answer.
type sent struct {
	id, device, raw string
	answer          Answer
}

func newWorld(t *testing.T, flaws Flaws) *world {
	c := Default()
	w := &world{t: t, c: c, f: newFake(c), flaws: flaws, members: map[int]*Summarizer{}, ports: map[int]*fakePort{},
		stored: map[string]bool{}, poisoned: map[Position]bool{}, found: map[string]bool{}}
	w.startRecorder()
	w.join(1)
	w.startDisplay()
	return w
}

func (w *world) startRecorder() {
	w.recPort = w.f.port("recorder", 1)
	w.recorder = newTestRecorder(w.t, w.recPort, w.flaws)
}

// join starts a member, again if it was there.
func (w *world) join(instance int) *fakePort {
	p := w.f.port("summarizer", instance)
	s := newTestSummarizer(w.t, p, w.flaws)
	s.Observe(Hooks{Stored: func(ids []string, _ []Position) {
		for _, id := range ids {
			w.stored[id] = true
		}
		if meanwhile := w.meanwhile; meanwhile != nil && instance == 1 {
			w.meanwhile = nil
			meanwhile()
		}
	}})
	w.members[instance], w.ports[instance] = s, p
	return p
}

func (w *world) startDisplay() {
	if w.showPort != nil {
		w.showPort.gone = true
	}
	w.showPort = w.f.port("display", 1)
	d, err := NewDisplay(w.showPort, w.c, w.flaws)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := d.open(context.Background()); err != nil {
		w.t.Fatal(err)
	}
	w.display = d
}

// send sends one reading the way the source does: again until it is recorded.
func (w *world) send(device int, at time.Duration, value string) {
	w.n++
	raw := reading(w.n, device, start.Add(at), value)
	e := sent{id: string(raw[13:49]), device: string(w.c.key(raw)), raw: string(raw)}
	w.sent = append(w.sent, e)
	w.resend(len(w.sent) - 1)
}

func (w *world) resend(i int) {
	for range 10 {
		a := w.recorder.Accept(context.Background(), []byte(w.sent[i].raw))
		if a.Recorded {
			w.sent[i].answer = a
			w.place(w.sent[i])
			return
		}
		if errors.Is(a.Err, port.ErrGone) {
			w.startRecorder()
		}
	}
	w.t.Fatalf("%s is never recorded", w.sent[i].id)
}

// place checks an answer against the log (ack.truth).
func (w *world) place(e sent) {
	if !e.answer.HasPosition {
		return
	}
	log := w.f.logs[w.c.Events.Name][e.answer.Partition]
	if e.answer.Offset >= int64(len(log)) || idOf(log[e.answer.Offset].Value) != e.answer.EventID {
		w.found["ack.truth"] = true
	}
}

// sendInvalid sends an event with two wrong fields.
func (w *world) sendInvalid() {
	raw := reading(999_999, 1, start, `"warm"`)
	raw = append(raw[:len(raw)-2], `,"lantai_dua":1}}`...)
	w.invalid = append(w.invalid, w.recorder.Accept(context.Background(), []byte(replaceOnce(string(raw), `"lantai":3`, `"lantai":true`))))
}

// poison writes a broken record to the partition of a device.
func (w *world) poison(device int) {
	key := w.c.key(reading(1, device, start, "1"))
	w.f.port("harness", 1).mustSend(port.Record{Topic: w.c.Events.Name, Key: key, Value: []byte(`{"event_id":17}`)}, func(ack port.Ack) {
		w.poisoned[Position{w.c.Events.Name, ack.Partition, ack.Offset}] = true
	})
}

func (p *fakePort) mustSend(r port.Record, at func(port.Ack)) {
	ack, _ := fakeProducer{p}.Send(context.Background(), r).Wait(context.Background(), 0)
	at(ack)
}

// work lets every member take n rounds in turn; who dies comes back with its number.
func (w *world) work(n int) {
	for range n {
		for _, instance := range slices.Sorted(maps.Keys(w.members)) {
			s := w.members[instance]
			err := s.round(context.Background())
			if err == nil {
				continue
			}
			if !errors.Is(err, port.ErrGone) {
				w.found["role.stays-up"] = true
			}
			w.ports[instance].gone = true
			w.look()
			w.join(instance)
		}
		if err := w.display.round(context.Background()); err != nil {
			w.t.Fatalf("display: %v", err)
		}
		w.look()
	}
}

// look compares what is committed with what is stored (commit.after-store).
func (w *world) look() {
	for p, at := range w.f.committed[w.c.SummarizerGroup] {
		if p.Topic != w.c.Events.Name {
			continue
		}
		for _, r := range w.f.logs[p.Topic][p.Partition][:at] {
			if !w.poisoned[Position{p.Topic, p.Partition, r.Offset}] && !w.stored[idOf(r.Value)] && w.recorder.check.Valid(r.Value) {
				w.found["commit.after-store"] = true
			}
		}
	}
}

// rest lets silence close the last windows, and everything be handled.
func (w *world) rest() {
	w.work(8)
	w.f.now = w.f.now.Add(10 * time.Minute)
	w.work(8)
}

// replay sets the group's offsets back to the beginning while it is empty, with the summarizers' state kept or emptied.
func (w *world) replay(emptied bool) {
	for instance, p := range w.ports {
		p.gone = true
		delete(w.members, instance)
		delete(w.ports, instance)
	}
	w.f.rebalance(w.c.SummarizerGroup)
	clear(w.f.committed[w.c.SummarizerGroup])
	w.f.rewound = nil
	if emptied {
		for name, s := range w.f.stores {
			if name != "recorder1" {
				s.Clear()
			}
		}
		clear(w.stored)
	}
	w.join(1)
	w.rest()
}
