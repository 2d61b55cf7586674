package sensor

import (
	"context"
	"slices"
	"testing"
	"time"
)

// A client may give a record up for good, such as franz-go on a connection that ends by a FIN before its first answer. The source
// was told that the event is recorded, and sends the next one of its key.
func TestWhatComesAfterARecordThatTheClientGaveUpDoesNotOvertakeIt(t *testing.T) {
	for name, notice := range map[string]bool{"seen by who waits for it": true, "seen by nobody before the next one comes": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, Flaws{})
			ctx := context.Background()
			w.recPort.gives = 1
			if !notice { // the first one is left without an answer, and its promise fails afterwards
				w.recPort.gives, w.recPort.deaf = 0, true
			}
			first := reading(1, 1, start, "20.5")
			if a := w.recorder.Accept(ctx, first); !a.Recorded || a.HasPosition {
				t.Fatalf("%+v", a)
			}
			if !notice {
				w.recPort.deaf = false
				w.recorder.late[0].promise = fakePromise{err: context.DeadlineExceeded}
			}
			var want []string
			want = append(want, string(first))
			for n := 2; n <= 4; n++ {
				raw := reading(n, 1, start.Add(time.Duration(n)*time.Minute), "20.5")
				want = append(want, string(raw))
				if a := w.recorder.Accept(ctx, raw); !a.Recorded {
					t.Fatalf("%+v", a)
				}
			}
			w.recorder.look(ctx, 1)
			raw := reading(5, 1, start.Add(time.Hour), "20.5")
			want = append(want, string(raw))
			if a := w.recorder.Accept(ctx, raw); !a.HasPosition {
				t.Errorf("once all is sent anew, a broker that answers at once is not waited for: %+v", a)
			}
			var got []string
			for _, partition := range w.f.logs[w.c.Events.Name] {
				for _, r := range partition {
					got = append(got, string(r.Value))
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("the log holds\n%q, wanted\n%q", got, want)
			}
			if n := w.recorder.look(ctx, 1); n != 0 {
				t.Errorf("%d are still open", n)
			}
		})
	}
}
