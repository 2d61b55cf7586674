package command_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tahanuji/reports"
	"tahanuji/scenarios/command"
)

// edited changes a text in a file once.
func edited(t *testing.T, path, was, is string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), was) {
		t.Fatalf("%s has no %q", path, was)
	}
	write(t, path, strings.Replace(string(text), was, is, 1))
}

// verdictOf is the text of a clause's verdict in verdicts.json, from the clause to its outcome.
func verdictOf(clause, outcome string) string {
	return `"clause": "` + clause + `",` + "\n" + `      "outcome": "` + outcome + `"`
}

func TestAViolationIsRepeatedMadeSmallCheckedAgainAndCompared(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	flawed, sound := filepath.Join(root, "flawed"), filepath.Join(root, "sound")
	says(t, typed(t, root, nil, "run", "-scenario", "calm", "-flaw", "max-is-last", "-out", flawed), command.Violated,
		"summary.value", "repeat: go run . run -scenario calm -flaw max-is-last", "Violated")
	says(t, typed(t, root, nil, "run", "-scenario", "calm", "-out", sound), command.Conforms, "Conforms")
	cell := filepath.Join(flawed, "cells", "sensor--calm--none--embedded--flaw-max-is-last")
	before := tree(t, root)

	says(t, typed(t, root, nil, "replay", cell, "-times", "2"), command.Violated, "broke summary.value", "broker: reproduced 2 of 2")
	says(t, typed(t, root, nil, "replay", filepath.Join(cell, "minimal"), "-times", "1"), command.Violated,
		"model: reproduced 1 of 1", "broker: reproduced 1 of 1")
	says(t, typed(t, root, nil, "replay", filepath.Join(sound, "cells", "sensor--calm--none--embedded"), "-times", "1", "-on", "model"),
		command.Conforms, "nothing was broken", "model: reproduced 1 of 1")
	got := typed(t, root, nil, "recheck", cell)
	says(t, got, command.Violated, "broken         summary.value")
	if strings.Contains(got.out, "(was") {
		t.Errorf("nothing was edited, and recheck sees a difference:\n%s", got.out)
	}
	says(t, typed(t, root, nil, "diff", sound, flawed), command.Violated, "broken", "summary.value: holds -> broken")
	says(t, typed(t, root, nil, "diff", flawed, filepath.Join(sound, "report.json")), command.Conforms, "repaired", "summary.value: broken -> holds")
	says(t, typed(t, root, nil, "verify", flawed), command.Conforms, "whole")
	if after := tree(t, root); !slices.Equal(before, after) {
		t.Errorf("commands that only look have changed something:\nbefore %v\nafter  %v", before, after)
	}

	verdicts := filepath.Join(cell, "verdicts.json")
	edited(t, verdicts, verdictOf("summary.value", "broken"), verdictOf("summary.value", "holds"))
	says(t, typed(t, root, nil, "recheck", cell), command.Violated, "broken         summary.value", "(was holds)")
	says(t, typed(t, root, nil, "verify", flawed), command.Violated, "Refused", "sensor/calm/none/embedded/flaw-max-is-last")
	refused(t, root, nil, []string{"replay", filepath.Join(sound, "cells")}, "no run folder")
	refused(t, root, nil, []string{"replay", filepath.Join(sound, "cells", "sensor--calm--none--embedded", "minimal")}, "no minimal plan")
}

func TestAnEditedReportIsRefused(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	out := filepath.Join(root, "out")
	says(t, typed(t, root, nil, "run", "-scenario", "calm", "-flaw", "max-is-last", "-out", out), command.Violated)
	report := filepath.Join(out, "report.json")
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	for was, is := range map[string]string{
		`"summary.value": "broken"`: `"summary.value": "holds"`,
		`"outcome": "violated"`:     `"outcome": "conforms"`,
	} {
		write(t, report, string(text))
		edited(t, report, was, is)
		says(t, typed(t, root, nil, "verify", out), command.Violated, "Refused")
	}
	write(t, report, string(text))
	says(t, typed(t, root, nil, "verify", out), command.Conforms)
	page := filepath.Join(out, "report.html")
	html, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	edited(t, page, "max-is-last", "no-flaw")
	says(t, typed(t, root, nil, "verify", out), command.Violated, "Refused", "report.html")
	write(t, page, string(html))
	edited(t, filepath.Join(out, "cells", "sensor--calm--none--embedded--flaw-max-is-last", "history.jsonl"), `"send"`, `"sent"`)
	says(t, typed(t, root, nil, "verify", out), command.Violated, "Refused", "history.jsonl")
}

