// Package check judges histories: one checker a file, each a pure function from a document and a history to verdicts.
// It starts nothing, reads no clock and knows no system by name.
package check

import (
	"context"

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
	// Exchanges are ledger entries that belong to the trace.
	Exchanges []int64 `json:"exchanges,omitempty"`
	Examined  int     `json:"examined"`        // things looked at; 0 is never Holds
	Found     int     `json:"found,omitempty"` // findings behind a Broken: one cause, one finding
	// Cause is the plan's step that touched the witnesses, "" if no fault did.
	Cause string `json:"cause,omitempty"`
}

// Input is what a checker sees.
type Input struct {
	Doc     *contract.Document
	History *history.History
	// Lacks says which features the environment does not have, each with the reason.
	Lacks map[contract.Feature]string
	index *Index
}

// Checker judges clauses. Check is pure: an error means that the checker failed, not that a clause is broken.
type Checker struct {
	Name, Doc string
	Clauses   []contract.ID
	Check     func(ctx context.Context, in *Input) ([]Verdict, error)
}
