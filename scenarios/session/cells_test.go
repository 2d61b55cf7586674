package session_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/scenarios/catalog"
	"tahanuji/scenarios/session"
)

// A store that nobody sees can't be hurt: what needs it is left out with the reason, so that services of strangers can conform.
func TestServicesWhoseStoreIsNotSeenAreNotAskedForFaultsOnIt(t *testing.T) {
	root := filepath.Join("..", "..")
	file := filepath.Join(t.TempDir(), "sut.yaml")
	document, err := filepath.Abs(filepath.Join(root, "system", "sensor", "architecture.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, role string
		left       bool
	}{
		{"a summarizer that is a command", "{plays: [hitung, rangkum], command: [/bin/true], env: {B: '{bootstrap}'}}", false},
		{"a display that is a command, beside the reference's summarizer", "{plays: [tampilkan], command: [/bin/true], env: {B: '{bootstrap}'}}", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte("system: "+document+"\nroles:\n  theirs: "+c.role+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := session.Open(session.Options{System: "sensor", Sut: file, Broker: "embedded", Profile: "smoke", Seed: "1", Out: t.TempDir()},
				session.Edge{Root: root, Now: time.Now()})
			if err != nil {
				t.Fatal(err)
			}
			runs := func(cells []session.Cell) bool {
				return slices.ContainsFunc(cells, func(cell session.Cell) bool { return strings.HasPrefix(cell.Scenario.Name, "store-") })
			}
			if runs(s.Cells) != c.left || runs(s.Skipped) == c.left {
				t.Errorf("store scenarios are run: %v, left out: %v", runs(s.Cells), runs(s.Skipped))
			}
			if n := len(s.Cells) + len(s.Skipped); n != len(catalog.All()) {
				t.Errorf("%d cells run or left out, of %d scenarios", n, len(catalog.All()))
			}
		})
	}
}
