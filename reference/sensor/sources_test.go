package sensor_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Sources that go away in the middle of an answer neither hold up the others nor lose what was kept.
func TestManySourcesAtOnceKeepTheOrderOfEachDevice(t *testing.T) {
	w := newWorld(t)
	rec, recorder := w.recorder(nil)
	const devices, each = 40, 60
	var all sync.WaitGroup
	for device := range devices {
		all.Go(func() {
			for i := range each {
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				if i%10 == 9 {
					cancel() // nobody waits for this one's answer
				}
				a := rec.Accept(ctx, reading(device*each+i, device, base.Add(time.Duration(i)*time.Minute), fmt.Sprint(i)))
				cancel()
				if !a.Recorded && !errors.Is(a.Err, context.Canceled) {
					t.Errorf("device %d, event %d: %+v", device, i, a)
				}
			}
		})
	}
	all.Wait()
	recorder.stop()
	last := map[string]int64{}
	records := 0
	for _, r := range scan(t, w) {
		device, i := gjson.GetBytes(r.Value, "data.id_perangkat").String(), gjson.GetBytes(r.Value, "data.suhu_c").Int()
		if string(r.Key) != device || i < last[device] {
			t.Errorf("%s: %d after %d, key %q", device, i, last[device], r.Key)
		}
		last[device] = i
		records++
	}
	if least := devices * each * 9 / 10; records < least {
		t.Errorf("%d records, want at least %d", records, least)
	}
	if rows := w.stores["recorder1"].Len("outbox"); rows != 0 {
		t.Errorf("%d rows are left in the outbox after a clean stop", rows)
	}
}

// scan reads all that is in the topic of events.
func scan(t *testing.T, w *world) []*kgo.Record {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(w.addrs...), kgo.ConsumeTopics(w.c.Events.Name))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	var out []*kgo.Record
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		fetches := cl.PollFetches(ctx)
		cancel()
		if fetches.NumRecords() == 0 {
			return out
		}
		out = append(out, fetches.Records()...)
	}
}
