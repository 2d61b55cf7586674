package reports

import (
	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// Format is the version of report.json that this package writes and reads.
const Format = "tahanuji-report/1"

// Conformance is a report's verdict in one word.
type Conformance string

// Verdicts of a report. Incomplete as soon as one required square is inconclusive or not-run, or a flaw went unnoticed.
const (
	Conforms   Conformance = "conforms"
	Violated   Conformance = "violated"
	Incomplete Conformance = "incomplete"
)

// Report is report.json. Verdict holds no time and no path and is sorted, so two reports over the same tree diff clean
// there; what differs from run to run is under Evidence and Measured.
type Report struct {
	Format   string              `json:"format"`
	Verdict  Judgement           `json:"verdict"`
	Evidence map[string]Evidence `json:"evidence"` // by cell
	Measured Measured            `json:"measured"`
	Digest   Digests             `json:"digest"`
}

// Evidence is where a cell's run lies, relative to the report, and the SHA-256 of its files.
type Evidence struct {
	Folder string            `json:"folder"`
	Files  map[string]string `json:"files"`
}

// Digests are SHA-256, hexadecimal, over the parts of the report as they are written.
type Digests struct {
	Verdict  string `json:"verdict"`
	Evidence string `json:"evidence"`
	Measured string `json:"measured"`
}

// Judgement is the verdict part: everything in it follows from the document, the profile and the cells' verdicts.
type Judgement struct {
	Outcome  Conformance   `json:"outcome"`
	Sentence string        `json:"sentence"`
	Document DocumentRef   `json:"document"`
	Setting  Setting       `json:"setting"`
	Counts   Counts        `json:"counts"`
	Findings []Finding     `json:"findings"`
	Open     []Open        `json:"open"` // what keeps the report from being complete
	Clauses  []ClauseLine  `json:"clauses"`
	Faults   []string      `json:"faults"` // columns of the matrix, "none" first
	Matrix   []Square      `json:"matrix"`
	Flaws    []FlawLine    `json:"flaws"`
	Skipped  []Skipped     `json:"skipped"` // not-applicable and waived, with reasons
	Waivers  []WaiverLine  `json:"waivers"`
	Wanted   []Wanted      `json:"wanted"`
	Cells    []Cell        `json:"cells"`
	Proposal *ProposalPart `json:"proposal,omitempty"`
	Sweep    *Sweep        `json:"sweep,omitempty"` // of profiles that sweep the protocol's moments
}

// DocumentRef names the architecture document that was judged by.
type DocumentRef struct {
	ID     string `json:"id"`
	Digest string `json:"digest"`
}

// Setting is what was asked for: it repeats the whole session.
type Setting struct {
	System  string `json:"system"`
	Sut     string `json:"sut"`
	Broker  string `json:"broker"`
	Profile string `json:"profile"`
	Seed    string `json:"seed"`
	// Flaw is set when the session was asked to judge the reference with this flaw: its runs are then the system under
	// test and what they break is violated. Otherwise flawed runs only prove that the checks bite.
	Flaw        string            `json:"flaw,omitempty"`
	Repeat      string            `json:"repeat"` // the one command that repeats everything
	Interrupted string            `json:"interrupted,omitempty"`
	Lacks       map[string]string `json:"lacks,omitempty"` // feature -> why this environment can't show it
}

// Counts are the report's sums.
type Counts struct {
	Squares     int                   `json:"squares"`  // clause x fault, the denominator
	Required    int                   `json:"required"` // squares that the profile asked for
	Outcomes    map[check.Outcome]int `json:"outcomes"` // of the squares
	Cells       int                   `json:"cells"`    // runs of the system under test
	Flaws       int                   `json:"flaws"`
	FlawsCaught int                   `json:"flawsCaught"`
}

// ClauseLine is a clause as the report needs it: without its place in a file.
type ClauseLine struct {
	ID       contract.ID    `json:"id"`
	Level    contract.Level `json:"level"`
	Text     string         `json:"text"`
	Source   string         `json:"source"` // JSON Pointer into the document
	Faults   []string       `json:"faults"`
	Outcome  check.Outcome  `json:"outcome"` // worst over the clause's squares that were asked for or run
	Examined bool           `json:"examined"`
}

// Square is one clause under one fault.
type Square struct {
	Clause   contract.ID   `json:"clause"`
	Fault    string        `json:"fault"`
	Outcome  check.Outcome `json:"outcome"`         // worst over the runs whose plan used the fault
	Required bool          `json:"required"`        // a required clause, and the profile asked for it under this fault
	Runs     int           `json:"runs"`            // runs that judged it
	Cells    []string      `json:"cells,omitempty"` // those with the worst outcome, at most 5
	Why      string        `json:"why,omitempty"`   // of any outcome but holds
}

// Finding is one cause of one broken clause, in however many cells.
type Finding struct {
	ID     string         `json:"id"` // clause, "~", cause
	Clause contract.ID    `json:"clause"`
	Level  contract.Level `json:"level"`
	Text   string         `json:"text"` // the promise
	Source string         `json:"source"`
	Cause  string         `json:"cause"` // the fault that touched the witnesses, "" when no fault did or none is needed
	Calm   bool           `json:"calm"`  // broken without any fault in the plan as well: no fault is needed
	Why    string         `json:"why"`
	Found  int            `json:"found"` // broken things over all cells
	Cells  []string       `json:"cells"`
	Shown  string         `json:"shown"` // the cell whose trace is shown
	Seed   string         `json:"seed"`
	Repeat string         `json:"repeat"`
	// Minimal is a sentence on the shortest plan that still breaks it, "" when none was looked for.
	Minimal string `json:"minimal,omitempty"`
}

// Kinds of Open.
const (
	OpenInconclusive = "inconclusive"
	OpenNotRun       = "not-run"
	OpenFlaw         = "flaw-unnoticed"
	OpenFlawNotRun   = "flaw-not-run"
	OpenInterrupted  = "interrupted"
	OpenNothing      = "nothing-examined"
	OpenSweep        = "moments-not-reached"
)

// Open is one reason why a report is incomplete. What is the same for a clause under several faults, or for several clauses
// under one, is one Open: it concerns each of its clauses under each of its faults.
type Open struct {
	Kind    string        `json:"kind"`
	Clauses []contract.ID `json:"clauses,omitempty"`
	Faults  []string      `json:"faults,omitempty"`
	Flaw    string        `json:"flaw,omitempty"`
	Cell    string        `json:"cell,omitempty"` // the first of them
	Why     string        `json:"why"`
}

// FlawLine says whether a flaw of the reference was caught, by the clause that it must break.
type FlawLine struct {
	Flaw     string                        `json:"flaw"`
	Expected []contract.ID                 `json:"expected"`
	Caught   bool                          `json:"caught"` // an expected clause was broken; any clause, if none is named
	Outcomes map[contract.ID]check.Outcome `json:"outcomes"`
	Cells    []string                      `json:"cells"`
	Why      string                        `json:"why,omitempty"` // of the expected clause when caught, of the miss otherwise
	Repeat   string                        `json:"repeat,omitempty"`
}

// Skipped is a clause that was not judged under some faults, and why.
type Skipped struct {
	Clause  contract.ID   `json:"clause"`
	Outcome check.Outcome `json:"outcome"` // not-applicable or waived
	Why     string        `json:"why"`
	Faults  []string      `json:"faults"`
}

// WaiverLine is a waiver of the document.
type WaiverLine struct {
	Clause  contract.ID `json:"clause"`
	Owner   string      `json:"owner"`
	Reason  string      `json:"reason"`
	Expires string      `json:"expires"` // a date, inclusive
}

// Wanted is a cell that the profile asks for.
type Wanted struct {
	Cell    string        `json:"cell"`
	Clauses []contract.ID `json:"clauses,omitempty"` // that the cell judges; none named: all
	Faults  []string      `json:"faults,omitempty"`  // that its plan uses; none named: no fault
	Flaw    string        `json:"flaw,omitempty"`
	// Expected clauses of a flawed cell: those that the flaw must break.
	Expected []contract.ID `json:"expected,omitempty"`
	// Skip says why the environment can't run the cell: its squares are then not-applicable, with this reason.
	Skip string `json:"skip,omitempty"`
	// Optional cells are shown when they ran and not missed when they did not.
	Optional bool `json:"optional,omitempty"`
}

// Cell is one run as the report counts it. Outcomes are the run's verdicts after the rules that hold for every report: what
// examined nothing, was cut short, or was under a fault that never acted does not hold but is inconclusive.
type Cell struct {
	ID       string                        `json:"id"`
	Scenario string                        `json:"scenario"`
	Doc      string                        `json:"doc"`
	Faults   []string                      `json:"faults"`
	Flaw     string                        `json:"flaw,omitempty"`
	Seed     string                        `json:"seed"`
	Repeat   string                        `json:"repeat"`
	Outcome  check.Outcome                 `json:"outcome"` // worst of the clauses
	Why      string                        `json:"why,omitempty"`
	Outcomes map[contract.ID]check.Outcome `json:"outcomes"`
}

// ProposalPart is what can-adopt adds: the decision about a proposed ADR and the rows that decided.
type ProposalPart struct {
	ADR      string     `json:"adr"`
	Title    string     `json:"title"`
	Decision string     `json:"decision"` // adopt, reject or incomplete
	Why      string     `json:"why"`
	Change   []string   `json:"change,omitempty"` // the patch in sentences
	Expects  []Expected `json:"expects,omitempty"`
	Rows     []DiffRow  `json:"rows,omitempty"` // those that decided
	Kept     int        `json:"kept"`
	Cost     []string   `json:"cost,omitempty"`
}

// Expected is one expectation of a proposal's author and what came.
type Expected struct {
	Clause contract.ID   `json:"clause"`
	Phase  string        `json:"phase"`
	Want   check.Outcome `json:"want"`
	Got    check.Outcome `json:"got"`
	Met    bool          `json:"met"`
}
