package format

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"tahanuji/reports"
	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// JUnit is junit.xml: one test case a cell, and one for each planted flaw and each wanted cell that is missing. Slim, so
// that CI servers show names and first sentences; the rest is in the HTML.
func JUnit() Format {
	return Format{
		Name: "junit", File: "junit.xml",
		Doc:    "JUnit XML for CI servers: one test case a cell, skipped with the reason",
		Render: renderJUnit,
	}
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name      string      `xml:"name,attr"`
	Tests     int         `xml:"tests,attr"`
	Failures  int         `xml:"failures,attr"`
	Errors    int         `xml:"errors,attr"`
	Skipped   int         `xml:"skipped,attr"`
	Time      string      `xml:"time,attr"`
	Timestamp string      `xml:"timestamp,attr,omitempty"`
	Cases     []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Time    string      `xml:"time,attr"`
	Failure *junitFault `xml:"failure,omitempty"`
	Error   *junitFault `xml:"error,omitempty"`
	Skipped *junitSkip  `xml:"skipped,omitempty"`
	Output  string      `xml:"system-out,omitempty"`
}

type junitFault struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSkip struct {
	Message string `xml:"message,attr"`
}

func renderJUnit(r *reports.Report, w io.Writer) error {
	j := &r.Verdict
	cells := junitSuite{Name: "cells", Timestamp: strings.TrimSuffix(r.Measured.Begun, "Z")}
	flaws := junitSuite{Name: "planted flaws", Timestamp: cells.Timestamp}
	ran := map[string]bool{}
	for _, c := range j.Cells {
		ran[c.ID] = true
		if c.Flaw == j.Setting.Flaw {
			cells.add(cellCase(r, c), r.Measured.Cells[c.ID].Took)
		}
	}
	for _, want := range j.Wanted {
		if c := missingCase(want); !ran[want.Cell] && want.Flaw == j.Setting.Flaw && c != nil {
			cells.add(*c, 0)
		}
	}
	for _, f := range j.Flaws {
		c := junitCase{Class: j.Setting.System + ".flaws", Name: "flaw " + f.Flaw + " is noticed"}
		if !f.Caught {
			c.Failure = fault("flaw-unnoticed", f.Why, f.Repeat)
		}
		flaws.add(c, 0)
	}
	all := junitSuites{Name: "tahanuji " + j.Setting.System, Time: seconds(r.Measured.Took), Suites: []junitSuite{cells}}
	if len(flaws.Cases) > 0 {
		all.Suites = append(all.Suites, flaws)
	}
	for _, s := range all.Suites {
		all.Tests, all.Failures, all.Errors, all.Skipped = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors, all.Skipped+s.Skipped
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(c junitCase, took time.Duration) {
	c.Time = seconds(took)
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	total, _ := time.ParseDuration(s.Time + "s") // "" and what seconds wrote
	s.Time = seconds(total + took)
	s.Cases = append(s.Cases, c)
}

// cellCase follows the report: what keeps it from conforming is a failure or an error here, and nothing else is. A cell in
// which nothing could or need be judged is skipped; a broken advisory clause is told and fails nothing.
func cellCase(r *reports.Report, c reports.Cell) junitCase {
	out := junitCase{Class: r.Verdict.Setting.System + "." + c.Scenario, Name: c.ID}
	var broken, advice []string
	for _, f := range r.Verdict.Findings {
		if !slices.Contains(f.Cells, c.ID) {
			continue
		}
		line := fmt.Sprintf("%s: %s", f.Clause, f.Why)
		if f.Level == contract.Required {
			broken = append(broken, line)
		} else {
			advice = append(advice, "advisory: "+line)
		}
	}
	out.Output = clean(strings.Join(advice, "\n"))
	if len(broken) > 0 {
		out.Failure = fault(string(check.Broken), broken[0], strings.Join(append(broken, "repeat: "+c.Repeat), "\n"))
		return out
	}
	if why := undecided(r, c); why != "" {
		out.Error = fault(string(check.Inconclusive), why, "repeat: "+c.Repeat)
		return out
	}
	switch c.Outcome {
	case check.NotApplicable, check.NotRun, check.Waived:
		out.Skipped = &junitSkip{Message: clean(string(c.Outcome) + ": " + c.Why)}
	case check.Holds, check.Broken, check.Inconclusive, check.Unset:
	}
	return out
}

// undecided says what the cell was asked to show and did not, "" if there is nothing.
func undecided(r *reports.Report, c reports.Cell) string {
	for _, o := range r.Verdict.Open {
		if o.Kind == reports.OpenNotRun && o.Cell == c.ID {
			return reports.OpenLine(o)
		}
	}
	for _, s := range r.Verdict.Matrix {
		if s.Required && slices.Contains(c.Faults, s.Fault) && c.Outcomes[s.Clause] == check.Inconclusive {
			return fmt.Sprintf("%s: %s", s.Clause, s.Why)
		}
	}
	return ""
}

func missingCase(w reports.Wanted) *junitCase {
	c := junitCase{Class: "not-run", Name: w.Cell}
	switch {
	case w.Skip != "":
		c.Skipped = &junitSkip{Message: clean("not-applicable: " + w.Skip)}
	case w.Optional:
		return nil
	default:
		c.Error = fault("not-run", "the profile asks for this cell and it has no run", "")
	}
	return &c
}

func fault(kind, message, text string) *junitFault {
	return &junitFault{Message: clean(message), Type: kind, Text: clean(text)}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }

// clean drops what XML 1.0 can't hold (XML 1.0, 2.2 Char); values of a system under test may hold anything.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, s)
}
