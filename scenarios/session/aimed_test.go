package session_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tahanuji/scenarios/session"
)

// ships is a document in which nothing is folded.
const ships = `
contract: v1
id: ships
topics: {positions: {partitions: 2, payload: position}}
envelope: {id: /id, time: /time, data: ""}
payloads:
  position:
    schema:
      type: object
      required: [id, time, ship]
      properties: {id: {type: string, format: uuid}, time: {type: string, format: date-time}, ship: {type: string, pattern: '^[A-Z]{4}$'}}
    examples: [{id: 0d9c3f9e-6a51-4a8e-9f0e-2f1f6f0c7b11, time: '2026-03-02T08:15:30Z', ship: ABCD}]
groups: {maps: {reads: [positions], members: 1}}
flows:
  report: {role: recorder, writes: positions, semantics: at-least-once}
  map: {role: display, reads: positions, group: maps, view: last-by-key}
adrs: adr
`

const shipsDecision = `---
id: ADR-1
status: accepted
title: Two partitions
decides: [/topics/positions/partitions]
reasons: [Two are enough.]
alternatives: [One - rejected because two read.]
---
`

// opened opens a sitting over a document, with changes (old, new) made to it.
func opened(t *testing.T, changes ...string) (*session.Session, error) {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "adr"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"architecture.yaml": strings.NewReplacer(changes...).Replace(ships), filepath.Join("adr", "1.md"): strings.NewReplacer(changes...).Replace(shipsDecision),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := session.Options{Arch: filepath.Join(dir, "architecture.yaml"), Broker: "embedded", Profile: "smoke", Seed: "1", Out: filepath.Join(dir, "out")}
	return session.Open(o, session.Edge{Root: root, Command: "tahanuji run", Now: time.Date(2026, 11, 7, 12, 0, 0, 0, time.UTC)})
}

func TestAScenarioThatHasNothingToTakeHoldOfIsLeftOutWithTheReason(t *testing.T) {
	s, err := opened(t)
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, c := range s.Skipped {
		left[c.Scenario.Name] = true
	}
	for _, name := range []string{"summary-cut", "store-fails", "member-joins"} {
		if !left[name] {
			t.Errorf("%s is not left out; left out are %v", name, left)
		}
	}
	for _, c := range s.Cells {
		delete(left, c.Scenario.Name)
	}
	for _, name := range []string{"calm", "commit-cut", "zombie-member", "display-killed", "poison-record", "event-cut"} {
		if left[name] {
			t.Errorf("%s is left out", name)
		}
	}
}

func TestADocumentThatNobodyHereCanPlayOrMakeEventsForIsRefusedAtTheStart(t *testing.T) {
	for _, c := range []struct {
		name, says string
		changes    []string
	}{
		{"a recorder of two topics", "the reference can't play the role recorder: it is a recorder of 2 topics (positions, more)", []string{
			"payload: position}}", "payload: position}, more: {partitions: 1, payload: position}}", "[/topics/positions/partitions]", "[/topics/positions/partitions, /topics/more/partitions]",
			"\n  map:", "\n  extra: {role: recorder, writes: more}\n  map:"}},
		{"a summarizer without a fold", "the reference can't play the role copier: it is a summarizer without a fold", []string{
			"role: display, reads: positions, group: maps, view: last-by-key", "role: copier, kind: summarizer, reads: positions, group: maps"}},
		{"a second recorder whose schema no draw meets", "payload other", []string{
			"payload: position}}", "payload: position}, more: {partitions: 1, payload: other}}", "[/topics/positions/partitions]", "[/topics/positions/partitions, /topics/more/partitions]",
			"\ngroups:", "\n  other:\n    schema: {type: object, required: [id], properties: {id: {type: string, maxLength: 3, minLength: 9}}}\ngroups:", "\n  map:", "\n  extra: {role: clerk, kind: recorder, writes: more}\n  map:"}},
		{"a schema that no draw meets", "workload: payload position", []string{"pattern: '^[A-Z]{4}$'", "pattern: '^[A-Z]{4}$', not: {minLength: 1}", "    examples: [{id: 0d9c3f9e-6a51-4a8e-9f0e-2f1f6f0c7b11, time: '2026-03-02T08:15:30Z', ship: ABCD}]\n", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := opened(t, c.changes...)
			var refused session.Refusal
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "architecture.yaml") {
				t.Errorf("%v", err)
			}
		})
	}
}
