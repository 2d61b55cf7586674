package sensor

import (
	"context"
	"testing"
	"time"

	"tahanuji/reference/port"
)

func BenchmarkAccept(b *testing.B) {
	f := newFake(Default())
	r := newTestRecorder(b, f.port("recorder", 1), nil)
	raws := make([][]byte, 4096)
	for i := range raws {
		raws[i] = reading(i, i%20, start.Add(time.Duration(i)*3*time.Second), "24.5")
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if a := r.Accept(context.Background(), raws[i%len(raws)]); !a.Recorded {
			b.Fatal(a)
		}
		i++
	}
}

// BenchmarkSummarizerEvent is the cost of one event in polls of one record (the worst case) and of a hundred.
func BenchmarkSummarizerEvent(b *testing.B) {
	for _, size := range []struct {
		name string
		n    int
	}{{"alone", 1}, {"in hundreds", 100}} {
		b.Run(size.name, func(b *testing.B) {
			c := Default()
			f := newFake(c)
			s := newTestSummarizer(b, f.port("summarizer", 1), nil)
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				raw := reading(n, n%20, start.Add(time.Duration(n)*3*time.Second), "24.5")
				n++
				at := n % 3
				f.logs[c.Events.Name][at] = append(f.logs[c.Events.Name][at], port.Record{Topic: c.Events.Name, Partition: int32(at),
					Offset: int64(len(f.logs[c.Events.Name][at])), Value: raw})
				if n%size.n == 0 {
					if err := s.round(context.Background()); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func newTestRecorder(t testing.TB, p port.Port, flaws Flaws) *Recorder {
	t.Helper()
	r, err := NewRecorder(p, Default(), flaws)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.open(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := r.recover(context.Background()); err != nil {
		t.Fatal(err)
	}
	return r
}

func newTestSummarizer(t testing.TB, p port.Port, flaws Flaws) *Summarizer {
	t.Helper()
	s, err := NewSummarizer(p, Default(), flaws)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.open(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}
