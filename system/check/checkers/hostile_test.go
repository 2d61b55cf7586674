package checkers

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Whatever a history holds, no checker fails, and the same history is always judged alike.
func TestNoHistoryMakesACheckerFail(t *testing.T) {
	doc := load(t, subjects[0].file)
	rapid.Check(t, func(t *rapid.T) {
		h := &history.History{}
		for i := range rapid.IntRange(0, 40).Draw(t, "events") {
			h.Events = append(h.Events, anyEvent(t, history.Seq(i+1)))
		}
		for i := range rapid.IntRange(0, 10).Draw(t, "exchanges") {
			h.Ledger = append(h.Ledger, anyExchange(t, int64(i+1)))
		}
		first := judge(&check.Input{Doc: doc, History: h})
		again := judge(&check.Input{Doc: doc, History: h})
		for id, v := range first {
			if v.Detail != "" {
				t.Fatalf("%s: %s\n%s", id, v.Why, v.Detail)
			}
			if fmt.Sprint(v) != fmt.Sprint(again[id]) {
				t.Fatalf("%s is judged in two ways:\n%v\n%v", id, v, again[id])
			}
		}
	})
}

func TestADocumentThatIsEmptyMakesNoCheckerFail(t *testing.T) {
	h := &history.History{Events: []history.Event{{Seq: 1, Op: history.OpRecord, Phase: history.OK, Tag: history.ScanRest, Where: &history.Position{Topic: "x"}}}}
	in := &check.Input{Doc: &contract.Document{}, History: h}
	var all []contract.Clause
	for _, id := range contract.ClauseIDs() {
		all = append(all, contract.Clause{ID: id})
	}
	for _, v := range check.Judge(t.Context(), all, in, All()) {
		if v.Detail != "" {
			t.Errorf("%s: %s\n%s", v.Clause, v.Why, v.Detail)
		}
		if v.Outcome == check.Holds {
			t.Errorf("%s holds over nothing: %s", v.Clause, v.Why)
		}
	}
}

func anyEvent(t *rapid.T, seq history.Seq) history.Event {
	pick := func(name string, all ...string) string { return rapid.SampledFrom(all).Draw(t, name) }
	id := fmt.Sprintf("v%d", rapid.IntRange(0, 3).Draw(t, "id"))
	e := history.Event{
		Seq: seq, At: time.Duration(rapid.IntRange(0, 100).Draw(t, "at")) * time.Second,
		Op: pick("op", history.OpSend, history.OpRecord, history.OpTopic, history.OpCommitted, history.OpEnd, history.OpLag, history.OpRow,
			history.OpStored, history.OpFault, history.OpRole, history.OpGroup, history.OpPhase, "nonsense"),
		Phase: history.Phase(pick("phase", "invoke", "ok", "fail", "unknown", "")),
		Proc:  pick("proc", "recorder", "summarizer/1", "display", "perekap", "tampilan", "harness", ""),
		Of:    history.Seq(rapid.IntRange(0, int(seq)).Draw(t, "of")),
		Tag:   pick("tag", history.ScanRest, history.ScanRest, history.ScanReplayKept, history.ScanReplayEmptied, "load", "healed", "invalid", "poison", "never", ""),
		Key:   pick("key", id, "event:1", "sensor-07", "kejadian", "rangkuman", `["sensor-07","2026-11-07T08:00:00Z"]`, `[1,{}]`, "rest", "replay-kept", "exited", "settle", ""),
		Err:   pick("err", "", `["/data/suhu"]`, "[", "null"),
		Value: pick("value", "", "{", "null", "7", `[]`, "-5", `{"partitions":"x"}`, `{"partitions":2,"config":{"retention.ms":7}}`, `["/data/suhu"]`,
			reading(id, "sensor-07", "2026-11-07T08:30:00Z", "24.5"), reading(id, "sensor-07", "2026-11-07T09:30:00Z", "1e999999"),
			reading(id, "sensor-08", "9999-12-31T23:59:59Z", "999"), reading(id, "x", "0000-01-01T00:00:00Z", "\"NaN\""),
			total("sensor-07", "2026-11-07T08:00:00Z", "1"), total("sensor-07", "2026-11-07T08:00:00Z", "-3.5"), total("", "yesterday", "1e30")),
	}
	if rapid.Bool().Draw(t, "somewhere") {
		e.Where = &history.Position{
			Topic: pick("topic", "kejadian", "rangkuman", "another", ""), Partition: rapid.Int32Range(-1, 2).Draw(t, "partition"),
			Offset: rapid.Int64Range(-2, 5).Draw(t, "offset"),
		}
	}
	if rapid.Bool().Draw(t, "produced") {
		e.Producer = &history.Producer{ID: rapid.Int64Range(-1, 1).Draw(t, "producer"), Seq: rapid.Int32Range(-1, 2).Draw(t, "number")}
	}
	return e
}

func reading(id, key, at, n string) string {
	return fmt.Sprintf(`{"id":%q,"jenis":"suhu.terbaca","waktu":%q,"data":{"alat":%q,"suhu":%s}}`, id, at, key, n)
}

func total(key, window, n string) string {
	return fmt.Sprintf(`{"id":"s","jenis":"suhu.dirangkum","waktu":"2026-11-07T09:00:00Z","data":{"alat":%q,"jam":%q,"jumlah":%s,"min":1,"maks":2,"rata":1.5}}`, key, window, n)
}

func anyExchange(t *rapid.T, seq int64) history.Exchange {
	pick := func(name string, all ...string) string { return rapid.SampledFrom(all).Draw(t, name) }
	phases := []string{"ok", "fail", "unknown", ""}
	x := history.Exchange{
		Seq: seq, At: time.Duration(seq) * time.Second, Took: time.Duration(rapid.IntRange(0, 9).Draw(t, "took")) * time.Second,
		API:  pick("api", "Produce", "OffsetCommit", "Fetch", "JoinGroup", "LeaveGroup", "CreateTopics", "nonsense"),
		Door: pick("door", "recorder/1", "summarizer/1", "summarizer/2", "display/1", ""), Group: pick("group", "perekap", "tampilan", ""),
		Applied: history.Phase(pick("applied", phases...)), Told: history.Phase(pick("told", phases...)), Acks: int16(rapid.IntRange(-1, 1).Draw(t, "acks")),
		Fault: pick("fault", "", "step"), Do: pick("do", "", "kill", "hold"), Copy: rapid.Bool().Draw(t, "copy"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "items") {
		x.Items = append(x.Items, history.Item{
			Topic: pick("topic", "kejadian", "rangkuman", "another", ""), Partition: rapid.Int32Range(-1, 2).Draw(t, "partition"),
			Offset: rapid.Int64Range(-2, 5).Draw(t, "offset"), Code: rapid.Int16Range(0, 1).Draw(t, "code"), Records: rapid.IntRange(-1, 3).Draw(t, "records"),
			Labels: rapid.SliceOfN(rapid.SampledFrom([]string{"", "event:1", "summary:sensor-07|2026-11-07T08:00:00Z"}), 0, 3).Draw(t, "labels"),
		})
	}
	return x
}
