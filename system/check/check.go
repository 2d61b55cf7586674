// Package check judges histories: one checker a file, each a pure function from a document and a history to verdicts.
// It starts nothing, reads no clock and knows no system by name. The rules that all checkers share stand here, the checkers in
// the packages below, and their list in package checkers.
package check

import (
	"context"
	"sync"
	"time"

	"tahanuji/system/contract"
	"tahanuji/system/history"
)

// Outcome of a clause. The zero value is an alarm: a verdict that nobody set.
type Outcome string

// Outcomes. Only Holds is green.
const (
	Unset         Outcome = ""
	Holds         Outcome = "holds"
	Broken        Outcome = "broken"
	Inconclusive  Outcome = "inconclusive"
	NotApplicable Outcome = "not-applicable"
	NotRun        Outcome = "not-run"
	Waived        Outcome = "waived"
)

// Verdict is what one checker says of one clause over one history.
type Verdict struct {
	Clause  contract.ID `json:"clause"`
	Outcome Outcome     `json:"outcome"`
	// Why is one sentence with the business ids; for Holds it says what was examined.
	Why string `json:"why"`
	// Witness is the shortest trace that shows it: sequence numbers of history events, at most 12.
	Witness []history.Seq `json:"witness,omitempty"`
	// Exchanges are ledger entries that belong to the trace, at most 12.
	Exchanges []int64 `json:"exchanges,omitempty"`
	Examined  int     `json:"examined"` // things looked at; 0 is never Holds
	// Idle: the checker did its work and found nothing to examine, so that another run may speak for this one.
	Idle  bool `json:"idle,omitempty"`
	Found int  `json:"found,omitempty"` // findings behind a Broken: one cause, one finding
	// Cause is the plan's step that touched the witnesses, "" if no fault did.
	Cause string `json:"cause,omitempty"`
	// Detail is what a maintainer needs of a checker that failed: the first lines of its stack.
	Detail string `json:"detail,omitempty"`
}

// Input is what a checker sees. It must not be copied or changed once a checker has seen it.
type Input struct {
	Doc     *contract.Document
	History *history.History
	// Lacks says which features the environment does not have, each with the reason.
	Lacks map[contract.Feature]string
	// Today is the day that waivers are held against; the zero value lets none expire.
	Today time.Time

	once   sync.Once
	index  *Index
	failed any // what building the index panicked with
}

// Index is the history with everything joined that more than one checker asks for. It is built at the first call; if that panics,
// every call panics alike.
func (in *Input) Index() *Index {
	in.once.Do(func() {
		defer func() { in.failed = recover() }()
		in.index = buildIndex(in)
	})
	if in.failed != nil {
		panic(in.failed)
	}
	return in.index
}

// Checker judges clauses. Check is pure: an error means that the checker failed, not that a clause is broken.
type Checker struct {
	Name, Doc string
	Clauses   []contract.ID
	Check     func(ctx context.Context, in *Input) ([]Verdict, error)
}

// One makes a checker of one clause, whose name is the clause's id.
func One(id contract.ID, doc string, judge func(in *Input, t *Tally) Verdict) Checker {
	return Checker{Name: string(id), Doc: doc, Clauses: []contract.ID{id}, Check: func(ctx context.Context, in *Input) ([]Verdict, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return []Verdict{judge(in, &Tally{clause: id, in: in})}, nil
	}}
}
