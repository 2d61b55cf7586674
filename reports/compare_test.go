package reports_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tahanuji/reports"
	"tahanuji/reports/example"
	"tahanuji/reports/format"
	"tahanuji/system/check"
)

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (make it with go test -update)", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs (go test -update after a look at it):\n%s", path, got)
	}
}

func TestAComparisonNamesEachChange(t *testing.T) {
	before := inMemory(t, example.Violated(), example.Wanted())
	runs := example.Undecided()
	for i := range runs {
		if runs[i].Cell == "sensor/none/embedded" {
			example.Break(&runs[i], "count.once", "the count of sensor-03 at 09:00 is 61, 60 ids are distinct", "")
			example.Set(&runs[i], check.Verdict{Clause: "topic.key", Outcome: check.NotApplicable, Why: "no scan"})
		}
	}
	extra := example.Run("burst-input", "")
	extra.Cell = "sensor/burst-twice/embedded"
	after := inMemory(t, append(runs, extra), example.Wanted())
	d := reports.Diff(before, after)
	for change, want := range map[reports.Change]string{
		reports.Broke:             "sensor/none/embedded count.once",
		reports.NewlyInconclusive: "sensor/none/embedded topic.key",
		reports.Repaired:          "sensor/role-killed/embedded commit.after-store",
		reports.Added:             "sensor/burst-twice/embedded lag.bound",
		reports.Removed:           "sensor/node-down/embedded delivery.no-loss",
		reports.Kept:              "sensor/none/embedded order.device",
	} {
		if !slices.ContainsFunc(d.Rows, func(r reports.DiffRow) bool { return r.Change == change && r.Cell+" "+string(r.Clause) == want }) {
			t.Errorf("%s is not %s", want, change)
		}
	}
	if !d.Worse() || reports.Diff(after, after).Worse() {
		t.Errorf("worse: %v, and than itself: %v", d.Worse(), reports.Diff(after, after).Worse())
	}
	var b bytes.Buffer
	if err := d.Print(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "diff.txt", b.Bytes())
}

// A planted flaw that is caught now and was not before is good news.
func TestAFlawThatIsCaughtMakesNoReportWorse(t *testing.T) {
	none, caught := inMemory(t, example.Undecided(), example.Wanted()), inMemory(t, example.Violated(), example.Wanted())
	d := reports.Diff(none, caught)
	flawed := slices.DeleteFunc(d.Changed(), func(r reports.DiffRow) bool {
		return r.Change != reports.Broke || r.Cell != "sensor/none/embedded/flaw-key-random"
	})
	if len(flawed) == 0 {
		t.Fatal("the example has no flaw that is caught by one report alone")
	}
	d.Rows = flawed
	if d.Worse() {
		t.Errorf("worse, for %v", flawed)
	}
}

func TestAReportComparedWithItselfIsKept(t *testing.T) {
	r := inMemory(t, example.Violated(), example.Wanted())
	d := reports.Diff(r, r)
	if len(d.Changed()) != 0 || d.Of(reports.Kept) != len(d.Rows) || len(d.Rows) == 0 {
		t.Fatalf("%d rows, changed: %v", len(d.Rows), d.Changed())
	}
}

func TestTheLastLinesOnTheTerminal(t *testing.T) {
	for name, runs := range map[string][]reports.Run{"violated": example.Violated(), "incomplete": example.Undecided(), "conforms": example.Runs()} {
		var b bytes.Buffer
		if err := reports.Terminal(inMemory(t, runs, example.Wanted()), &b, "out/latest/report.html"); err != nil {
			t.Fatal(err)
		}
		golden(t, "terminal-"+name+".txt", b.Bytes())
	}
}

// shards splits a session by every second cell; each shard wants its own cells alone, or all.
func shards(t *testing.T, runs []reports.Run, wantAll bool) []string {
	t.Helper()
	var outs []string
	for part := range 2 {
		var mine []reports.Run
		var want []reports.Wanted
		for i, w := range example.Wanted() {
			if wantAll || i%2 == part {
				want = append(want, w)
			}
		}
		for i, r := range runs {
			if i%2 == part {
				mine = append(mine, r)
			}
		}
		out := t.TempDir()
		saved, err := example.Save(out, mine)
		if err != nil {
			t.Fatal(err)
		}
		r, err := reports.Build(saved, example.Document(), example.Clauses(), want, example.Environment())
		if err != nil {
			t.Fatal(err)
		}
		if err := format.Write(out, r, []format.Format{format.JSON()}); err != nil {
			t.Fatal(err)
		}
		outs = append(outs, out)
	}
	return outs
}

func TestMergedShardsAreTheWholeSession(t *testing.T) {
	whole, _ := build(t, example.Violated())
	for _, wantAll := range []bool{false, true} {
		into := t.TempDir()
		merged, err := reports.Merge(into, shards(t, example.Violated(), wantAll)...)
		if err != nil {
			t.Fatal(err)
		}
		if merged.Digest.Verdict != whole.Digest.Verdict {
			t.Errorf("want all %v: the merged verdict differs: %s", wantAll, merged.Verdict.Sentence)
		}
		if len(merged.Measured.Traces["commit.after-store~role-killed"].Rows) == 0 {
			t.Error("the merged report lost the trace")
		}
		if err := format.Write(into, merged, format.All()); err != nil {
			t.Fatal(err)
		}
		if err := reports.Verify(into); err != nil {
			t.Errorf("want all %v: %v", wantAll, err)
		}
	}
}

func TestShardsThatDoNotBelongTogetherAreRefused(t *testing.T) {
	outs := shards(t, example.Runs(), true)
	if _, err := reports.Merge("", outs[0], outs[0]); err == nil || !strings.Contains(err.Error(), "is in") {
		t.Errorf("the same shard twice: %v", err)
	}
	for name, c := range map[string]struct {
		edit func(*reports.Report)
		says string
	}{
		"another document": {func(r *reports.Report) { r.Verdict.Document.Digest = "0123" }, "judges by the document"},
		"another seed":     {func(r *reports.Report) { r.Verdict.Setting.Seed = "43" }, "were not asked for the same"},
		"other clauses":    {func(r *reports.Report) { r.Verdict.Clauses = r.Verdict.Clauses[1:] }, "do not have the same clauses"},
	} {
		r, err := reports.Read(outs[1])
		if err != nil {
			t.Fatal(err)
		}
		c.edit(r)
		other := t.TempDir()
		reseal(t, other, r)
		if _, err := reports.Merge("", outs[0], other); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: want an error that says %q, got %v", name, c.says, err)
		}
	}
	if _, err := reports.Merge(""); err == nil {
		t.Error("nothing was merged")
	}
}
