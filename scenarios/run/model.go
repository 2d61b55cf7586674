package run

import (
	"context"
	"fmt"
	"time"

	"tahanuji/faults"
	"tahanuji/reports"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/seed"
	"tahanuji/system/sim/model"
	"tahanuji/system/sim/roles"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// modelName is the broker's name in runs that were simulated.
const modelName = "model"

// OnModel carries out a cell with the reference's roles on the model of a broker, in virtual time. It is judged, saved and
// reported like a run on a broker.
func OnModel(ctx context.Context, c Cell) (reports.Run, error) {
	begun := time.Now()
	c.Backend.Name, c.Backend.Lacks = modelName, model.Lacks()
	out := c.blank()
	load, steps, err := c.prepare()
	if err != nil {
		return out, fmt.Errorf("run %s: %w", c.ID, err)
	}
	cast, err := roles.New(c.Doc)
	if err != nil {
		return out, fmt.Errorf("run %s: %w", c.ID, err)
	}
	parts, err := cast.Roles(c.plays())
	if err != nil {
		return out, fmt.Errorf("run %s: %w", c.ID, err)
	}
	result, err := model.Run(ctx, model.Config{
		Doc: c.Doc, Roles: parts, Load: load, Steps: steps, Seed: c.Seed, Members: c.members(), Replay: c.Scenario.Replay,
	})
	if err != nil {
		return out, fmt.Errorf("run %s: %w", c.ID, err)
	}
	h := result.History
	acted := result.Acted
	if c.Scenario.Replay {
		acted = append(acted, replayActed(h))
	}
	out.Base, out.Events, out.Covered = load.Base.Format(time.RFC3339), len(load.Events), load.Covered
	out.Acted, out.Moments = acted, moments(h)
	out.Measured = map[string]string{"virtual": result.Virtual.String(), "steps": fmt.Sprint(result.Took)}
	if err := reports.SaveEvidence(c.Dir, faults.Plan{Seed: c.Seed, Steps: steps}, h); err != nil {
		return out, fmt.Errorf("run %s: %w", c.ID, err)
	}
	out.Complete = true
	out.Verdicts = Judge(c, h, acted, nil)
	out.Took = time.Since(begun)
	return out, finish(c.Dir, &out)
}

// blank is the cell's part of a run.
func (c Cell) blank() reports.Run {
	return reports.Run{
		Cell: c.ID, System: c.System, Scenario: c.Scenario.Name, Doc: c.Scenario.Doc, Broker: c.Backend.Name,
		Sut: c.Adapter.Name(), Flaw: c.Flaw, Faults: c.Scenario.Faults(), Seed: seed.Format(c.Seed),
		Document: c.Doc.Digest, Expected: c.Expected, Repeat: c.Repeat,
	}
}

// prepare makes the load and aims the plan at it, or takes the plan that is given.
func (c Cell) prepare() (*workload.Load, []target.Step, error) {
	load, err := c.load()
	if err != nil {
		return nil, nil, err
	}
	if c.Plan != nil {
		return load, c.Plan, nil
	}
	steps, err := c.Scenario.Steps(c.Doc, load, c.Seed)
	return load, steps, err
}

// members are the instances of each role that the scenario asks for; a role that is not named has its own number.
func (c Cell) members() map[string]int {
	out := map[string]int{}
	if c.Scenario.Members == 0 {
		return out
	}
	for _, f := range c.Doc.Flows {
		if f.Kind == contract.Summarizer {
			out[f.Role] = c.mostMembers(f.Role)
		}
	}
	return out
}

// mostMembers is how many instances of a role the scenario wants and the role's groups allow.
func (c Cell) mostMembers(role string) int {
	most := c.Scenario.Members
	for _, f := range c.Doc.Flows {
		if g := c.Doc.Group(f.Group); g != nil && f.Role == role && g.Members > 0 {
			most = min(most, g.Members)
		}
	}
	return most
}

// history of a replay: the proof that the topic was read again.
func replayActed(h *history.History) target.Acted {
	a := target.Acted{Step: faults.Replayed, Fault: faults.Replayed}
	for i := range h.Events {
		e := &h.Events[i]
		if e.Op == history.OpPhase && (e.Key == history.ScanReplayKept || e.Key == history.ScanReplayEmptied) && e.Phase == history.OK {
			a.Count++
			a.What = append(a.What, "the topic was read again: "+e.Key)
		}
	}
	a.Matched = a.Count
	return a
}
