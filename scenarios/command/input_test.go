package command_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tahanuji/reports"
	"tahanuji/scenarios/command"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/workload"
)

// documents are the sensor's and one of another domain, with other names, another key, sums and days.
func documents() map[string]string {
	return map[string]string{
		"sensor": filepath.Join("..", "..", "system", "sensor", "architecture.yaml"),
		"shop":   filepath.Join("..", "..", "system", "contract", "testdata", "toko", "architecture.yaml"),
	}
}

// recorded writes what a team could have recorded: events that fit the document, the third of them twice, one record a line.
func recorded(t *testing.T, path, document string) (lines [][]byte) {
	t.Helper()
	doc, err := contract.Load(document)
	if err != nil {
		t.Fatal(err)
	}
	load, err := workload.Make(doc, workload.Options{Seed: 42, Events: 40, Base: time.Date(2026, time.March, 3, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range load.Valid() {
		lines = append(lines, e.Record)
		if len(lines) == 3 {
			lines = append(lines, e.Record)
		}
	}
	write(t, path, string(bytes.Join(lines, []byte("\n")))+"\n")
	return lines
}

func TestATeamsOwnEventsDriveAScenario(t *testing.T) {
	for name, document := range documents() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			input := filepath.Join(root, "events.jsonl")
			lines := recorded(t, input, document)
			got := typed(t, root, nil, "run", "-arch", document, "-input", input, "-scenario", "calm,event-ack-lost", "-out", filepath.Join(root, "out"))
			if got.exit != command.Conforms {
				t.Fatalf("exit code %d\n%s%s", got.exit, got.out, got.err)
			}
			runs, err := reports.ReadRuns(filepath.Join(root, "out"))
			if err != nil || len(runs) != 2 {
				t.Fatalf("%d runs, want the two scenarios: %v", len(runs), err)
			}
			for _, r := range runs {
				if !strings.Contains(r.Repeat, "-input "+input) {
					t.Errorf("the command that repeats it names no input: %s", r.Repeat)
				}
				sent := map[string]int{}
				h, err := reports.ReadHistory(r.Folder)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range h.Events {
					if e.Op == history.OpSend && e.Phase == history.Invoke {
						sent[e.Value]++
					}
				}
				for i, line := range lines {
					if sent[string(line)] == 0 {
						t.Errorf("%s: line %d of the file was never sent: %s", r.Cell, i+1, line)
					}
					delete(sent, "")
				}
				if sent[string(lines[2])] < 2 {
					t.Errorf("%s: the line that stands twice was sent %d times", r.Cell, sent[string(lines[2])])
				}
				if len(sent) != len(lines)-1 {
					t.Errorf("%s: %d different records were sent, the file holds %d", r.Cell, len(sent), len(lines)-1)
				}
			}
		})
	}
}

func TestABrokenLineOfAnInputFileIsRefusedWithItsNumber(t *testing.T) {
	t.Parallel()
	for name, document := range documents() {
		root := t.TempDir()
		input := filepath.Join(root, name+".jsonl")
		lines := recorded(t, input, document)
		doc, err := contract.Load(document)
		if err != nil {
			t.Fatal(err)
		}
		id := func(line string) string { text, _ := doc.Envelope.ID.Text([]byte(line)); return text }
		for _, c := range []struct {
			what   string
			change func(line string) string
			pieces []string
		}{
			{"no JSON", func(l string) string { return l[:len(l)-1] }, []string{name + ".jsonl:7"}},
			{"no object", func(string) string { return "17" }, []string{name + ".jsonl:7"}},
			{"an empty object", func(string) string { return "{}" }, []string{name + ".jsonl:7"}},
			{"one id for two records", func(l string) string { return strings.Replace(l, id(l), id(string(lines[0])), 1) }, []string{name + ".jsonl:7", "earlier line"}},
		} {
			broken := make([]string, len(lines))
			for i, l := range lines {
				broken[i] = string(l)
			}
			broken[6] = c.change(broken[6])
			write(t, input, strings.Join(broken, "\n"))
			refused(t, root, nil, []string{"run", "-arch", document, "-input", input}, c.pieces...)
		}
		write(t, input, "\n\n")
		refused(t, root, nil, []string{"run", "-arch", document, "-input", input}, "no event")
		refused(t, root, nil, []string{"run", "-arch", document, "-input", root}, root)
	}
}

func TestAnInputOfAnotherDocumentIsRefused(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	input := filepath.Join(root, "events.jsonl")
	recorded(t, input, documents()["shop"])
	refused(t, root, nil, []string{"run", "-input", input}, "events.jsonl:1")
	if _, err := os.Stat(filepath.Join(root, "out")); err == nil {
		t.Error("an out folder was made")
	}
}
