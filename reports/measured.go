package reports

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"tahanuji/reports/timeline"
	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// Environment is what the runner knows of a session, beside its runs.
type Environment struct {
	Setting
	Begun    time.Time // the session's start; also the date that waivers are held against. Zero: not known, nothing expires
	Took     time.Duration
	Versions map[string]string // of the modules, brokers and commands that took part
	Go       string
	OS, Arch string
	CPUs     int
	// Faults is the order of the matrix's columns after "none"; faults that it does not name follow by name.
	Faults []string
	// Sweep is what a sweep set out to do; nil when there was none.
	Sweep *SweepPlan
}

// Measured is the part of a report that differs from run to run over the same tree.
type Measured struct {
	Begun    string                    `json:"begun,omitempty"` // RFC 3339, UTC
	Took     time.Duration             `json:"took"`            // nanoseconds
	Versions map[string]string         `json:"versions,omitempty"`
	Go       string                    `json:"go"`
	OS       string                    `json:"os"`
	Arch     string                    `json:"arch"`
	CPUs     int                       `json:"cpus"`
	EventID  contract.Pointer          `json:"eventId"` // where the document's records carry their id
	Cells    map[string]CellMeasured   `json:"cells"`
	Traces   map[string]timeline.Trace `json:"traces"`   // by finding
	Again    map[string]Again          `json:"again"`    // by finding: reproduced k of n
	Examined map[contract.ID]int       `json:"examined"` // things looked at, over all runs of the system under test
	Coverage Coverage                  `json:"coverage"`
}

// CellMeasured is what one run took.
type CellMeasured struct {
	Took   time.Duration     `json:"took"`
	Events int               `json:"events"`
	Base   string            `json:"base,omitempty"`
	Values map[string]string `json:"values,omitempty"`
}

// Coverage says what was put to the test.
type Coverage struct {
	Workload []CoverLine  `json:"workload"`
	Moments  []MomentLine `json:"moments"`
	Faults   []FaultLine  `json:"faults"`
}

// CoverLine is one thing that workloads covered: how often, and in how many runs at least once.
type CoverLine struct {
	Name  string `json:"name"`
	Total int    `json:"total"`
	Runs  int    `json:"runs"`
}

// MomentLine is one kind of request of one role: how many were seen on the wire.
type MomentLine struct {
	API       string `json:"api"`
	Role      string `json:"role"`
	Exchanges int    `json:"exchanges"`
}

// FaultLine is one fault: runs that used it, how often it took effect, and what became of those runs.
type FaultLine struct {
	Fault  string `json:"fault"`
	Runs   int    `json:"runs"`
	Acted  int    `json:"acted"`
	Held   int    `json:"held"`  // acted, and nothing broke
	Broke  int    `json:"broke"` // acted, and a clause broke
	Hollow int    `json:"hollow"`
}

func measure(env Environment, eventID contract.Pointer, runs []Run, cells []Cell) Measured {
	m := Measured{
		Took: env.Took, Versions: env.Versions, Go: env.Go, OS: env.OS, Arch: env.Arch, CPUs: env.CPUs, EventID: eventID,
		Cells: map[string]CellMeasured{}, Traces: map[string]timeline.Trace{}, Again: map[string]Again{},
		Examined: map[contract.ID]int{},
	}
	if !env.Begun.IsZero() {
		m.Begun = env.Begun.UTC().Format(time.RFC3339)
	}
	var sut []int // runs of the system under test, by index
	for i := range runs {
		m.Cells[runs[i].Cell] = CellMeasured{Took: runs[i].Took, Events: runs[i].Events, Base: runs[i].Base, Values: runs[i].Measured}
		if cells[i].Flaw != env.Flaw {
			continue
		}
		sut = append(sut, i)
		for _, v := range runs[i].Verdicts {
			m.Examined[v.Clause] += v.Examined
		}
	}
	m.Coverage = Coverage{Workload: coverWorkload(runs, sut), Moments: coverMoments(runs, sut), Faults: coverFaults(runs, cells, sut)}
	return m
}

func coverWorkload(runs []Run, sut []int) []CoverLine {
	lines := map[string]CoverLine{}
	for _, i := range sut {
		for name, n := range runs[i].Covered {
			l := lines[name]
			l.Name, l.Total = name, l.Total+n
			if n > 0 {
				l.Runs++
			}
			lines[name] = l
		}
	}
	return sortedBy(lines, func(l CoverLine) string { return l.Name })
}

func coverMoments(runs []Run, sut []int) []MomentLine {
	lines := map[string]MomentLine{}
	for _, i := range sut {
		for moment, n := range runs[i].Moments {
			api, role, _ := strings.Cut(moment, " ")
			l := lines[moment]
			l.API, l.Role, l.Exchanges = api, role, l.Exchanges+n
			lines[moment] = l
		}
	}
	return sortedBy(lines, func(l MomentLine) string { return l.API + " " + l.Role })
}

func coverFaults(runs []Run, cells []Cell, sut []int) []FaultLine {
	lines := map[string]FaultLine{}
	for _, i := range sut {
		for _, fault := range usedFaults(runs[i].Faults) {
			acted := actedCount(&runs[i], fault)
			l := lines[fault]
			l.Fault, l.Runs, l.Acted = fault, l.Runs+1, l.Acted+acted
			switch {
			case acted == 0 && fault != NoFault:
				l.Hollow++
			case cells[i].Outcome == check.Broken:
				l.Broke++
			default:
				l.Held++
			}
			lines[fault] = l
		}
	}
	return sortedBy(lines, func(l FaultLine) string { return l.Fault })
}

func sortedBy[T any](lines map[string]T, key func(T) string) []T {
	return orEmpty(slices.SortedFunc(maps.Values(lines), func(a, b T) int { return cmp.Compare(key(a), key(b)) }))
}
