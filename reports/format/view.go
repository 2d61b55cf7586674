package format

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"unicode"

	"tahanuji/reports"
	"tahanuji/reports/timeline"
	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// view is a report arranged for the page.
type view struct {
	*reports.Report
	Title     string
	Findings  []findingView
	Legend    []legendLine
	Parts     []part
	FlawRows  []flawRow
	Toothless []contract.ID // clauses that no planted flaw broke
	Roles     []string
	Moments   []momentRow
	Skipped   []skippedLine
	Swept     *sweepView // nil: there was no sweep
}

type findingView struct {
	reports.Finding
	Again *reports.Again
	Trace *timeline.Trace
}

type legendLine struct {
	Outcome string
	Means   string
	Count   int
}

// part groups clauses by the part of the document that they come from.
type part struct {
	Name string
	Rows []clauseRow
}

type clauseRow struct {
	reports.ClauseLine
	Squares  []squareView // one a column; the zero value where the clause does not name the fault
	Examined int
}

type squareView struct {
	reports.Square
	Shown string // the outcome, or "not-asked", or "" outside the denominator
	Label string // the whole square in words
	Link  string
}

type flawRow struct {
	reports.FlawLine
	Squares []flawSquare
}

type flawSquare struct {
	Outcome  string
	Expected bool
	Label    string
}

type momentRow struct {
	API   string
	Count []int // by role
}

type skippedLine struct {
	reports.Skipped
	Of int // faults that the clause names
}

func newView(r *reports.Report) *view {
	v := &view{Report: r, Title: fmt.Sprintf("%s: %s", r.Verdict.Setting.System, r.Verdict.Outcome)}
	for _, f := range r.Verdict.Findings {
		fv := findingView{Finding: f}
		if a, ok := r.Measured.Again[f.ID]; ok {
			fv.Again = &a
		}
		if t, ok := r.Measured.Traces[f.ID]; ok {
			fv.Trace = &t
		}
		v.Findings = append(v.Findings, fv)
	}
	v.parts()
	v.legend()
	v.flaws()
	v.moments()
	v.Swept = newSweepView(r.Verdict.Sweep)
	for _, s := range r.Verdict.Skipped {
		v.Skipped = append(v.Skipped, skippedLine{s, len(v.clause(s.Clause).Faults)})
	}
	return v
}

func (v *view) clause(id contract.ID) reports.ClauseLine {
	at := slices.IndexFunc(v.Verdict.Clauses, func(c reports.ClauseLine) bool { return c.ID == id })
	if at < 0 {
		return reports.ClauseLine{}
	}
	return v.Verdict.Clauses[at]
}

// partNames are the document's four parts, by the sections of the document that they are made of (document.md, "Form").
var partNames = []struct {
	name     string
	sections []string
}{
	{"Topic map", []string{"topics", "groups"}},
	{"Payload schemas", []string{"payloads", "envelope"}},
	{"Delivery contract", []string{"flows", "source", "workload", "replay"}},
	{"Decisions and capacity", []string{"adrs", "capacity", "waivers"}},
}

func partOf(source string) string {
	section, _, _ := strings.Cut(strings.TrimPrefix(source, "/"), "/")
	for _, p := range partNames {
		if slices.Contains(p.sections, section) {
			return p.name
		}
	}
	return "The whole document"
}

func (v *view) parts() {
	squares := map[string]reports.Square{}
	for _, s := range v.Verdict.Matrix {
		squares[string(s.Clause)+" "+s.Fault] = s
	}
	rows := map[string][]clauseRow{}
	for _, c := range v.Verdict.Clauses {
		row := clauseRow{ClauseLine: c, Examined: v.Measured.Examined[c.ID]}
		for _, f := range v.Verdict.Faults {
			s, ok := squares[string(c.ID)+" "+f]
			if !ok {
				row.Squares = append(row.Squares, squareView{})
				continue
			}
			row.Squares = append(row.Squares, v.square(s))
		}
		rows[partOf(c.Source)] = append(rows[partOf(c.Source)], row)
	}
	for _, name := range []string{"Topic map", "Payload schemas", "Delivery contract", "Decisions and capacity", "The whole document"} {
		if len(rows[name]) > 0 {
			v.Parts = append(v.Parts, part{name, rows[name]})
		}
	}
}

