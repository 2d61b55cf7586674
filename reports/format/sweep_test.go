package format_test

import (
	"bytes"
	"strings"
	"testing"

	"tahanuji/reports"
	"tahanuji/reports/example"
	"tahanuji/reports/format"
)

func TestThePageAndTheSummaryShowASweep(t *testing.T) {
	env := example.Environment()
	env.Sweep = &reports.SweepPlan{
		Actions: []string{"cut", "late-copy"}, Least: 50, Unused: []string{"no EndTxn of rekam is made in the recorded run"},
		Moments: []reports.SweepMoment{
			{API: "Produce", Role: "rekam", When: "load", Action: "cut", Cell: "sensor/sweep-Produce-rekam-cut/swept/embedded"},
			{API: "Fetch", Role: "hitung", When: "first", Action: "late-copy", Impossible: "Fetch only reads <nothing>"},
		},
	}
	out := t.TempDir()
	saved, err := example.Save(out, example.Runs())
	if err != nil {
		t.Fatal(err)
	}
	r, err := reports.Build(saved, example.Document(), example.Clauses(), example.Wanted(), env)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		format format.Format
		shows  []string
	}{
		{format.HTML(), []string{`id="sweep"`, "0 of 1 moments reached", "Produce of rekam, load, cut: not run", "Fetch only reads &lt;nothing&gt; (1)", "no EndTxn of rekam"}},
		{format.Markdown(), []string{"moments reached: 0 of 1 (0.0 %)"}},
	} {
		var b bytes.Buffer
		if err := c.format.Render(r, &b); err != nil {
			t.Fatal(err)
		}
		for _, want := range c.shows {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s does not show %q", c.format.Name, want)
			}
		}
	}
}
