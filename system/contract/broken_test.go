package contract

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

var update = flag.Bool("update", false, "write the wanted faults of testdata/broken anew")

var today = time.Date(2026, 11, 7, 12, 0, 0, 0, time.UTC)

// brokenCase is a file of testdata/broken: what is slipped into the sound base document, and the faults that must come of it, all
// of them and no others. Lines: "# sentence", "in FILE", "- line to replace", "+ line instead", "want FILE:LINE RULE HINT".
type brokenCase struct {
	name, doc string
	files     fstest.MapFS
	want      []string
	lines     []string // all but want
}

func base(t testing.TB) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	root := os.DirFS("testdata/broken/base")
	err := fs.WalkDir(root, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, path)
		files[path] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func readCase(t testing.TB, path string) brokenCase {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c := brokenCase{name: strings.TrimSuffix(filepath.Base(path), ".case"), files: base(t)}
	var file string
	var old, fresh []string
	flush := func() {
		if len(old)+len(fresh) == 0 {
			return
		}
		before, after := strings.Join(old, ""), strings.Join(fresh, "")
		if len(old) == 0 {
			c.files[file] = &fstest.MapFile{Data: []byte(after)}
		} else if now := string(c.files[file].Data); strings.Count(now, before) != 1 {
			t.Fatalf("%s: %q stands %d times in %s", path, before, strings.Count(now, before), file)
		} else {
			c.files[file] = &fstest.MapFile{Data: []byte(strings.Replace(now, before, after, 1))}
		}
		old, fresh = nil, nil
	}
	for line := range strings.Lines(string(text)) {
		body := strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(body, "# "):
			c.doc = body[2:]
		case strings.HasPrefix(body, "in "):
			flush()
			file = body[3:]
		case strings.HasPrefix(body, "- "):
			if len(fresh) > 0 {
				flush()
			}
			old = append(old, line[2:])
		case strings.HasPrefix(body, "+ "):
			fresh = append(fresh, line[2:])
		case strings.HasPrefix(body, "want "):
			c.want = append(c.want, body)
			continue
		case body != "":
			t.Fatalf("%s: a line that is none of #, in, -, + and want: %q", path, body)
		}
		c.lines = append(c.lines, line)
	}
	flush()
	return c
}

func found(t testing.TB, files fstest.MapFS) Faults {
	t.Helper()
	d, err := Parse("architecture.yaml", files["architecture.yaml"].Data, files)
	var faults Faults
	if errors.As(err, &faults) {
		return faults
	}
	if err != nil {
		t.Fatalf("an error that is no Faults: %v", err)
	}
	return Lint(d, today)
}

func cases(t testing.TB) []brokenCase {
	t.Helper()
	paths, err := filepath.Glob("testdata/broken/*.case")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in testdata/broken: %v", err)
	}
	var all []brokenCase
	for _, path := range paths {
		all = append(all, readCase(t, path))
	}
	return all
}

func TestBaseOfTheBrokenDocumentsIsSound(t *testing.T) {
	if faults := found(t, base(t)); len(faults) > 0 {
		t.Fatal(faults)
	}
}

func TestEachBrokenDocumentHasExactlyItsFaults(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.name, func(t *testing.T) {
			if c.doc == "" {
				t.Error("the case has no sentence")
			}
			var got []string
			for _, f := range found(t, c.files) {
				if f.Text == "" || f.Hint == "" || f.Pos.File == "" {
					t.Errorf("a fault without text, hint or file: %+v", f)
				}
				got = append(got, fmt.Sprintf("want %s:%d %s %s", f.Pos.File, f.Pos.Line, f.Rule, f.Hint))
			}
			if *update {
				text := strings.Join(c.lines, "") + strings.Join(got, "\n") + "\n"
				if err := os.WriteFile(filepath.Join("testdata/broken", c.name+".case"), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s\ngot\n%s\nwant\n%s", c.doc, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestEveryRuleHasABrokenDocument(t *testing.T) {
	seen := map[string]bool{"limit": true} // too large for a file here; see TestAHostileFileIsRefusedAndNotExpanded
	for _, c := range cases(t) {
		for _, w := range c.want {
			seen[strings.Fields(w)[2]] = true
		}
	}
	for _, r := range AllRules() {
		if !seen[r.ID] {
			t.Errorf("no broken document breaks the rule %s", r.ID)
		}
		if r.Text == "" || r.Do == "" || r.Stage == "" || r.Severity == "" {
			t.Errorf("the rule %s is not described", r.ID)
		}
	}
}
