package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"tahanuji/system/broker/observe"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// scan writes down all that can be seen at rest, under a tag: topics, records, committed offsets, ends, rows.
func (st *stage) scan(ctx context.Context, tag string) error {
	ctx, cancel := context.WithTimeout(ctx, st.cell.Limits.Rest)
	defer cancel()
	topics, err := st.observer.Topics(ctx)
	if err != nil {
		return fmt.Errorf("scan %s: %w", tag, err)
	}
	for _, t := range topics {
		live, err := json.Marshal(map[string]any{"partitions": t.Partitions, "config": t.Config})
		if err != nil {
			return fmt.Errorf("scan %s: topic %s: %w", tag, t.Name, err)
		}
		st.rec.Add(history.Event{Op: history.OpTopic, Phase: history.OK, Proc: "scan", Tag: tag, Key: t.Name, Value: string(live)})
	}
	for _, t := range topics {
		if err := st.scanTopic(ctx, tag, t.Name); err != nil {
			return fmt.Errorf("scan %s: %w", tag, err)
		}
	}
	for _, g := range st.cell.Doc.Groups {
		if err := st.scanGroup(ctx, tag, g); err != nil {
			return fmt.Errorf("scan %s: %w", tag, err)
		}
	}
	for _, flow := range st.cell.Doc.Flows {
		if flow.View == "" {
			continue
		}
		st.scanRows(ctx, tag, flow.Role)
	}
	return nil
}

func (st *stage) scanTopic(ctx context.Context, tag, topic string) error {
	ends, err := st.observer.Ends(ctx, topic)
	if err != nil {
		return err
	}
	for _, partition := range sorted(ends) {
		st.rec.Add(history.Event{
			Op: history.OpEnd, Phase: history.OK, Proc: "scan", Tag: tag,
			Where: &history.Position{Topic: topic, Partition: partition, Offset: ends[partition]},
		})
	}
	records, err := st.observer.Scan(ctx, topic)
	if err != nil {
		return err
	}
	for i := range records {
		r := &records[i]
		st.rec.Add(history.Event{
			Op: history.OpRecord, Phase: history.OK, Proc: "scan", Tag: tag,
			Key: string(r.Key), Value: string(r.Value), Where: &r.Where, Producer: &r.Producer,
		})
	}
	return nil
}

func (st *stage) scanGroup(ctx context.Context, tag string, g contract.Group) error {
	committed, err := st.observer.Committed(ctx, g.Name)
	if err != nil {
		return err
	}
	for _, topic := range g.Reads {
		t := st.cell.Doc.Topic(topic)
		if t == nil {
			continue
		}
		for partition := range int32(t.Partitions) {
			offset, known := committed[observe.TP{Topic: topic, Partition: partition}]
			if !known {
				offset = -1
			}
			st.rec.Add(history.Event{
				Op: history.OpCommitted, Phase: history.OK, Proc: g.Name, Tag: tag,
				Where: &history.Position{Topic: topic, Partition: partition, Offset: offset},
			})
		}
	}
	return nil
}

// scanRows asks a display. A display that does not answer is an observation, not an error: its clauses then have nothing to
// examine, and the event says why.
func (st *stage) scanRows(ctx context.Context, tag, role string) {
	if _, lacks := st.cell.Adapter.Lacks(st.cell.Doc)[contract.NeedsRows]; lacks {
		return
	}
	rows, err := st.system.Rows(ctx, role)
	if err != nil {
		st.rec.Add(history.Event{Op: history.OpRow, Phase: history.Unknown, Proc: role, Tag: tag, Err: err.Error()})
		return
	}
	for _, r := range rows {
		key, err := json.Marshal(r.Key)
		if err != nil {
			st.rec.Add(history.Event{Op: history.OpRow, Phase: history.Unknown, Proc: role, Tag: tag, Err: err.Error()})
			continue
		}
		e := history.Event{Op: history.OpRow, Phase: history.OK, Proc: role, Tag: tag, Key: string(key), Value: string(r.Value)}
		st.rec.Add(e)
	}
}

func sorted[V any](m map[int32]V) []int32 {
	out := make([]int32, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
