package format_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tahanuji/reports"
	"tahanuji/reports/example"
	"tahanuji/reports/format"
	"tahanuji/system/check"
)

func render(t *testing.T, f format.Format, r *reports.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Render(r, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// hostile is a session whose texts come from a system under test that means no good.
func hostile(t *testing.T) *reports.Report {
	t.Helper()
	runs := example.Violated()
	for i := range runs {
		for k := range runs[i].Verdicts {
			if v := &runs[i].Verdicts[k]; v.Outcome == check.Broken {
				v.Why = "<script>alert(1)</script> \x01\x00 ]]> | `x` \"quoted\" \xff & more\n# heading"
			}
		}
	}
	r, _ := build(t, runs)
	return r
}

func TestTheListOfFormatsIsTheListOfFiles(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, f := range format.All() {
		named = append(named, f.Name+".go")
		if f.Doc == "" || f.File == "" || f.Render == nil {
			t.Errorf("the format %s is not whole", f.Name)
		}
	}
	others := []string{"format.go", "sweep.go", "view.go"} // the list itself, and what the page is made of
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") && !slices.Contains(others, f) && !slices.Contains(named, f) {
			t.Errorf("%s is in no list", f)
		}
	}
	for _, n := range named {
		if !slices.Contains(files, n) {
			t.Errorf("the format of %s has no file of its own", n)
		}
	}
}

func TestFormatsAreFoundByName(t *testing.T) {
	got, err := format.Named("md", "json")
	if err != nil || len(got) != 2 || got[0].Name != "json" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := format.Named("pdf"); err == nil || !strings.Contains(err.Error(), "json, html, junit, md") {
		t.Errorf("an unknown format: %v", err)
	}
}

func TestThePageNeedsNothingFromElsewhere(t *testing.T) {
	for name, r := range map[string]*reports.Report{"hostile": hostile(t), "usual": first(build(t, example.Undecided()))} {
		html := render(t, format.HTML(), r)
		for _, bad := range []string{"<script", "<link", "<img", "<iframe", "http://", "https://", "@import", "url(http", " onclick", "javascript:", "ZgotmplZ"} {
			if strings.Contains(html, bad) {
				t.Errorf("%s: the page holds %q", name, bad)
			}
		}
	}
}

func first(r *reports.Report, _ string) *reports.Report { return r }

func TestIdsOfThePageAreUniqueAndLinksLeadSomewhere(t *testing.T) {
	html := render(t, format.HTML(), first(build(t, example.Violated())))
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(html, -1) {
		if ids[m[1]] {
			t.Errorf("the id %q stands twice", m[1])
		}
		ids[m[1]] = true
	}
	links := regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(html, -1)
	for _, m := range links {
		if !ids[m[1]] {
			t.Errorf("a link leads to #%s, which is nowhere", m[1])
		}
	}
	if len(links) < 50 {
		t.Errorf("only %d links", len(links))
	}
}

func TestLinksToEvidenceLeadToFiles(t *testing.T) {
	r, out := build(t, example.Violated())
	html := render(t, format.HTML(), r)
	links := regexp.MustCompile(`href="(cells/[^"]*)"`).FindAllStringSubmatch(html, -1)
	for _, m := range links {
		if _, err := os.Stat(filepath.Join(out, m[1])); err != nil {
			t.Error(err)
		}
	}
	if len(links) < 4*len(r.Verdict.Cells) {
		t.Errorf("%d links for %d cells", len(links), len(r.Verdict.Cells))
	}
}