func TestShardsAreOneReportOnceTheyAreMerged(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	first, second, merged := filepath.Join(root, "1"), filepath.Join(root, "2"), filepath.Join(root, "merged")
	scenarios := "calm,event-cut,event-refused"
	says(t, typed(t, root, nil, "run", "-scenario", scenarios, "-shard", "1/2", "-out", first), command.Conforms)
	says(t, typed(t, root, nil, "run", "-scenario", scenarios, "-shard", "2/2", "-out", second), command.Conforms)
	refused(t, root, nil, []string{"report", first, second}, "-into DIR")
	says(t, typed(t, root, nil, "report", first, second, "-into", merged), command.Conforms, "report.html", "report.json", "junit.xml", "summary.md")
	says(t, typed(t, root, nil, "verify", merged), command.Conforms)
	r, err := reports.Read(merged)
	if err != nil {
		t.Fatal(err)
	}
	var cells []string
	for _, c := range r.Verdict.Cells {
		cells = append(cells, c.ID)
	}
	want := []string{"sensor/calm/none/embedded", "sensor/event-cut/produce-cut/embedded", "sensor/event-refused/produce-refused/embedded"}
	if !slices.Equal(cells, want) || r.Verdict.Outcome != reports.Conforms {
		t.Errorf("the merged report has %v and is %s; want %v", cells, r.Verdict.Outcome, want)
	}
	if err := os.Remove(filepath.Join(first, "summary.md")); err != nil {
		t.Fatal(err)
	}
	says(t, typed(t, root, nil, "report", first, "-format", "md,junit"), command.Conforms, filepath.Join(first, "summary.md"), "junit.xml")
	if _, err := os.Stat(filepath.Join(first, "summary.md")); err != nil {
		t.Error(err)
	}
}

func TestListsAreWholeAlsoAsJSON(t *testing.T) {
	t.Parallel()
	for what, has := range map[string]string{
		"clauses": "count.once", "faults": "produce-ack-lost", "scenarios": "calm", "flaws": "commit-before-store",
		"moments": "Produce", "systems": "sensor", "brokers": "embedded",
	} {
		plain, asJSON := typed(t, t.TempDir(), nil, "list", what), typed(t, t.TempDir(), nil, "list", "-json", what)
		says(t, plain, command.Conforms, has)
		says(t, asJSON, command.Conforms, has)
		var entries []struct{ Name, Doc string }
		if err := json.Unmarshal([]byte(asJSON.out), &entries); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if lines := strings.Count(plain.out, "\n"); lines != len(entries) {
			t.Errorf("%s: %d lines, %d entries as JSON", what, lines, len(entries))
		}
		for _, e := range entries {
			if e.Name == "" || e.Doc == "" || !strings.Contains(plain.out, e.Name) {
				t.Errorf("%s: the entry %q has no name, or says nothing, or is not in the plain list", what, e.Name)
			}
		}
	}
	says(t, typed(t, t.TempDir(), nil, "list", "clauses", "-arch", documents()["shop"]), command.Conforms, "summary.value")
}

func TestWhatInitWritesCanBeRunAtOnce(t *testing.T) {
	t.Parallel()
	root := started(t, "architecture.yaml")
	says(t, typed(t, root, nil, "run", "-arch", filepath.Join(root, "architecture.yaml"), "-scenario", "calm,late-input"), command.Conforms, "Conforms")
	latest, err := os.Readlink(filepath.Join(root, "out", "latest"))
	if err != nil {
		t.Fatal(err)
	}
	if err := reports.Verify(filepath.Join(root, "out", latest)); err != nil {
		t.Error(err)
	}
}
