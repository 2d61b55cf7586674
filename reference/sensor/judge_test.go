package sensor

import (
	"bytes"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"tahanuji/reference/port"
	"tahanuji/reference/sensor/payload"

	"github.com/tidwall/gjson"
)

func idOf(raw []byte) string { return gjson.GetBytes(raw, "event_id").String() }

func (c Config) key(raw []byte) []byte {
	return []byte(gjson.GetBytes(raw, "data.id_perangkat").String())
}

func replaceOnce(s, old, with string) string { return strings.Replace(s, old, with, 1) }

// truth is the fold over the distinct events of a device and hour, computed apart from the roles.
type truth struct {
	count   int64
	lowest  *big.Rat
	highest *big.Rat
	sum     *big.Rat
}

// judge names the clauses that a world at rest breaks.
func (w *world) judge() []string {
	w.log()
	w.topics()
	w.answers()
	w.summaries()
	w.groups()
	w.shown()
	if len(w.poisoned) > 0 && (w.found["group.progress"] || w.found["delivery.no-loss"] || w.found["role.stays-up"]) {
		w.found["poison.isolated"] = true
	}
	return slices.Sorted(maps.Keys(w.found))
}

func (w *world) blame(clause string, when bool) {
	if when {
		w.found[clause] = true
	}
}

// log judges the topic of events: keys, validity, order, invention, loss.
func (w *world) log() {
	known, inTopic := map[string]bool{}, map[string]bool{}
	for _, e := range w.sent {
		known[e.id] = true
	}
	order := map[string][]string{}
	for p, records := range w.f.logs[w.c.Events.Name] {
		for _, r := range records {
			if w.poisoned[Position{r.Topic, int32(p), r.Offset}] {
				continue
			}
			valid := w.recorder.check.Valid(r.Value)
			w.blame("schema.valid-only", !valid)
			w.blame("topic.key", !bytes.Equal(r.Key, w.c.key(r.Value)))
			id, device := idOf(r.Value), string(w.c.key(r.Value))
			w.blame("delivery.no-invention", valid && !known[id])
			if !inTopic[id] {
				inTopic[id] = true
				order[device] = append(order[device], id)
			}
		}
	}
	want := map[string][]string{}
	for _, e := range w.sent {
		w.blame("delivery.no-loss", e.answer.EventID == e.id && !inTopic[e.id])
		if inTopic[e.id] {
			want[e.device] = append(want[e.device], e.id)
		}
	}
	for device, ids := range want {
		got := slices.DeleteFunc(slices.Clone(order[device]), func(id string) bool { return !known[id] })
		w.blame("order.device", !slices.Equal(got, ids))
	}
}

func (w *world) topics() {
	w.blame("topic.only-listed", len(w.f.logs) != 2)
	w.blame("topic.partitions", len(w.f.logs[w.c.Events.Name]) != 3)
	w.blame("topic.retention", w.f.config[w.c.Events.Name+" retention.ms"] != "")
	w.blame("topic.cleanup", w.f.config[w.c.Events.Name+" cleanup.policy"] != "")
	for _, a := range w.f.acks {
		w.blame("producer.acks-all", a.Acks != -1)
		w.blame("producer.idempotent", !a.Idempotent)
	}
}

func (w *world) answers() {
	for _, a := range w.invalid {
		var fields []payload.Pointer
		for _, r := range a.Refused {
			fields = append(fields, r.Field)
		}
		w.blame("schema.valid-only", a.Recorded || !slices.Contains(fields, "/data/suhu_c") || !slices.Contains(fields, "/data/lantai"))
	}
}