func TestThePageShowsEachSquareInWords(t *testing.T) {
	r := first(build(t, example.Undecided()))
	html := render(t, format.HTML(), r)
	i, j := strings.Index(html, `<section id="matrix"`), strings.Index(html, `<section id="flaws"`)
	if n := strings.Count(html[i:j], `<td><a `) + strings.Count(html[i:j], `<td><span`); n != r.Verdict.Counts.Squares {
		t.Errorf("%d squares are shown, the report has %d", n, r.Verdict.Counts.Squares)
	}
	for _, says := range []string{"under produce-late-copy: inconclusive, 1 run. the fault produce-late-copy never acted", "under node-down: not run"} {
		if !strings.Contains(html, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
}

func TestSectionsStandInTheOrderOfAReader(t *testing.T) {
	r := first(build(t, example.Violated()))
	r.Verdict.Open = []reports.Open{{Kind: reports.OpenNotRun, Cell: "a/b", Why: "gone"}}
	r.Verdict.Proposal = &reports.ProposalPart{ADR: "ADR-0007", Title: "Six partitions", Decision: "reject", Why: "order.device breaks in the migration.",
		Rows:    []reports.DiffRow{{Cell: "sensor/none/embedded", Clause: "order.device", Before: check.Holds, After: check.Broken, Change: reports.Broke}},
		Expects: []reports.Expected{{Clause: "order.device", Phase: "migration", Want: check.Holds, Got: check.Broken}}}
	html := render(t, format.HTML(), r)
	last := 0
	for _, id := range []string{"violations", "open", "proposal", "matrix", "flaws", "skipped", "coverage", "runs", "environment", "repeat"} {
		at := strings.Index(html, `<section id="`+id+`"`)
		if at < last {
			t.Errorf("the section %s is missing or stands too early", id)
		}
		last = at
	}
	if md := render(t, format.Markdown(), r); !strings.Contains(md, "Proposal ADR-0007") {
		t.Error("the summary leaves the proposal out")
	}
}

// junit is the shape that CI servers read: the common JUnit XSD, in its attributes and order.
type junit struct {
	XMLName  xml.Name `xml:"testsuites"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Time     float64  `xml:"time,attr"`
	Suites   []struct {
		Name      string  `xml:"name,attr"`
		Tests     int     `xml:"tests,attr"`
		Failures  int     `xml:"failures,attr"`
		Errors    int     `xml:"errors,attr"`
		Skipped   int     `xml:"skipped,attr"`
		Time      float64 `xml:"time,attr"`
		Timestamp string  `xml:"timestamp,attr"`
		Cases     []struct {
			Class   string        `xml:"classname,attr"`
			Name    string        `xml:"name,attr"`
			Time    float64       `xml:"time,attr"`
			Failure []junitResult `xml:"failure"`
			Error   []junitResult `xml:"error"`
			Skipped []junitResult `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type junitResult struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func TestJUnitIsReadBySomeoneElsesReader(t *testing.T) {
	stamp := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$`)
	for name, r := range map[string]*reports.Report{"hostile": hostile(t), "incomplete": first(build(t, example.Undecided())), "conforms": first(build(t, example.Runs()))} {
		var j junit
		if err := xml.Unmarshal([]byte(render(t, format.JUnit(), r)), &j); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		tests, failures, errors := 0, 0, 0
		for _, s := range j.Suites {
			if len(s.Cases) != s.Tests || !stamp.MatchString(s.Timestamp) {
				t.Errorf("%s: suite %s has %d cases and says %d, at %s", name, s.Name, len(s.Cases), s.Tests, s.Timestamp)
			}
			tests, failures, errors = tests+s.Tests, failures+s.Failures, errors+s.Errors
			seen := map[string]bool{}
			for _, c := range s.Cases {
				if c.Class == "" || c.Name == "" || seen[c.Name] || len(c.Failure)+len(c.Error)+len(c.Skipped) > 1 {
					t.Errorf("%s: case %+v", name, c)
				}
				seen[c.Name] = true
			}
		}
		if tests != j.Tests || failures != j.Failures || errors != j.Errors {
			t.Errorf("%s: sums %d/%d/%d, said %d/%d/%d", name, tests, failures, errors, j.Tests, j.Failures, j.Errors)
		}
		if (failures+errors > 0) != (r.Verdict.Outcome != reports.Conforms) {
			t.Errorf("%s is %s with %d failures and %d errors", name, r.Verdict.Outcome, failures, errors)
		}
	}
}

// Whatever is red in JUnit is what keeps the report from conforming: an advisory clause, and a clause that the profile did
// not ask for under the fault, are not.
func TestWhatDoesNotBindFailsNoTestCase(t *testing.T) {
	runs := example.Runs()
	for i := range runs {
		switch runs[i].Cell {
		case "sensor/burst-input/embedded":
			example.Break(&runs[i], "lag.bound", "the lag was 900 for 61 s", "")
		case "sensor/replayed/embedded":
			example.Set(&runs[i], check.Verdict{Clause: "topic.partitions", Outcome: check.Inconclusive, Why: "no describe"})
		}
	}
	r := first(build(t, runs))
	xml := render(t, format.JUnit(), r)
	if r.Verdict.Outcome != reports.Conforms || strings.Contains(xml, "<failure") || strings.Contains(xml, "<error") {
		t.Errorf("%s\n%s", r.Verdict.Sentence, xml)
	}
	if !strings.Contains(xml, "<system-out>advisory: lag.bound: the lag was 900 for 61 s</system-out>") {
		t.Error("the advice is not told")
	}
	if md := render(t, format.Markdown(), r); !strings.Contains(md, "(advisory)") {
		t.Errorf("the summary does not call it advisory:\n%s", md)
	}
}

func TestASkippedCellSaysWhyInJUnit(t *testing.T) {
	want := append(example.Wanted(), reports.Wanted{Cell: "sensor/store-full/embedded", Skip: "the adapter's store can't be hurt"})
	r, err := reports.Build(example.Runs(), example.Document(), example.Clauses(), want, example.Environment())
	if err != nil {
		t.Fatal(err)
	}
	xml := render(t, format.JUnit(), r)
	if !strings.Contains(xml, `<skipped message="not-applicable: the adapter&#39;s store can&#39;t be hurt">`) {
		t.Error("the reason is missing")
	}
}

func TestTheSummaryHasAtMost60LinesWithViolationsFirst(t *testing.T) {
	var runs []reports.Run
	for i := range 300 {
		r := example.Run("role-killed", "")
		r.Cell = fmt.Sprintf("sensor/cell%d/embedded", i)
		for _, c := range example.Clauses() {
			if slices.Contains(c.Faults, "role-killed") {
				example.Break(&r, c.ID, strings.Repeat("lost\n", 80), fmt.Sprintf("step %d", i))
			}
		}
		runs = append(runs, r)
	}
	r, err := reports.Build(runs, example.Document(), example.Clauses(), example.Wanted(), example.Environment())
	if err != nil {
		t.Fatal(err)
	}
	md := render(t, format.Markdown(), r)
	if n := strings.Count(md, "\n"); n > 60 {
		t.Errorf("%d lines", n)
	}
	if !strings.HasPrefix(md, "# ✗ VIOLATED") || strings.Index(md, "## Broken") > strings.Index(md, "## Open") {
		t.Errorf("violations do not come first:\n%s", md)
	}
	if md := render(t, format.Markdown(), hostile(t)); strings.Contains(md, "<script") || strings.Contains(md, "\n# heading") {
		t.Errorf("text of the system under test became markup:\n%s", md)
	}
}

func TestFiveThousandCellsStayUsable(t *testing.T) {
	var runs []reports.Run
	faults := append([]string{reports.NoFault}, example.Faults()...)
	for i := range 5000 {
		r := example.Run(faults[i%len(faults)], "")
		r.Cell = fmt.Sprintf("sensor/cell%d/embedded", i)
		runs = append(runs, r)
	}
	r, err := reports.Build(runs, example.Document(), example.Clauses(), nil, example.Environment())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range format.All() {
		text := render(t, f, r)
		t.Logf("%s: %d KB for 5000 cells", f.File, len(text)/1024)
		if len(text) > 16<<20 {
			t.Errorf("%s has %d MB", f.File, len(text)>>20)
		}
	}
}

func TestWhatIsWrittenReplacesWhatWasThere(t *testing.T) {
	r, out := build(t, example.Runs())
	for range 2 {
		if err := format.Write(out, r, format.All()); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 5 { // four files and cells/
		t.Errorf("%d entries are left in the out folder", len(entries))
	}
	if err := format.Write(filepath.Join(out, "report.json"), r, format.All()); err == nil {
		t.Error("a report was written into a file")
	}
}

// Each outcome has its symbol and its colour on the page; a new one must get both.
func TestEachOutcomeHasASymbol(t *testing.T) {
	html := render(t, format.HTML(), first(build(t, example.Runs())))
	for _, o := range []check.Outcome{check.Holds, check.Broken, check.Inconclusive, check.NotApplicable, check.NotRun, check.Waived} {
		if !strings.Contains(html, `<symbol id="s-`+string(o)+`"`) || !strings.Contains(html, ".o-"+string(o)) {
			t.Errorf("%s has no symbol or no colour", o)
		}
	}
}
