package sweep

import (
	"slices"
	"strings"
	"time"

	"tahanuji/faults"
	"tahanuji/system/history"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// Recorded is the name of the scenario whose run shows which moments there are.
const Recorded = "sweep-recorded"

// Shown is what a recorded run shows of one request of one role.
type Shown struct {
	All   int `json:"all"`             // how often it was made before the load was over
	Late  int `json:"late,omitempty"`  // of them, after the load's second third and before anybody was stopped
	Again int `json:"again,omitempty"` // of them, when its role, or another member of its group, was stopped and started
	// Labels of the load's second third that it carried (Produce) or passed (OffsetCommit).
	Labels []string `json:"labels,omitempty"`
}

// Record is what a recorded run shows: the moments that a system has, and the records that name them.
type Record struct {
	Moments map[string]Shown `json:"moments"` // "API role"
	Events  []string         `json:"events"`  // labels of the load's second third that reached their topic
}

// ordinary are the steps of the recorded run: each role is stopped in good order and started again when all is handled, as for an
// update, so that the requests are seen which are made only then.
func ordinary(roles map[string]int) []target.Step {
	var steps []target.Step
	for _, role := range sorted(roles) {
		steps = append(steps, restart(role, roles[role], "rest"))
	}
	return steps
}

// restart stops an instance in good order at a moment, and starts it again.
func restart(role string, instance int, after string) target.Step {
	return target.Step{
		Name: "restart-" + role, Fault: faults.Ordinary, At: target.Moment{After: after},
		Do: target.Action{Do: target.Stop, Role: role, Member: instance, For: awayFor / 2},
	}
}

// Read takes the moments out of the history of a run of the scenario Recorded.
func Read(load *workload.Load, h *history.History) Record {
	second := secondThird(load)
	out := Record{Moments: map[string]Shown{}}
	places := placed(h)
	var from, to time.Duration
	for _, label := range second {
		at, ok := places[label]
		if !ok {
			continue
		}
		out.Events = append(out.Events, label)
		if from == 0 || at < from {
			from = at
		}
		to = max(to, at)
	}
	before, stopped, over := stops(h)
	for i := range h.Ledger {
		x := &h.Ledger[i]
		role, _, _ := strings.Cut(x.Door, "/")
		if x.At > over {
			continue
		}
		key := x.API + " " + role
		s := out.Moments[key]
		s.All++
		switch {
		case x.At > stopped, x.API == leave:
			s.Again++
		case x.At > to && x.At <= before:
			s.Late++
		}
		if x.At >= from && x.At <= stopped {
			s.Labels = append(s.Labels, named(x, out.Events)...)
		}
		out.Moments[key] = s
	}
	for key, s := range out.Moments {
		api, role, _ := strings.Cut(key, " ")
		switch api {
		case "OffsetCommit", "TxnOffsetCommit": // what a role passes is what it fetched
			s.Labels = slices.Clone(out.Moments["Fetch "+role].Labels)
			out.Moments[key] = s
		}
		slices.Sort(s.Labels)
		s.Labels = slices.Compact(s.Labels)
		out.Moments[key] = s
	}
	for key, s := range out.Moments { // a Fetch is named by what was there before it
		if strings.HasPrefix(key, "Fetch ") {
			s.Labels = nil
			out.Moments[key] = s
		}
	}
	return out
}

// named are the labels that an exchange carried, of events those of the second third alone.
func named(x *history.Exchange, events []string) []string {
	var out []string
	for i := range x.Items {
		for _, l := range x.Items[i].Labels {
			if strings.HasPrefix(l, "summary:") || slices.Contains(events, l) {
				out = append(out, l)
			}
		}
	}
	return out
}

// placed says when each label was first known to be in its topic.
func placed(h *history.History) map[string]time.Duration {
	out := map[string]time.Duration{}
	for i := range h.Ledger {
		x := &h.Ledger[i]
		if x.API != "Produce" || x.Applied != history.OK {
			continue
		}
		for k := range x.Items {
			for _, l := range x.Items[k].Labels {
				if _, ok := out[l]; !ok && l != "" && x.Items[k].Code == 0 {
					out[l] = x.At + x.Took
				}
			}
		}
	}
	return out
}

// leave is the request that a member makes when it is stopped, which is before the stop is over and seen.
const leave = "LeaveGroup"

// stops says when the last answer came before a role was stopped, when that was, and when the load was over.
func stops(h *history.History) (before, stopped, over time.Duration) {
	stopped, over = 1<<62, 1<<62
	for i := range h.Events {
		e := &h.Events[i]
		switch {
		case e.Op == history.OpFault && e.Tag == faults.Ordinary && e.Phase == history.Invoke:
			stopped = min(stopped, e.At)
		case e.Op == history.OpSend && e.Phase == history.OK && e.At < stopped:
			before = e.At
		case e.Op == history.OpPhase && e.Key == "settle" && e.Phase == history.OK:
			over = min(over, e.At)
		}
	}
	return before, stopped, over
}

// secondThird are the labels of the load's second third: every partition has committed offsets by then, and more is to come.
func secondThird(load *workload.Load) []string {
	var out []string
	all := load.Valid()
	for _, e := range all[len(all)/3 : 2*len(all)/3] {
		out = append(out, e.Label)
	}
	return out
}
