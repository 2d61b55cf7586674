package life

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Kind of thing that is ruled on.
type Kind string

// Kinds.
const (
	Loss        Kind = "loss"        // the source was told that it is recorded, and the log does not hold it
	Unstored    Kind = "unstored"    // the log holds it, and no store took it in
	Duplicate   Kind = "duplicate"   // the log holds it more than once
	Redelivered Kind = "redelivered" // a group was handed it more than once
	Rewound     Kind = "rewound"     // a group's offset went back before it
	InDoubt     Kind = "in-doubt"    // the source never got an answer
	Otherwise   Kind = "broken"      // a clause was found broken at it, in another way than these
)

// Verdict on what happened, in the words of the design: a fault caused it or none did, and the document allows it or not.
type Verdict string

// Verdicts.
const (
	CausedAllowed   Verdict = "caused and allowed"
	CausedForbidden Verdict = "caused and forbidden"
	NoFaultAllowed  Verdict = "not caused by any fault, allowed"
	NoFaultForbid   Verdict = "not caused by any fault, forbidden"
)

// Ruling is one duplicate, loss or doubt, tied to its cause and its clause.
type Ruling struct {
	Kind    Kind        `json:"kind"`
	Verdict Verdict     `json:"verdict"`
	Fault   string      `json:"fault,omitempty"` // the plan's step behind it
	Clause  contract.ID `json:"clause"`          // that allows or forbids it
	Why     string      `json:"why"`
}

// rule says of each duplicate, loss and doubt what caused it and what the document says of it.
func (r *reader) rule(l *Life) []Ruling {
	copies := r.copies(l)
	out := []Ruling{}
	out = append(out, r.lost(l, len(copies))...)
	if len(copies) > 1 {
		out = append(out, r.doubled(l, copies))
	}
	out = append(out, r.redelivered(l)...)
	for _, line := range l.Lines {
		if strings.Contains(line.What, " back before it") && line.True == "applied" {
			out = append(out, r.ruling(l, Rewound, "commit.matches", true, line.Fault, line.Who+" "+line.What))
		}
	}
	for _, v := range r.Verdicts {
		ruled := slices.ContainsFunc(out, func(o Ruling) bool { return o.Clause == v.Clause })
		if v.Outcome == check.Broken && mentions(v.Why, l) && !ruled {
			out = append(out, r.ruling(l, Otherwise, v.Clause, true, v.Cause, ""))
		}
	}
	return out
}

// lost rules on what the source was told against what the log holds.
func (r *reader) lost(l *Life, copies int) []Ruling {
	recorded, unanswered := false, false
	for i := range r.History.Events {
		e := &r.History.Events[i]
		if e.Op == history.OpSend && e.Key == l.Label {
			recorded = recorded || e.Phase == history.OK
			unanswered = unanswered || e.Phase == history.Unknown && e.Tag != "not-reached"
		}
	}
	switch {
	case recorded && copies == 0:
		return []Ruling{r.ruling(l, Loss, "delivery.no-loss", true, r.touched(l, "Produce"), "the source was told that it is recorded, and no topic holds it")}
	case !recorded && unanswered:
		where := "no topic holds it"
		if copies > 0 {
			where = "the log holds it all the same"
		}
		return []Ruling{r.ruling(l, InDoubt, "delivery.in-doubt", false, r.touched(l, "Produce"), "the source never got an answer; "+where)}
	case copies > 0 && r.storesAny() && !r.has(l, history.OpStored) && !strings.HasPrefix(l.Label, "summary:"):
		return []Ruling{r.ruling(l, Unstored, "delivery.no-loss", true, r.touched(l, ""), "the log holds it, and no summarizer stored it")}
	}
	return nil
}

func (r *reader) storesAny() bool {
	return slices.ContainsFunc(r.History.Events, func(e history.Event) bool { return e.Op == history.OpStored })
}

func (r *reader) has(l *Life, op string) bool {
	return slices.ContainsFunc(r.History.Events, func(e history.Event) bool { return e.Op == op && e.Phase == history.OK && e.Key == l.ID })
}

// doubled rules on an event that the log holds more than once. A client library's own resend must not do that where the producer is
// idempotent; somebody who sends an event anew under its id may, since it is counted once.
func (r *reader) doubled(l *Life, copies []*history.Event) Ruling {
	var places []string
	seen := map[history.Producer]bool{}
	same := false
	for _, e := range copies {
		places = append(places, place(*e.Where))
		if e.Producer != nil && e.Producer.ID >= 0 {
			same = same || seen[*e.Producer]
			seen[*e.Producer] = true
		}
	}
	why := "the log holds it at " + strings.Join(places, " and ")
	clause := contract.ID("count.once")
	if strings.HasPrefix(l.Label, "summary:") { // the last one counts
		clause = "summary.same-value"
	}
	if same {
		clause, why = "producer.no-log-duplicate", why+", from one producer under one sequence number"
	} else {
		why += ", each sent anew under its id"
	}
	return r.ruling(l, Duplicate, clause, same, r.touched(l, "Produce"), why)
}

