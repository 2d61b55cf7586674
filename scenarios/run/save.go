package run

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tahanuji/faults"
	"tahanuji/reports"
	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/target"
)

// judgeLimit bounds the judging of one run; a checker that takes longer is inconclusive.
const judgeLimit = 60 * time.Second

// finish writes verdicts.json, with the hashes of the evidence.
func finish(dir string, r *reports.Run) error {
	if err := reports.Write(dir, *r); err != nil {
		return fmt.Errorf("run %s: %w", r.Cell, err)
	}
	read, err := reports.ReadRun(dir)
	if err != nil {
		return fmt.Errorf("run %s: %w", r.Cell, err)
	}
	*r = read
	return nil
}

// Judge has a run judged, and takes away what it did not earn: a fault that did not act, or a run that was cut short (cut says
// why), leaves no clause green.
func Judge(c Cell, h *history.History, acted []target.Acted, cut error) []check.Verdict {
	ctx, cancel := context.WithTimeout(context.Background(), judgeLimit)
	defer cancel()
	lacks := maps.Clone(c.Backend.Lacks)
	if lacks == nil {
		lacks = map[contract.Feature]string{}
	}
	maps.Copy(lacks, c.Adapter.Lacks(c.Doc))
	verdicts := check.Judge(ctx, contract.Clauses(c.Doc), &check.Input{Doc: c.Doc, History: h, Lacks: lacks, Today: c.Today}, c.Checkers)
	hollow := hollowFaults(c.Scenario.Faults(), acted)
	halfway := wasInterrupted(h)
	for i := range verdicts {
		v := &verdicts[i]
		if v.Outcome == check.Broken && halfway {
			v.Outcome, v.Why = check.Inconclusive, "the run was interrupted, and what it looked like then is held against nobody: "+v.Why
			continue
		}
		if v.Outcome != check.Holds && v.Outcome != check.Inconclusive {
			continue
		}
		switch {
		case cut != nil:
			v.Outcome, v.Why = check.Inconclusive, "the run was cut short: "+cut.Error()
		case len(hollow) > 0:
			v.Outcome, v.Why = check.Inconclusive, "the fault never acted: "+strings.Join(hollow, ", ")
		}
	}
	return verdicts
}

// Hollow says whether a whole run has a fault that never acted.
func Hollow(r reports.Run) bool { return r.Complete && len(hollowFaults(r.Faults, r.Acted)) > 0 }

// interruption is the phase event of a run that somebody stopped halfway: roles were stopped and looks cut off in the middle, so
// that what is missing then says nothing about the system.
const interruption = "interrupted"

func wasInterrupted(h *history.History) bool {
	return slices.ContainsFunc(h.Events, func(e history.Event) bool { return e.Op == history.OpPhase && e.Key == interruption })
}

// hollowFaults are the faults of a plan of which no step took effect.
func hollowFaults(planned []string, acted []target.Acted) []string {
	counts := map[string]int{}
	for _, a := range acted {
		counts[a.Fault] += a.Count
	}
	return slices.DeleteFunc(slices.Clone(planned), func(fault string) bool { return counts[fault] > 0 })
}

// moments counts exchanges by API and role.
func moments(h *history.History) map[string]int {
	out := map[string]int{}
	for i := range h.Ledger {
		role, _, _ := cutDoor(h.Ledger[i].Door)
		out[h.Ledger[i].API+" "+role]++
	}
	return out
}

// ReadPlan reads plan.json of a run folder.
func ReadPlan(dir string) (faults.Plan, error) {
	text, err := os.ReadFile(filepath.Join(dir, reports.PlanFile))
	if err != nil {
		return faults.Plan{}, fmt.Errorf("plan: %w", err)
	}
	var p faults.Plan
	if err := json.Unmarshal(text, &p); err != nil {
		return faults.Plan{}, fmt.Errorf("plan: %s: %w", filepath.Join(dir, reports.PlanFile), err)
	}
	return p, nil
}
