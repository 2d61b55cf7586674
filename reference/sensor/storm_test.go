package sensor_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tahanuji/reference/sensor"

	"github.com/tidwall/gjson"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// storm cuts requests and kills, joins and stops roles while events come in. Its draws follow from the seed; how the roles
// interleave does not.
type storm struct {
	*world
	rng  *rand.Rand
	cuts atomic.Int64
	calm atomic.Bool

	rec      *sensor.Recorder
	recorder *running
	shown    *sensor.Display
	display  *running
	members  map[int]*running
}

func newStorm(t *testing.T, seed uint64) *storm {
	s := &storm{world: newWorld(t), rng: rand.New(rand.NewPCG(seed, 1)), members: map[int]*running{}}
	cuts := rand.New(rand.NewPCG(seed, 2))
	var mu sync.Mutex
	for _, key := range []kmsg.Key{kmsg.Produce, kmsg.OffsetCommit, kmsg.OffsetFetch, kmsg.Fetch, kmsg.Heartbeat, kmsg.JoinGroup,
		kmsg.SyncGroup, kmsg.FindCoordinator, kmsg.Metadata, kmsg.InitProducerID} {
		s.cluster.ControlKey(key.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
			s.cluster.KeepControl()
			mu.Lock()
			defer mu.Unlock()
			if s.calm.Load() || cuts.IntN(12) > 0 {
				return nil, nil, false
			}
			s.cuts.Add(1)
			return nil, errors.New("cut"), true
		})
	}
	s.rec, s.recorder = s.world.recorder(nil)
	s.shown, s.display = s.world.display(nil)
	for i := range 2 {
		s.members[i+1] = s.summarizer(i+1, nil)
	}
	return s
}

// strike hurts a role now and then.
func (s *storm) strike() {
	switch s.rng.IntN(240) {
	case 0, 1:
		s.recorder.kill()
		s.rec, s.recorder = s.world.recorder(nil)
	case 2, 3:
		i := 1 + s.rng.IntN(2)
		s.members[i].kill()
		s.members[i] = s.summarizer(i, nil)
	case 4:
		s.display.kill()
		s.shown, s.display = s.world.display(nil)
	case 5, 6:
		if m := s.members[3]; m != nil {
			m.stop()
			delete(s.members, 3)
		} else {
			s.members[3] = s.summarizer(3, nil)
		}
	}
}

// record sends an event until it is recorded, as the source does.
func (s *storm) record(raw []byte) {
	s.t.Helper()
	var last error
	for range 5 {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		a := s.rec.Accept(ctx, raw)
		cancel()
		if a.Recorded {
			return
		}
		last = a.Err
	}
	s.t.Fatalf("%s: not recorded in five tries: %v", raw, last)
}

func TestEveryEventIsShownOnceUnderCutRequestsAndKilledRoles(t *testing.T) {
	s := newStorm(t, 7)
	const devices, hours, each = 5, 3, 20
	n := 0
	for hour := range hours {
		for i := range each {
			for device := range devices {
				n++
				s.record(reading(n, device, base.Add(time.Duration(hour)*time.Hour+time.Duration(i)*3*time.Minute), "24.5"))
				s.strike()
			}
		}
	}
	if s.cuts.Load() == 0 {
		t.Fatal("no request was cut")
	}
	s.calm.Store(true)
	s.stored(n)
	s.clock.Elapse(3 * time.Minute)
	counts(t, s.shown, devices*hours, int64(n))
	for _, r := range s.shown.Rows() {
		if got := gjson.GetBytes(r.Value, "jumlah").Int(); got != each {
			t.Errorf("%s: want %d", r.Value, each)
		}
	}
	ended := []*running{s.recorder, s.display}
	for _, m := range s.members {
		ended = append(ended, m)
	}
	for i, r := range ended {
		r.cancel()
		if err := r.wait(); err != nil {
			t.Error(fmt.Errorf("role %d: clean stop: %w", i, err))
		}
	}
}