// redelivered rules on a group whose members were handed the event more than once: allowed where it is read at least once and
// counted once.
func (r *reader) redelivered(l *Life) []Ruling {
	times := map[string][]time.Duration{}
	var roles []string
	for i := range r.History.Ledger {
		x := &r.History.Ledger[i]
		if x.API != "Fetch" || x.Told == history.Unknown {
			continue
		}
		role, _, _ := strings.Cut(x.Door, "/")
		for k := range x.Items {
			if slices.Contains(x.Items[k].Labels, l.Label) && x.Items[k].ToldCode == 0 {
				if times[role] == nil {
					roles = append(roles, role)
				}
				times[role] = append(times[role], x.At)
			}
		}
	}
	var out []Ruling
	for _, role := range roles {
		if at := times[role]; len(at) > 1 {
			why := fmt.Sprintf("%s fetched it %d times", role, len(at))
			out = append(out, r.ruling(l, Redelivered, "count.once", false, r.between(role, at[0], at[len(at)-1]), why))
		}
	}
	return out
}

// ruling completes a ruling: what a clause forbids, and what a clause that was found broken at this very event forbids too.
func (r *reader) ruling(l *Life, kind Kind, clause contract.ID, forbidden bool, fault, why string) Ruling {
	for _, v := range r.Verdicts {
		if v.Outcome == check.Broken && mentions(v.Why, l) && (v.Clause == clause || !forbidden) {
			clause, forbidden = v.Clause, true
			why = strings.TrimPrefix(why+"; "+v.Why, "; ")
		}
	}
	out := Ruling{Kind: kind, Fault: fault, Clause: clause, Why: why}
	switch {
	case fault != "" && forbidden:
		out.Verdict = CausedForbidden
	case fault != "":
		out.Verdict = CausedAllowed
	case forbidden:
		out.Verdict = NoFaultForbid
	default:
		out.Verdict = NoFaultAllowed
	}
	return out
}

// mentions says whether a sentence is about the event, and not about one whose label begins alike.
func mentions(why string, l *Life) bool {
	if l.ID != "" && strings.Contains(why, l.ID) {
		return true
	}
	for rest := why; ; {
		i := strings.Index(rest, l.Label)
		if i < 0 {
			return false
		}
		rest = rest[i+len(l.Label):]
		if rest == "" || rest[0] < '0' || rest[0] > '9' {
			return true
		}
	}
}

// touched is the step that touched a request which carried the event (of one API, or of any that its lines name), else the one
// that killed who had it.
func (r *reader) touched(l *Life, api string) string {
	for i := range r.History.Ledger {
		x := &r.History.Ledger[i]
		if x.Fault == "" || api != "" && x.API != api {
			continue
		}
		for k := range x.Items {
			if slices.Contains(x.Items[k].Labels, l.Label) {
				return fault(x)
			}
		}
	}
	from, to, ok := extent(l)
	if !ok {
		return ""
	}
	return r.stepIn(from, to, "")
}

// between is the step that hurt a role between two moments, with what it did before the first one that was not over yet.
func (r *reader) between(role string, from, to time.Duration) string {
	for i := range r.History.Ledger {
		x := &r.History.Ledger[i]
		if x.Fault != "" && strings.HasPrefix(x.Door, role+"/") && x.At+x.Took >= from && x.At <= to {
			return fault(x)
		}
	}
	return r.stepIn(from, to, role)
}

// stepIn is the step that acted between two moments, on a role where one is named.
func (r *reader) stepIn(from, to time.Duration, role string) string {
	for i := range r.History.Events {
		e := &r.History.Events[i]
		if e.Op == history.OpFault && e.Phase == history.Invoke && e.At >= from && e.At <= to && strings.Contains(e.Value, role) {
			return e.Key
		}
	}
	return ""
}

// extent is the time from the first to the last thing that happened to the event, before the scan at rest.
func extent(l *Life) (from, to time.Duration, ok bool) {
	for _, line := range l.Lines {
		if line.Who == "topic at rest" || strings.HasPrefix(line.What, "shows ") {
			continue
		}
		if !ok || line.At < from {
			from = line.At
		}
		to = max(to, line.At)
		ok = true
	}
	return from, to, ok
}
