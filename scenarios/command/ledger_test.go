package command_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tahanuji/reports/life"
	"tahanuji/scenarios/command"
)

var updateLedger = flag.Bool("update-ledger", false, "write the ledger's golden files anew")

// ledger runs the command on a run folder of testdata.
func ledger(t *testing.T, run string, args ...string) (exit int, out, complaint string) {
	t.Helper()
	var told, said bytes.Buffer
	w := command.World{
		Out: &told, Err: &said, Lookup: func(string) (string, bool) { return "", false }, Root: t.TempDir(),
		Now: time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC),
	}
	folder := filepath.Join("testdata", "ledger", "cells", run)
	exit = command.Main(context.Background(), w, append([]string{"ledger", folder}, args...))
	return exit, told.String(), said.String()
}

// Runs of testdata: one that was recorded and cut down to one event, and one that was made up with a loss, duplicates of both
// kinds, a rewind, and a send without an answer.
const (
	small = "sensor--small--role-killed--embedded"
	hurt  = "sensor--hurt--produce-cut--embedded"
)

func TestTheLifeOfAnEventIsToldAsKept(t *testing.T) {
	for name, args := range map[string][]string{
		"redelivered.txt":  {small, "-event", "event:59"},
		"by-id.txt":        {small, "-event", "8bbd1388-371a-4b4a-9848-ba52db89685d"},
		"summary.txt":      {small, "-event", "summary:sensor-20|2026-11-07T01:00:00Z"},
		"doubts.txt":       {hurt},
		"loss.txt":         {hurt, "-event", "event:1"},
		"copied.txt":       {hurt, "-event", "event:2"},
		"sent-anew.txt":    {hurt, "-event", "event:3"},
		"in-doubt.txt":     {hurt, "-event", "event:4"},
		"redelivered.json": {hurt, "-event", "event:5", "-json"},
		"doubts.json":      {hurt, "-json"},
	} {
		t.Run(name, func(t *testing.T) {
			exit, got, complaint := ledger(t, args[0], args[1:]...)
			if exit != command.Conforms || complaint != "" {
				t.Fatalf("exit %d: %s", exit, complaint)
			}
			path := filepath.Join("testdata", "ledger", name)
			if *updateLedger {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatalf("%v (make it with -update-ledger)", err)
			}
			if got != string(want) {
				t.Errorf("%s differs (-update-ledger after a look at it):\n%s", path, got)
			}
		})
	}
}

func TestEachLossAndDuplicateIsTiedToItsFaultAndItsClause(t *testing.T) {
	for label, want := range map[string][]life.Ruling{
		"event:1": {{Kind: life.Loss, Verdict: life.CausedForbidden, Fault: "lose: cut-before", Clause: "delivery.no-loss"}},
		"event:2": {{Kind: life.Duplicate, Verdict: life.CausedForbidden, Fault: "again: late-copy", Clause: "producer.no-log-duplicate"}},
		"event:3": {
			{Kind: life.Duplicate, Verdict: life.NoFaultAllowed, Clause: "count.once"},
			{Kind: life.Rewound, Verdict: life.CausedForbidden, Fault: "rewind: late-copy", Clause: "commit.matches"},
		},
		"event:5": {
			{Kind: life.Redelivered, Verdict: life.CausedAllowed, Fault: "rewind: late-copy", Clause: "count.once"},
			{Kind: life.Rewound, Verdict: life.CausedForbidden, Fault: "rewind: late-copy", Clause: "commit.matches"},
		},
	} {
		_, out, complaint := ledger(t, hurt, "-event", label, "-json")
		var got life.Life
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatalf("%s: %v: %s", label, err, complaint)
		}
		for i := range got.Rulings {
			got.Rulings[i].Why = ""
		}
		if len(got.Rulings) != len(want) {
			t.Errorf("%s: %+v, wanted %+v", label, got.Rulings, want)
			continue
		}
		for i, r := range got.Rulings {
			if r != want[i] {
				t.Errorf("%s: %+v, wanted %+v", label, r, want[i])
			}
		}
	}
}

func TestAnEventThatTheRunDoesNotHaveIsRefusedWithSomeThatItHas(t *testing.T) {
	exit, _, complaint := ledger(t, hurt, "-event", "event:99")
	if exit != command.Refused || !strings.Contains(complaint, "event:1") {
		t.Errorf("exit %d: %s", exit, complaint)
	}
	if exit, _, complaint := ledger(t, "nothing"); exit != command.Refused || !strings.Contains(complaint, "no run folder") {
		t.Errorf("exit %d: %s", exit, complaint)
	}
}
