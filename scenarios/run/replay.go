package run

import (
	"context"
	"fmt"
	"time"

	"tahanuji/system/broker/observe"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/target"
)

// replay reads the input topics again from their first offset, twice: with the summarizer's state kept, and with its state
// emptied (document.md: emptied without setting the offsets back loses counts in every honest system, so that is never done).
func (st *stage) replay(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 4*(st.cell.Limits.Rest+st.cell.Limits.Stop))
	defer cancel()
	for _, once := range []struct {
		tag   string
		empty bool
	}{{history.ScanReplayKept, false}, {history.ScanReplayEmptied, true}} {
		for _, f := range st.cell.Doc.Flows {
			if f.Fold == nil || f.Group == "" {
				continue
			}
			if err := st.replayFlow(ctx, f, once.tag, once.empty); err != nil {
				return fmt.Errorf("%s of %s: %w", once.tag, f.Name, err)
			}
		}
		if err := st.scan(ctx, once.tag); err != nil {
			return err
		}
	}
	st.acted = append(st.acted, replayActed(&history.History{Events: st.rec.Events()}))
	return nil
}

func (st *stage) replayFlow(ctx context.Context, f contract.Flow, phase string, empty bool) error {
	role := st.roleNamed(f.Role)
	if role == nil {
		return fmt.Errorf("role %s cannot be stopped", f.Role)
	}
	instances := role.Instances()
	for _, i := range instances {
		if err := role.Stop(ctx, i); err != nil {
			return err
		}
	}
	if err := st.groupEmpties(ctx, f.Group); err != nil {
		return err
	}
	if empty {
		if err := st.system.EmptyState(ctx, f.Role); err != nil {
			return err
		}
	}
	offsets := map[observe.TP]int64{}
	starts, err := st.observer.Starts(ctx, f.Reads)
	if err != nil {
		return err
	}
	for partition, start := range starts {
		offsets[observe.TP{Topic: f.Reads, Partition: partition}] = start
	}
	st.rec.Phase(phase)
	if empty {
		clear(st.arrived)
	}
	if err := st.observer.SetOffsets(ctx, f.Group, offsets); err != nil {
		return err
	}
	for _, i := range instances {
		if _, err := role.Start(ctx, i); err != nil {
			return err
		}
	}
	return st.settleDown(ctx)
}

// groupEmpties waits until a group has no member, so that its offsets may be set.
func (st *stage) groupEmpties(ctx context.Context, group string) error {
	ctx, cancel := context.WithTimeout(ctx, st.cell.Limits.Stop)
	defer cancel()
	for {
		n, err := st.members(ctx, group)
		if err == nil && n == 0 {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("group %s still has %d members after %s", group, n, st.cell.Limits.Stop.Round(time.Second))
		}
		wait(ctx, look)
	}
}

func (st *stage) roleNamed(name string) target.Role {
	for _, r := range st.system.Roles() {
		if r.Name() == name {
			return r
		}
	}
	return nil
}
