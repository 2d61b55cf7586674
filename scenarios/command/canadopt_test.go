package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tahanuji/reports"
	"tahanuji/scenarios/adopt"
	"tahanuji/scenarios/command"
)

// says asserts an exit code and pieces of what was printed.
func says(t *testing.T, got said, exit int, pieces ...string) {
	t.Helper()
	if got.exit != exit {
		t.Errorf("exit code %d, want %d\n%s%s", got.exit, exit, got.out, got.err)
	}
	for _, piece := range pieces {
		if !strings.Contains(got.out, piece) {
			t.Errorf("it does not say %q:\n%s%s", piece, got.out, got.err)
		}
	}
}

func TestTheShippedProposalsHaveTheOutcomeThatEachMustHave(t *testing.T) {
	for _, c := range []struct {
		adr, scenarios string
		exit           int
		runs           bool
		pieces         []string
	}{
		{"ADR-0003", "calm", command.Violated, false, []string{
			"ADR-0003-one-day.md:", "keeps events for P1D, and replay promises P7D", "[replay-retention]", "reject", "the document would contradict itself",
		}},
		{"ADR-0004", "summarizer-killed", command.Violated, true, []string{
			"count.once in sensor/summarizer-killed/role-killed/embedded", "delivery.no-loss", "reject", "which the system keeps today",
			"delivery.no-loss holds in the proposal; it is broken", "proposal/report.html",
		}},
		{"ADR-0005", "calm,event-cut", command.Conforms, true, []string{"ADR-0005", "adopt: all", "verdicts that the system has today are kept"}},
		{"ADR-0006", "calm,event-cut", command.Incomplete, true, []string{
			"not tested", "order.device holds in the migration: no migration is run yet", "incomplete",
			"tried before the change and after it, not across it",
		}},
		{"system/sensor/adr/ADR-0003-one-day.md", "calm", command.Violated, false, []string{"reject"}},
	} {
		t.Run(c.adr, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			out := filepath.Join(root, "out")
			says(t, typed(t, root, nil, "can-adopt", c.adr, "-scenario", c.scenarios, "-out", out), c.exit, c.pieces...)
			if _, err := os.Stat(out); !c.runs && err == nil {
				t.Error("the document's own rules decided, and an out folder was made")
			}
			if !c.runs {
				return
			}
			for _, phase := range []string{adopt.Baseline, adopt.Proposal} {
				if err := reports.Verify(filepath.Join(out, phase)); err != nil {
					t.Errorf("the report of the %s is not whole: %v", phase, err)
				}
			}
			if c.exit == command.Violated {
				provesAgain(t, out)
			}
		})
	}
}

// A proposal's old runs are judged by the proposal again, not by the document as it is.
func provesAgain(t *testing.T, out string) {
	t.Helper()
	runs, err := reports.ReadRuns(filepath.Join(out, adopt.Proposal))
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs: %v", len(runs), err)
	}
	if !strings.HasPrefix(runs[0].Repeat, "go run . can-adopt ADR-0004") {
		t.Errorf("the command that repeats the run does not ask for the proposal: %s", runs[0].Repeat)
	}
	again := typed(t, t.TempDir(), nil, "recheck", runs[0].Folder)
	says(t, again, command.Violated, "broken         count.once")
	if strings.Contains(again.out, "has changed") || strings.Contains(again.out, "(was") {
		t.Errorf("the old run was judged by another document:\n%s", again.out)
	}
	says(t, typed(t, t.TempDir(), nil, "replay", runs[0].Folder, "-times", "1"), command.Violated, "reproduced 1 of 1")
}

func TestAStaleProposalIsRefusedWithWhatTheDocumentHasNow(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	copyTree(t, filepath.Join("..", "..", "system", "sensor"), root)
	document := filepath.Join(root, "architecture.yaml")
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	write(t, document, strings.Replace(string(text), "partitions: 3", "partitions: 4", 1))
	refused(t, root, nil, []string{"can-adopt", "ADR-0006", "-arch", document},
		"ADR-0006-six-partitions.md:", "the document has 4 now, the change expects 3", "write the change anew")
}

func TestAProposalThatNamesAVariantNobodyCanPlayIsRefused(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	copyTree(t, filepath.Join("..", "..", "system", "sensor"), root)
	document, adr := filepath.Join(root, "architecture.yaml"), filepath.Join(root, "adr", "ADR-0004-commit-before-store.md")
	write(t, filepath.Join(root, "sut.yaml"), "system: architecture.yaml\nroles:\n  theirs: {plays: [hitung, rangkum], command: [sleep, \"60\"], env: {B: '{bootstrap}'}}\n")
	refused(t, root, nil, []string{"can-adopt", "ADR-0004", "-sut", filepath.Join(root, "sut.yaml")}, "-sut", "variant commit-before-store", "ADR-0004-commit-before-store.md")
	refused(t, root, nil, []string{"can-adopt", "ADR-0004", "-arch", document, "-flaw", "no-dedupe"}, "-flaw", "Leave out -flaw")
	text, err := os.ReadFile(adr)
	if err != nil {
		t.Fatal(err)
	}
	write(t, adr, strings.Replace(string(text), "variant: commit-before-store", "variant: commit-before-stor", 1))
	refused(t, root, nil, []string{"can-adopt", "ADR-0004", "-arch", document}, `variant of ADR-0004: "commit-before-stor"`, `Did you mean "commit-before-store"?`)
}

// copyTree copies a folder without its Go files.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	for _, path := range tree(t, from) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.IsDir() || filepath.Ext(path) == ".go" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to, rel), string(text))
	}
}
