// Package reports reads run folders and makes of them one report: which clause held under which fault, what broke, what
// was never put to the test. It judges nothing anew, starts nothing and draws nothing: package format renders.
package reports

import (
	"time"

	"tahanuji/system/check"
	"tahanuji/system/contract"
	"tahanuji/system/target"
)

// Run is one cell as it was run: system/scenario/fault/broker[/flaw]. It is verdicts.json of a run folder.
type Run struct {
	Cell     string   `json:"cell"` // stable id, such as "sensor/commit-refused/embedded" or ".../flaw-no-dedupe"
	System   string   `json:"system"`
	Scenario string   `json:"scenario"`
	Doc      string   `json:"doc"` // the scenario's sentence
	Broker   string   `json:"broker"`
	Sut      string   `json:"sut"`
	Flaw     string   `json:"flaw,omitempty"`
	Faults   []string `json:"faults"` // entries of faults.All that the plan used; empty: no fault
	Seed     string   `json:"seed"`
	Document string   `json:"document"` // digest
	// Complete is false when the run was cut short or could not be judged; Err says why.
	Complete bool            `json:"complete"`
	Err      string          `json:"err,omitempty"`
	Verdicts []check.Verdict `json:"verdicts"` // sorted by clause, one each
	Acted    []target.Acted  `json:"acted"`
	// Expected clauses of a flawed run: those that the flaw must break. Caught is true when one of them was broken.
	Expected []contract.ID     `json:"expected,omitempty"`
	Covered  map[string]int    `json:"covered,omitempty"` // what the workload covered: windows, boundary, late, duplicate-now, ...
	Moments  map[string]int    `json:"moments,omitempty"` // "API role": exchanges seen
	Measured map[string]string `json:"measured,omitempty"`
	Notes    []string          `json:"notes,omitempty"`    // what a reader should know of the roles; no verdict hangs on it
	Repeat   string            `json:"repeat"`             // the one command
	Again    *Again            `json:"again,omitempty"`    // how often a violation was reproduced
	Minimal  string            `json:"minimal,omitempty"`  // one sentence on the shortest plan found, when minimal/ holds one
	Evidence map[string]string `json:"evidence,omitempty"` // file name -> SHA-256, hexadecimal; set by Write
	Took     time.Duration     `json:"took"`
	Base     string            `json:"base"` // the workload's first event time, RFC 3339
	Events   int               `json:"events"`

	// Folder is where the run was read from, "" for a run that is not on disk. It is not part of the file.
	Folder string `json:"-"`
}

// Again says how often a violation was reproduced: K of N.
type Again struct {
	K int `json:"k"`
	N int `json:"n"`
}