// truths folds the valid records of the topic.
func (w *world) truths() map[string]*truth {
	out, ids := map[string]*truth{}, map[string]bool{}
	for p, records := range w.f.logs[w.c.Events.Name] {
		for _, r := range records {
			id := idOf(r.Value)
			if ids[id] || w.poisoned[Position{r.Topic, int32(p), r.Offset}] || !w.recorder.check.Valid(r.Value) {
				continue
			}
			ids[id] = true
			at, _ := time.Parse(time.RFC3339, gjson.GetBytes(r.Value, "occurred_at").String())
			key := string(w.c.key(r.Value)) + " " + at.Truncate(time.Hour).Format(time.RFC3339)
			v, _ := new(big.Rat).SetString(gjson.GetBytes(r.Value, "data.suhu_c").Raw)
			t := out[key]
			if t == nil {
				t = &truth{lowest: v, highest: v, sum: new(big.Rat)}
				out[key] = t
			}
			t.count++
			t.sum.Add(t.sum, v)
			if v.Cmp(t.lowest) < 0 {
				t.lowest = v
			}
			if v.Cmp(t.highest) > 0 {
				t.highest = v
			}
		}
	}
	return out
}

// finals are the last summaries by device and hour.
func (w *world) finals() map[string]port.Record {
	out := map[string]port.Record{}
	for _, r := range w.f.logs[w.c.Summaries.Name][0] {
		out[gjson.GetBytes(r.Value, "data.id_perangkat").String()+" "+gjson.GetBytes(r.Value, "data.jam").String()] = r
	}
	return out
}

func (w *world) summaries() {
	truths, finals := w.truths(), w.finals()
	bytesOf := map[string]string{}
	for _, r := range w.f.logs[w.c.Summaries.Name][0] {
		w.blame("schema.valid-only", !w.display.check.Valid(r.Value))
		w.blame("topic.key", !bytes.Equal(r.Key, w.c.key(r.Value)))
		// The same count of the same device and hour is the same set here: nothing is taken away.
		version := fmt.Sprint(gjson.GetBytes(r.Value, "data.id_perangkat"), gjson.GetBytes(r.Value, "data.jam"), gjson.GetBytes(r.Value, "data.jumlah"))
		w.blame("summary.same-value", bytesOf[version] != "" && bytesOf[version] != string(r.Value))
		bytesOf[version] = string(r.Value)
	}
	for key, t := range truths {
		r, ok := finals[key]
		if w.blame("summary.published", !ok); !ok {
			continue
		}
		data := gjson.GetBytes(r.Value, "data")
		count := data.Get("jumlah").Int()
		w.blame("count.once", count != t.count)
		w.blame("delivery.no-loss", count < t.count)
		mean := new(big.Rat).Quo(t.sum, new(big.Rat).SetInt64(t.count))
		off := new(big.Rat).Sub(number(data.Get("suhu_rata")), mean)
		w.blame("summary.value", count != t.count || number(data.Get("suhu_min")).Cmp(t.lowest) != 0 ||
			number(data.Get("suhu_maks")).Cmp(t.highest) != 0 || off.Abs(off).Cmp(big.NewRat(5, 1000)) > 0)
	}
	for key := range finals {
		w.blame("count.once", truths[key] == nil)
	}
}

func number(v gjson.Result) *big.Rat {
	r, ok := new(big.Rat).SetString(v.Raw)
	if !ok {
		return new(big.Rat)
	}
	return r
}

func (w *world) groups() {
	w.blame("commit.matches", len(w.f.rewound) > 0)
	for p, records := range w.f.logs[w.c.Events.Name] {
		at := w.f.committed[w.c.SummarizerGroup][port.Partition{Topic: w.c.Events.Name, Partition: int32(p)}]
		w.blame("group.progress", at != int64(len(records)))
	}
	for p := range w.f.committed[w.c.SummarizerGroup] {
		w.blame("group.full-stream", p.Topic != w.c.Events.Name)
	}
}

func (w *world) shown() {
	finals, rows := w.finals(), w.display.Rows()
	w.blame("display.last-value", len(rows) != len(finals))
	for _, r := range rows {
		last := finals[r.Key[0]+" "+r.Key[1]]
		w.blame("display.last-value", gjson.GetBytes(last.Value, "data").Raw != string(r.Value))
	}
}
