package history_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"tahanuji/system/history"
)

func TestWhatWasWrittenIsReadBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := rapid.SliceOf(rapid.Custom(func(rt *rapid.T) history.Event {
			e := history.Event{
				Seq:   history.Seq(rapid.Int64Min(1).Draw(rt, "seq")),
				At:    time.Duration(rapid.Int64Min(0).Draw(rt, "at")),
				Op:    rapid.SampledFrom([]string{history.OpSend, history.OpRecord}).Draw(rt, "op"),
				Phase: rapid.SampledFrom([]history.Phase{history.Invoke, history.OK, history.Unknown}).Draw(rt, "phase"),
				Key:   rapid.String().Draw(rt, "key"),
				Value: rapid.String().Draw(rt, "value"),
			}
			if rapid.Bool().Draw(rt, "located") {
				e.Where = &history.Position{Topic: "t", Partition: 2, Offset: rapid.Int64().Draw(rt, "offset")}
				e.Producer = &history.Producer{ID: rapid.Int64().Draw(rt, "pid"), Epoch: 1, Seq: 7}
			}
			return e
		})).Draw(rt, "events")
		var b bytes.Buffer
		if err := history.WriteEvents(&b, want); err != nil {
			rt.Fatal(err)
		}
		got, err := history.ReadEvents(&b)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, got); len(want)+len(got) > 0 && diff != "" {
			rt.Fatalf("read back differently (-wrote +read):\n%s", diff)
		}
	})
}

func TestABrokenLineIsNamed(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":       "{\"seq\":1,\"at\":0,\"op\":\"send\",\"phase\":\"ok\"}\nnot json\n",
		"unknown field": "{\"seq\":1,\"at\":0,\"op\":\"send\",\"phase\":\"ok\"}\n{\"colour\":\"red\"}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := history.ReadEvents(strings.NewReader(text))
			if err == nil || !strings.Contains(err.Error(), "line 2") {
				t.Fatalf("want an error that names line 2, got %v", err)
			}
		})
	}
}

func TestARecorderNumbersFromOneInOrder(t *testing.T) {
	var now time.Duration
	r := history.NewRecorderWithClock(func() time.Duration { return now })
	r.Phase("load")
	now = time.Second
	seq := r.Add(history.Event{Op: history.OpSend, Phase: history.Invoke})
	events := r.Events()
	if seq != 2 || len(events) != 2 || events[1].Seq != 2 || events[1].At != time.Second || events[0].Key != "load" {
		t.Fatalf("recorded %+v", events)
	}
}
