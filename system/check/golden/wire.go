package golden

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tahanuji/system/history"
)

// exchange API DOOR [group=] [member=] [generation=] [conn=] [acks=] [applied=] [told=] [fault=] [do=] [copy] [took=]: one request that
// passed the proxy, applied and answered unless it says else. Its items follow, each on a line that begins with +.
func (p *parser) exchange(w *words) error {
	api, door := w.word("api"), w.word("door")
	given := w.options("group", "member", "generation", "conn", "acks", "applied", "told", "fault", "do", "copy", "took")
	p.clock += time.Millisecond
	h := p.file.Input.History
	x := history.Exchange{
		Seq: int64(len(h.Ledger) + 1), At: p.clock, API: api, Door: door, Conn: 1, Group: given["group"], Member: given["member"],
		Applied: history.OK, Told: history.OK, Fault: given["fault"], Do: given["do"],
	}
	if api == "Produce" {
		x.Acks = -1
	}
	_, x.Copy = given["copy"]
	for name, value := range given {
		var n int64
		var err error
		switch name {
		case "generation", "conn", "acks":
			n, err = strconv.ParseInt(value, 10, 32)
		case "took":
			x.Took, err = time.ParseDuration(value)
		case "applied":
			x.Applied = history.Phase(value)
		case "told":
			x.Told = history.Phase(value)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		switch name {
		case "generation":
			x.Generation = int32(n)
		case "conn":
			x.Conn = n
		case "acks":
			x.Acks = int16(n)
		}
	}
	h.Ledger = append(h.Ledger, x)
	return nil
}

// + PLACE [records=] [code=] [told=] [labels=a,b] [producer=ID:EPOCH:SEQ] [tolds=OFFSET]: what the exchange above did to a partition.
func (p *parser) item(w *words) error {
	h := p.file.Input.History
	if len(h.Ledger) == 0 {
		return fmt.Errorf("no exchange stands above")
	}
	where := w.place()
	given := w.options("records", "code", "told", "labels", "producer", "tolds")
	item := history.Item{Topic: where.Topic, Partition: where.Partition, Offset: where.Offset, ToldOffset: where.Offset, ProducerID: -1, FirstSeq: -1}
	if labels := given["labels"]; labels != "" {
		item.Labels = strings.Split(labels, ",")
		item.Records = len(item.Labels)
	}
	for name, value := range given {
		if name == "labels" || name == "producer" {
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		switch name {
		case "records":
			item.Records = int(n)
		case "code":
			item.Code, item.ToldCode = int16(n), int16(n)
		case "told":
			item.ToldCode = int16(n)
		case "tolds":
			item.ToldOffset = n
		}
	}
	if from, ok := given["producer"]; ok {
		n, err := numbers(from, 3)
		if err != nil {
			return err
		}
		item.ProducerID, item.Epoch, item.FirstSeq = n[0], int16(n[1]), int32(n[2])
	}
	x := &h.Ledger[len(h.Ledger)-1]
	x.Items = append(x.Items, item)
	return nil
}
