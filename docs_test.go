package main

import (
	"flag"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tahanuji/faults"
	"tahanuji/reference/sensor"
	"tahanuji/scenarios/catalog"
	"tahanuji/scenarios/command"
	"tahanuji/scenarios/session"
	"tahanuji/system/broker"
	"tahanuji/system/contract"
)

// pages are the documents for people, by path.
func pages(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, path := range append(paths, "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[path] = string(text)
	}
	if len(out) < 7 {
		t.Fatalf("only %d pages were found", len(out))
	}
	return out
}

func commandNames() []string {
	var names []string
	for _, c := range command.All() {
		names = append(names, c.Name)
	}
	return names
}

// flagNames are those of the suite and of run.
func flagNames() []string {
	set := flag.NewFlagSet("flags", flag.ContinueOnError)
	session.Register(set, func(string) (string, bool) { return "", false })
	var names []string
	set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

func TestTheReadmeNamesEveryCommandAndEveryFlag(t *testing.T) {
	readme := pages(t)["README.md"]
	for _, name := range commandNames() {
		if !strings.Contains(readme, "\n| `"+name+" ") {
			t.Errorf("README.md has no row for the command %s", name)
		}
	}
	for _, name := range flagNames() {
		if !strings.Contains(readme, "`-"+name+"`") {
			t.Errorf("README.md does not name the flag -%s", name)
		}
	}
}

// typed is a command line in a document: go run . NAME ARGUMENTS, in a code block or between backquotes.
var typed = regexp.MustCompile("go run \\. ([a-zA-Z-]+)([^`#\n;|]*)")

func TestEveryCommandLineInADocumentNamesACommandAndItsFlags(t *testing.T) {
	own := map[string][]string{ // flags of commands that are not the suite's
		"replay": {"times", "on"}, "report": {"format", "into"}, "list": {"json", "arch", "system"}, "lint": {"rules"},
		"ledger": {"event", "json"},
	}
	placeholders := []string{"COMMAND", "help"}
	flagged := regexp.MustCompile(` -([a-z-]+)`)
	found := 0
	for path, text := range pages(t) {
		for _, m := range typed.FindAllStringSubmatch(text, -1) {
			name, rest := m[1], m[2]
			if slices.Contains(placeholders, name) {
				continue
			}
			found++
			if !slices.Contains(commandNames(), name) {
				t.Errorf("%s: %q: there is no command %s", path, m[0], name)
			}
			known, ok := own[name]
			if !ok {
				known = flagNames()
			}
			for _, f := range flagged.FindAllStringSubmatch(rest, -1) {
				if !slices.Contains(known, f[1]) {
					t.Errorf("%s: %q: %s has no flag -%s", path, m[0], name, f[1])
				}
			}
		}
	}
	if found < 15 {
		t.Errorf("only %d command lines were found", found)
	}
}

// After a flag that takes a name, a document says a name that there is.
func TestNamesAfterFlagsAreInTheirLists(t *testing.T) {
	lists := map[string][]string{"fault": faults.Names(), "scenario": {"explored"}}
	for _, s := range catalog.All() {
		lists["scenario"] = append(lists["scenario"], s.Name)
	}
	for _, f := range sensor.AllFlaws() {
		lists["flaw"] = append(lists["flaw"], f.Name)
	}
	for _, b := range broker.Backends() {
		lists["broker"] = append(lists["broker"], b.Name)
	}
	known, err := session.LoadProfiles("ginkgo.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range known {
		lists["profile"] = append(lists["profile"], p.Name)
	}
	given := regexp.MustCompile(`-(fault|scenario|flaw|broker|profile) ([a-z][a-z0-9,-]*)`)
	for path, text := range pages(t) {
		for _, m := range given.FindAllStringSubmatch(text, -1) {
			for _, name := range strings.Split(m[2], ",") {
				if !slices.Contains(lists[m[1]], name) {
					t.Errorf("%s: -%s %s: there is no such %s", path, m[1], name, m[1])
				}
			}
		}
	}
}

func TestClausesAndRulesThatDocumentsNameAreThere(t *testing.T) {
	var ids []string
	parts := map[string]bool{} // what stands before the dot of an id
	for _, id := range contract.ClauseIDs() {
		ids = append(ids, string(id))
		before, _, _ := strings.Cut(string(id), ".")
		parts[before] = true
	}
	word := regexp.MustCompile("`([a-z]+)\\.([a-z-]+)`")
	paths := []string{"source.concurrency"} // parts of the document's form that read like ids
	seen := map[string]bool{}
	for path, text := range pages(t) {
		for _, m := range word.FindAllStringSubmatch(text, -1) {
			id := m[1] + "." + m[2]
			if parts[m[1]] && !strings.HasSuffix(id, ".go") && !slices.Contains(paths, id) && !slices.Contains(ids, id) {
				t.Errorf("%s: there is no clause %s", path, id)
			}
			seen[id] = true
		}
	}
	for _, id := range ids {
		if !seen[id] {
			t.Errorf("no document explains the clause %s", id)
		}
	}
	rule := regexp.MustCompile(`\*([a-z]+-[a-z]+)\*`)
	for _, m := range rule.FindAllStringSubmatch(pages(t)["docs/own-document.md"], -1) {
		if !slices.ContainsFunc(contract.AllRules(), func(r contract.Rule) bool { return r.ID == m[1] }) {
			t.Errorf("docs/own-document.md: there is no rule %s", m[1])
		}
	}
}

func TestTestsThatTheRecipesNameAreThere(t *testing.T) {
	var code strings.Builder
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "out" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, "_test.go") {
			text, err := os.ReadFile(path)
			code.Write(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`(Test[A-Za-z]+)`").FindAllStringSubmatch(pages(t)["CONTRIBUTING.md"], -1)
	for _, m := range names {
		if !strings.Contains(code.String(), "func "+m[1]+"(") {
			t.Errorf("CONTRIBUTING.md: there is no test %s", m[1])
		}
	}
	if len(names) < 20 {
		t.Errorf("only %d tests are named", len(names))
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)]+)\)`)
	for path, text := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			to, err := url.Parse(m[1])
			if err != nil {
				t.Errorf("%s: %s: %v", path, m[1], err)
				continue
			}
			if to.Scheme != "" {
				continue
			}
			file := path
			if to.Path != "" {
				file = filepath.Join(filepath.Dir(path), filepath.FromSlash(to.Path))
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %s leads nowhere", path, m[1])
				continue
			}
			if to.Fragment == "" {
				continue // a file or a folder
			}
			page, err := os.ReadFile(file)
			if err != nil {
				t.Errorf("%s: %s: %v", path, m[1], err)
				continue
			}
			if !slices.Contains(anchors(string(page)), to.Fragment) {
				t.Errorf("%s: %s: there is no such heading", path, m[1])
			}
		}
	}
}

// anchors are the headings as links name them.
func anchors(page string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(page, -1) {
		name := strings.ToLower(strings.ReplaceAll(m[1], " ", "-"))
		out = append(out, regexp.MustCompile(`[^a-z0-9-]`).ReplaceAllString(name, ""))
	}
	return out
}