func (v *view) square(s reports.Square) squareView {
	sv := squareView{Square: s, Shown: string(s.Outcome)}
	if s.Outcome == check.NotRun && !s.Required && s.Runs == 0 {
		sv.Shown = notAsked
	}
	sv.Label = fmt.Sprintf("%s under %s: %s", s.Clause, s.Fault, word(sv.Shown))
	if s.Runs > 0 {
		sv.Label += ", " + counted(s.Runs, "run")
	}
	if s.Why != "" && sv.Shown != notAsked {
		sv.Label += ". " + s.Why
	}
	if len(s.Cells) > 0 && s.Runs > 0 {
		sv.Link = "#" + slug("cell "+s.Cells[0])
	}
	for _, f := range v.Verdict.Findings {
		if s.Outcome == check.Broken && f.Clause == s.Clause && slices.Contains(f.Cells, s.Cells[0]) {
			sv.Link = "#" + slug("finding "+f.ID)
		}
	}
	return sv
}

const notAsked = "not-asked"

func (v *view) legend() {
	count := map[string]int{}
	for _, p := range v.Parts {
		for _, row := range p.Rows {
			for _, s := range row.Squares {
				count[s.Shown]++
			}
		}
	}
	for _, l := range []legendLine{
		{Outcome: "holds", Means: "judged, with something to look at, and kept in every run"},
		{Outcome: "broken", Means: "a trace shows that the promise was not kept"},
		{Outcome: "inconclusive", Means: "a run tried and could not tell"},
		{Outcome: "not-run", Means: "asked for, and no verdict came"},
		{Outcome: notAsked, Means: "part of the denominator, outside this profile"},
		{Outcome: "not-applicable", Means: "can't be shown here, for the reason given below"},
		{Outcome: "waived", Means: "suspended in the document, with owner and date"},
	} {
		l.Count = count[l.Outcome]
		v.Legend = append(v.Legend, l)
	}
}

func (v *view) flaws() {
	bitten := map[contract.ID]bool{}
	for _, f := range v.Verdict.Flaws {
		row := flawRow{FlawLine: f}
		for _, c := range v.Verdict.Clauses {
			o := f.Outcomes[c.ID]
			s := flawSquare{Outcome: string(o), Expected: slices.Contains(f.Expected, c.ID)}
			if o == check.Broken {
				bitten[c.ID] = true
			}
			if o != "" || s.Expected {
				s.Label = fmt.Sprintf("flaw %s, %s: %s", f.Flaw, c.ID, word(s.Outcome))
			}
			if s.Expected {
				s.Label += ", must break"
			}
			row.Squares = append(row.Squares, s)
		}
		v.FlawRows = append(v.FlawRows, row)
	}
	for _, c := range v.Verdict.Clauses {
		if !bitten[c.ID] {
			v.Toothless = append(v.Toothless, c.ID)
		}
	}
}

func (v *view) moments() {
	for _, m := range v.Measured.Coverage.Moments {
		if !slices.Contains(v.Roles, m.Role) {
			v.Roles = append(v.Roles, m.Role)
		}
	}
	slices.Sort(v.Roles)
	for _, m := range v.Measured.Coverage.Moments {
		if n := len(v.Moments); n == 0 || v.Moments[n-1].API != m.API {
			v.Moments = append(v.Moments, momentRow{API: m.API, Count: make([]int, len(v.Roles))})
		}
		v.Moments[len(v.Moments)-1].Count[slices.Index(v.Roles, m.Role)] += m.Exchanges
	}
}

// slug makes an anchor of an id: distinct ids of a report stay distinct.
func slug(id string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-.~_", r) {
			return r
		}
		return '_'
	}, strings.ReplaceAll(id, "/", "--"))
}

// word is an outcome as people read it.
func word(outcome any) string {
	switch w := strings.ReplaceAll(fmt.Sprint(outcome), "-", " "); w {
	case "":
		return "no verdict"
	case "not applicable":
		return "not applicable"
	case "not asked":
		return "not asked for"
	default:
		return w
	}
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// soft lets long names break after their separators, on narrow screens.
func soft(s any) template.HTML {
	escaped := template.HTMLEscapeString(fmt.Sprint(s))
	return template.HTML(strings.NewReplacer(".", ".<wbr>", "/", "/<wbr>", "-", "-<wbr>").Replace(escaped))
}

// wholeOf says under which faults, shortly when it is all.
func wholeOf(faults []string, of int) string {
	if len(faults) == of {
		return "each fault"
	}
	return strings.Join(faults, ", ")
}
