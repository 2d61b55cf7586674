package checkers

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tahanuji/system/check"
	"tahanuji/system/check/golden"
	"tahanuji/system/contract"
)

const histories = "../testdata"

func load(t testing.TB, file string) *contract.Document {
	t.Helper()
	doc, err := contract.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestGoldenHistoriesAreJudgedAsTheySay(t *testing.T) {
	doc := load(t, filepath.Join(histories, "documents", "golden.yaml"))
	for _, c := range All() {
		files, err := filepath.Glob(filepath.Join(histories, c.Name, "*.hist"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			t.Run(c.Name+"/"+strings.TrimSuffix(filepath.Base(file), ".hist"), func(t *testing.T) {
				judgeGolden(t, doc, c, file)
			})
		}
	}
}

func judgeGolden(t *testing.T, doc *contract.Document, c check.Checker, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := golden.Read(doc, text)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if !strings.HasSuffix(f.Title, ".") {
		t.Errorf("%s: the title %q is no sentence", file, f.Title)
	}
	verdicts := check.Judge(context.Background(), []contract.Clause{{ID: f.Want.Clause}}, f.Input, []check.Checker{c})
	v := verdicts[0]
	got := golden.Want{Clause: v.Clause, Outcome: v.Outcome}
	switch v.Outcome {
	case check.Broken:
		got.Found = v.Found
	case check.Holds:
		got.Found = v.Examined
	case check.Unset, check.Inconclusive, check.NotApplicable, check.NotRun, check.Waived:
	}
	if got != f.Want {
		t.Errorf("%s\nwant %v\ngot  %v\nwhy  %s\n%s", f.Title, f.Want, got, v.Why, v.Detail)
	}
	if v.Outcome == check.Broken && len(v.Witness)+len(v.Exchanges) == 0 {
		t.Errorf("%s: broken without a trace: %s", file, v.Why)
	}
	if testing.Verbose() {
		t.Logf("%s %s", v.Outcome, v.Why)
	}
	accepted := strings.HasPrefix(filepath.Base(file), "accepted-")
	rejected := strings.HasPrefix(filepath.Base(file), "rejected-")
	if accepted == rejected || accepted == (f.Want.Outcome == check.Broken) {
		t.Errorf("%s: the name says accepted or rejected, and the want line %s", file, f.Want.Outcome)
	}
}
