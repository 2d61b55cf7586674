package format

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"tahanuji/reports"
	"tahanuji/reports/timeline"
)

//go:embed page
var page embed.FS

// HTML is report.html: one file, no scripts, nothing fetched; it reads from file://, in light and dark, on a phone, by
// keyboard and aloud.
func HTML() Format {
	return Format{
		Name: "html", File: "report.html",
		Doc:    "one page for people: violations with timelines, the matrix, what was skipped and why, how to repeat it",
		Render: renderHTML,
	}
}

func renderHTML(r *reports.Report, w io.Writer) error {
	style, err := page.ReadFile("page/style.css")
	if err != nil {
		return fmt.Errorf("format: html: %w", err)
	}
	t, err := template.New("page.tmpl").Funcs(template.FuncMap{
		"style":   func() template.CSS { return template.CSS(style) },
		"slug":    slug,
		"word":    word,
		"clock":   timeline.Clock,
		"draw":    timeline.Draw,
		"counted": counted,
		"soft":    soft,
		"wholeOf": wholeOf,
		"inc":     func(n int) int { return n + 1 },
		"diff":    func(a, b float64) float64 { return a - b },
		"sign":    sign,
		"bare":    bare,
	}).ParseFS(page, "page/*.tmpl")
	if err != nil {
		return fmt.Errorf("format: html: %w", err)
	}
	if err := t.Execute(w, newView(r)); err != nil {
		return fmt.Errorf("format: html: %w", err)
	}
	return nil
}

// sign is the symbol of a report's verdict.
func sign(c reports.Conformance) string {
	switch c {
	case reports.Conforms:
		return "holds"
	case reports.Violated:
		return "broken"
	case reports.Incomplete:
		return "inconclusive"
	}
	return "inconclusive"
}

// bare is the verdict's sentence without the word that stands above it as the heading.
func bare(sentence string) string {
	_, rest, ok := strings.Cut(sentence, ": ")
	if !ok || rest == "" {
		return sentence
	}
	return strings.ToUpper(rest[:1]) + rest[1:]
}
