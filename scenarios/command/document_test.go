package command_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tahanuji/scenarios/command"
)

// started writes the files that init writes and returns their folder. Each pair of changes is an old text, which must be there,
// and the new one.
func started(t *testing.T, file string, changes ...string) string {
	t.Helper()
	root := t.TempDir()
	if got := typed(t, root, nil, "init", root); got.exit != command.Conforms {
		t.Fatal(got.err)
	}
	path := filepath.Join(root, file)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(string(text), changes[i]) {
			t.Fatalf("%s has no %q", file, changes[i])
		}
		text = []byte(strings.Replace(string(text), changes[i], changes[i+1], 1))
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

// line is the place of a text in a file, as messages name it.
func line(t *testing.T, path, has string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, _, ok := strings.Cut(string(text), has)
	if !ok {
		t.Fatalf("%s has no %q", path, has)
	}
	return filepath.Base(path) + ":" + strconv.Itoa(strings.Count(before, "\n")+1)
}

func TestADocumentThatContradictsItselfIsRefusedWithItsLine(t *testing.T) {
	for _, c := range []struct {
		name    string
		changes []string
		at      string // a text on the line that must be named
		pieces  []string
	}{
		{
			"a missing topic", []string{"writes: parcel-scans", "writes: parcel-scan"}, "writes: parcel-scan,",
			[]string{`"parcel-scan"`, "did you mean parcel-scans?"},
		},
		{
			"an example that breaks its schema", []string{"grams: 1250}}\n  hour", "grams: 0}}\n  hour"}, "grams: 0}}",
			[]string{"example", "/data/grams"},
		},
		{
			"a dedupe window shorter than the replay window", []string{"{by: /id, window: P7D}", "{by: /id, window: P1D}"}, "window: P1D",
			[]string{"dedupe", "replay"},
		},
		{
			"two clauses waived with an expired date",
			[]string{"waivers: []", "waivers:\n  - {clause: lag.bound, owner: we, reason: why, expires: 2026-01-31}\n  - {clause: order.device, owner: we, reason: why, expires: 2026-02-28}"},
			"clause: lag.bound", []string{"lag.bound", "order.device", "2026-01-31", "2026-02-28"},
		},
		{"an unknown key", []string{"purpose: every", "purpos: every"}, "purpos: every", []string{"purpos", "purpose"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := started(t, "architecture.yaml", c.changes...)
			path := filepath.Join(root, "architecture.yaml")
			pieces := append([]string{line(t, path, c.at)}, c.pieces...)
			refused(t, root, nil, []string{"run", "-arch", path}, pieces...)
			write(t, filepath.Join(root, "sut.yaml"), asleep)
			refused(t, root, nil, []string{"run", "-sut", filepath.Join(root, "sut.yaml")}, pieces...)
			refused(t, root, nil, []string{"can-adopt", "ADR-0001", "-arch", path}, pieces...)
			if got := typed(t, root, nil, "lint", path); got.exit != command.Refused || !strings.Contains(got.out, pieces[0]) {
				t.Errorf("lint: exit code %d:\n%s%s", got.exit, got.out, got.err)
			}
		})
	}
}

// asleep is a sut.yaml of the starter's document.
const asleep = `system: architecture.yaml
broker: {topics: exact}
roles:
  summarizer: {plays: [count, publish], command: [sleep, "60"], env: {KAFKA: "{bootstrap}"}}
`

func TestFaultsOfASutFileAreRefusedWithTheirLines(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		pieces         []string
	}{
		{"an unknown key", "roles:", "rolls:", []string{"sut.yaml:3", "rolls", "roles"}},
		{"no role", "  summarizer: {plays: [count, publish], command: [sleep, \"60\"], env: {KAFKA: \"{bootstrap}\"}}\n", "", []string{"roles", "at least one"}},
		{"an unknown flow", "plays: [count, publish]", "plays: [count, publsh]", []string{"sut.yaml:4", "publsh", "publish"}},
		{"a command that is not there", "sleep", "no-such-command", []string{"sut.yaml:4", "no-such-command"}},
		{"an unknown placeholder", "{bootstrap}", "{bootstap}", []string{"sut.yaml:4", "bootstap", "bootstrap"}},
		{"a document that is not there", "architecture.yaml", "nowhere.yaml", []string{"sut.yaml:1", "nowhere.yaml"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := started(t, "architecture.yaml")
			path := filepath.Join(root, "sut.yaml")
			write(t, path, strings.Replace(asleep, c.old, c.new, 1))
			refused(t, root, nil, []string{"run", "-sut", path}, c.pieces...)
		})
	}
}

func TestAFlawIsOfTheReferenceAlone(t *testing.T) {
	t.Parallel()
	root := started(t, "architecture.yaml")
	write(t, filepath.Join(root, "sut.yaml"), asleep)
	refused(t, root, nil, []string{"run", "-sut", filepath.Join(root, "sut.yaml"), "-flaw", "no-dedupe"}, "-flaw", "leave out -sut")
}

func TestWhatInitWritesIsSound(t *testing.T) {
	t.Parallel()
	root := started(t, "architecture.yaml")
	path := filepath.Join(root, "architecture.yaml")
	if got := typed(t, root, nil, "lint", path); got.exit != command.Conforms || !strings.Contains(got.out, "sound") {
		t.Errorf("lint: exit code %d:\n%s%s", got.exit, got.out, got.err)
	}
	before := tree(t, root)
	refused(t, root, nil, []string{"init", root}, "is there already", "another folder")
	if after := tree(t, root); len(after) != len(before) {
		t.Errorf("init wrote over what was there: %v", after)
	}
	file := filepath.Join(root, "a-file")
	write(t, file, "")
	refused(t, root, nil, []string{"init", filepath.Join(file, "below")}, "can't be made")
}
