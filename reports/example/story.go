package example

import (
	"fmt"
	"time"

	"tahanuji/reports"
	"tahanuji/system/check"
	"tahanuji/system/history"
)

// Loss is a history in which event 17 is recorded, stored by nobody, and passed by a commit; and the verdict that says so.
func Loss() (*history.History, check.Verdict) {
	b := &builder{}
	b.phase("start", 0)
	b.phase("load", 40)
	for i := range 60 {
		at := 60 + 22*i
		id := fmt.Sprintf("a3f8e1d2-7b4c-4e2a-9c1d-5e6f7a8b%04d", i)
		label := fmt.Sprintf("event:%d", i)
		p := int32(i % 3)
		record := fmt.Sprintf(`{"event_id":%q,"event_type":"sensor.suhu.terbaca","occurred_at":"2026-11-07T08:%02d:00Z","data":{"id_perangkat":"sensor-%02d","lantai":3,"suhu_c":24.5}}`, id, i, i%20)
		sent := b.add(at, history.Event{Op: history.OpSend, Phase: history.Invoke, Proc: "rekam", Key: label, Value: record})
		b.exchange(at+3, history.Exchange{Door: "rekam/1", API: "Produce", Items: []history.Item{item("m8-suhu-kejadian", p, int64(i/3), label)}})
		ok := b.add(at+8, history.Event{Op: history.OpSend, Phase: history.OK, Of: sent, Proc: "rekam", Key: label, Value: id,
			Where: &history.Position{Topic: "m8-suhu-kejadian", Partition: p, Offset: int64(i / 3)}})
		member := fmt.Sprintf("hitung/%d", 1+p)
		b.exchange(at+12, history.Exchange{Door: member, Group: "perekap", API: "Fetch", Items: []history.Item{item("m8-suhu-kejadian", p, int64(i/3), label)}})
		if i == 17 {
			b.witness = append(b.witness, sent, ok)
			continue
		}
		b.add(at+16, history.Event{Op: history.OpStored, Phase: history.OK, Proc: member, Key: id, Where: &history.Position{Topic: "m8-suhu-kejadian", Partition: p, Offset: int64(i / 3)}})
		b.exchange(at+19, history.Exchange{Door: member, Group: "perekap", API: "OffsetCommit", Items: []history.Item{{Topic: "m8-suhu-kejadian", Partition: p, Offset: int64(i/3) + 1}}})
		b.add(at+20, history.Event{Op: history.OpLag, Phase: history.OK, Proc: "perekap", Value: fmt.Sprint(lagAt(i)), Tag: "load"})
	}
	b.fault()
	b.rest()
	return &history.History{Events: b.events, Ledger: b.ledger}, check.Verdict{
		Clause: "commit.after-store", Outcome: check.Broken, Examined: 60, Found: 1, Cause: "role-killed 1",
		Why:     "event:17 of sensor-17 at m8-suhu-kejadian/2 offset 5 was never stored, and the group perekap has committed offset 6, past it",
		Witness: b.witness, Exchanges: b.exchanges,
	}
}

func lagAt(i int) int {
	if i > 17 && i < 40 {
		return (40 - i) * (i - 17) / 4
	}
	return i % 3
}

func item(topic string, p int32, offset int64, label string) history.Item {
	return history.Item{Topic: topic, Partition: p, Offset: offset, Records: 1, Labels: []string{label}}
}

type builder struct {
	events    []history.Event
	ledger    []history.Exchange
	witness   []history.Seq
	exchanges []int64
}

func (b *builder) add(ms int, e history.Event) history.Seq {
	e.Seq, e.At = history.Seq(len(b.events)+1), time.Duration(ms)*time.Millisecond
	b.events = append(b.events, e)
	return e.Seq
}

func (b *builder) phase(name string, ms int) {
	b.add(ms, history.Event{Op: history.OpPhase, Phase: history.OK, Key: name})
}

func (b *builder) exchange(ms int, x history.Exchange) int64 {
	x.Seq, x.At = int64(len(b.ledger)+1), time.Duration(ms)*time.Millisecond
	if x.Applied == "" {
		x.Applied, x.Told = history.OK, history.OK
	}
	b.ledger = append(b.ledger, x)
	return x.Seq
}

// fault kills the member that holds event 17, at the commit that passes it.
func (b *builder) fault() {
	step := b.add(448, history.Event{Op: history.OpFault, Phase: history.Invoke, Key: "role-killed 1", Value: "hitung/3"})
	b.exchanges = append(b.exchanges, b.exchange(449, history.Exchange{Door: "hitung/3", Group: "perekap", API: "OffsetCommit", Fault: "role-killed 1", Do: "kill",
		Applied: history.OK, Told: history.Unknown, Items: []history.Item{{Topic: "m8-suhu-kejadian", Partition: 2, Offset: 6, Labels: []string{"event:17"}}}}))
	b.witness = append(b.witness, b.add(450, history.Event{Op: history.OpRole, Phase: history.OK, Proc: "hitung/3", Key: "killed"}))
	b.add(900, history.Event{Op: history.OpRole, Phase: history.OK, Proc: "hitung/3", Key: "started"})
	b.add(905, history.Event{Op: history.OpFault, Phase: history.OK, Of: step, Key: "role-killed 1"})
}

// rest is what is seen when all is calm.
func (b *builder) rest() {
	b.phase("heal", 1400)
	b.phase("settle", 1420)
	b.phase("rest", 2600)
	for i := range 60 {
		p := int32(i % 3)
		b.add(2610, history.Event{Op: history.OpRecord, Phase: history.OK, Proc: "scan", Tag: history.ScanRest, Key: fmt.Sprintf("sensor-%02d", i%20),
			Value: fmt.Sprintf(`{"event_id":"a3f8e1d2-7b4c-4e2a-9c1d-5e6f7a8b%04d"}`, i),
			Where: &history.Position{Topic: "m8-suhu-kejadian", Partition: p, Offset: int64(i / 3)}})
	}
	for p := range 3 {
		seq := b.add(2640, history.Event{Op: history.OpCommitted, Phase: history.OK, Proc: "perekap", Tag: history.ScanRest,
			Where: &history.Position{Topic: "m8-suhu-kejadian", Partition: int32(p), Offset: 20}})
		if p == 2 {
			b.witness = append(b.witness, seq)
		}
	}
	for i := range 20 {
		b.add(2660, history.Event{Op: history.OpRow, Phase: history.OK, Proc: "tampilkan", Tag: history.ScanRest,
			Key: fmt.Sprintf(`["sensor-%02d","2026-11-07T08:00:00Z"]`, i), Value: `{"/data/jumlah":3}`})
	}
	b.phase("end", 2700)
}

// Save writes runs as run folders under out and reads them back. A run whose clause commit.after-store is broken under
// role-killed gets the evidence of Loss; the others get a short history.
func Save(out string, runs []reports.Run) ([]reports.Run, error) {
	for _, r := range runs {
		h := &history.History{Events: []history.Event{{Seq: 1, Op: history.OpPhase, Phase: history.OK, Key: "end"}}}
		for _, v := range r.Verdicts {
			if v.Clause == "commit.after-store" && len(v.Witness) > 0 {
				h, _ = Loss()
			}
		}
		folder := reports.CellFolder(out, r.Cell)
		if err := reports.SaveEvidence(folder, r.Faults, h); err != nil {
			return nil, err
		}
		if err := reports.Write(folder, r); err != nil {
			return nil, err
		}
	}
	return reports.ReadRuns(out)
}
