package contract

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestAPatchMakesTheDocumentThatAFileWouldMake(t *testing.T) {
	d := mustLoad(t, "../sensor/architecture.yaml")
	after, err := Patch(d, []byte(`[
		{"op":"test","path":"/groups/perekap/members","value":3},{"op":"replace","path":"/groups/perekap/members","value":2},
		{"op":"test","path":"/flows/rangkum/same-value","value":true},{"op":"remove","path":"/flows/rangkum/same-value"},
		{"op":"add","path":"/waivers/-","value":{"clause":"lag.bound","owner":"ops","reason":"new disks","expires":"2026-12-31"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	if after.Group("perekap").Members != 2 || after.Flow("rangkum").SameValue || len(after.Waivers) != 1 {
		t.Errorf("the patch was not applied: %+v", after)
	}
	if d.Group("perekap").Members != 3 || len(d.Waivers) != 0 {
		t.Error("the document before it changed too")
	}
	if after.Digest == d.Digest || len(after.Digest) != 64 {
		t.Errorf("digest %q", after.Digest)
	}
	if len(after.Topics) != 2 || after.Topics[0].Name != "m8-suhu-kejadian" || after.Flows[1].Fold.Into[0].Into != "/data/jumlah" {
		t.Error("the order of the parts was lost")
	}
	if got, want := after.PosOf("/flows/tampilkan/view"), d.PosOf("/flows/tampilkan/view"); got != want {
		t.Errorf("an untouched part moved from %s to %s", want, got)
	}
	if faults := Lint(after, today); len(faults) > 0 {
		t.Errorf("lint: %v", faults)
	}
}

func TestAPatchThatCantBeMadeSaysWhy(t *testing.T) {
	d := mustLoad(t, "../sensor/architecture.yaml")
	for _, c := range []struct{ name, patch, rule, says string }{
		{"a failing test", `[{"op":"test","path":"/topics/m8-suhu-kejadian/partitions","value":4}]`, "patch", "the document has 3 now, the change expects 4"},
		{"a test of nothing", `[{"op":"test","path":"/topics/suhu/partitions","value":4}]`, "patch", "the document has nothing there"},
		{"an untested replacement", `[{"op":"replace","path":"/id","value":"x"}]`, "patch", "untested"},
		{"an untested removal", `[{"op":"remove","path":"/replay"}]`, "patch", "untested"},
		{"an untested move", `[{"op":"move","from":"/replay","path":"/x"}]`, "patch", "untested"},
		{"a test that comes too late", `[{"op":"remove","path":"/replay"},{"op":"test","path":"/replay","value":1}]`, "patch", "untested"},
		{"no patch", `{"op":"add"}`, "patch", "no list of operations"},
		{"an unknown operation", `[{"op":"delete","path":"/replay"}]`, "patch", "has the op"},
		{"an unknown field", `[{"op":"add","path":"/id","value":1,"why":"x"}]`, "patch", "why"},
		{"no value", `[{"op":"add","path":"/id"}]`, "patch", "has no value"},
		{"a place that is none", `[{"op":"add","path":"/a/b/c","value":1}]`, "patch", "operation 1"},
		{"a result that is no document", `[{"op":"test","path":"/replay/topic","value":"m8-suhu-kejadian"},{"op":"replace","path":"/replay/topic","value":"x"}]`, "reference", "names the topic"},
		{"a part that the form does not have", `[{"op":"add","path":"/slo","value":1}]`, "unknown-key", "has no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Patch(d, []byte(c.patch))
			var faults Faults
			if !errors.As(err, &faults) {
				t.Fatalf("no faults: %v", err)
			}
			for _, f := range faults {
				if f.Rule == c.rule && strings.Contains(f.Text, c.says) && f.Hint != "" {
					return
				}
			}
			t.Errorf("got %v", err)
		})
	}
}

func TestATestComparesMappingsWithoutTheirOrder(t *testing.T) {
	d := mustLoad(t, "../sensor/architecture.yaml")
	if _, err := Patch(d, []byte(`[{"op":"test","path":"/replay","value":{"window":"P7D","topic":"m8-suhu-kejadian"}},{"op":"remove","path":"/replay"}]`)); err != nil {
		t.Error(err)
	}
}

func TestAProposalIsTakenForAccepted(t *testing.T) {
	d := mustLoad(t, "../sensor/architecture.yaml")
	for id, want := range map[string][]string{"ADR-0003": {"replay-retention"}, "ADR-0004": nil, "ADR-0005": nil, "ADR-0006": nil} {
		p, err := Propose(d, id, today)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		var rules []string
		for _, f := range p.Faults {
			rules = append(rules, f.Rule)
		}
		if strings.Join(rules, " ") != strings.Join(want, " ") {
			t.Errorf("%s: %v", id, p.Faults)
		}
		if p.ADR.Status != Proposed || p.Document.ADR(id).Status != Accepted || p.ADR.ID != id {
			t.Errorf("%s: %s before, %s after", id, p.ADR.Status, p.Document.ADR(id).Status)
		}
	}
	p, err := Propose(d, "ADR-0003", today)
	if err != nil {
		t.Fatal(err)
	}
	if f := p.Faults[0]; !strings.HasSuffix(f.Pos.File, "ADR-0003-one-day.md") || f.Pos.Line != 13 {
		t.Errorf("the fault that the proposal brings stands at %s, not at the operation that brings it", f.Pos)
	}
}

func TestAProposalThatSupersedesMakesTheOldDecisionSuperseded(t *testing.T) {
	files := base(t)
	text := strings.Replace(string(files["adr/2-longer.md"].Data), "amends: [A-1]", "supersedes: [A-1]", 1)
	files["adr/2-longer.md"].Data = []byte(strings.Replace(text, "decides: [", "decides: [/topics/parcels/partitions, /topics/weights/partitions, ", 1))
	files["architecture.yaml"].Data = []byte(strings.Replace(string(files["architecture.yaml"].Data), ", volume: 60.48 MB", "", 1))
	d, err := Parse("architecture.yaml", files["architecture.yaml"].Data, files)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Propose(d, "A-2", today)
	if err != nil {
		t.Fatal(err)
	}
	if old := p.Document.ADR("A-1"); old.Status != Superseded || old.SupersededBy[0] != "A-2" {
		t.Errorf("%+v", old)
	}
	if len(p.Faults) > 0 {
		t.Errorf("lint: %v", p.Faults)
	}
}

func TestWhatIsNotProposedCantBeTried(t *testing.T) {
	d := mustLoad(t, "../sensor/architecture.yaml")
	for _, id := range []string{"ADR-0001", "ADR-9999", ""} {
		if p, err := Propose(d, id, today); err == nil {
			t.Errorf("%q: %+v", id, p)
		}
	}
}

func TestAWaiverIsInForceThroughItsDay(t *testing.T) {
	files := base(t)
	d, err := Parse("architecture.yaml", files["architecture.yaml"].Data, files)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[string]int{"2026-12-31T23:59:59Z": 0, "2027-01-01T00:00:00Z": 1} {
		now, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if faults := Lint(d, now); len(faults) != want {
			t.Errorf("at %s: %v", at, faults)
		}
	}
}

func TestAnotherOpenProposalIsNotHeldAgainstTheOneThatIsTried(t *testing.T) {
	files := base(t)
	other := strings.Replace(string(files["adr/2-longer.md"].Data), "id: A-2", "id: A-3", 1)
	files["adr/3-other.md"] = &fstest.MapFile{Data: []byte(other)}
	d, err := Parse("architecture.yaml", files["architecture.yaml"].Data, files)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Propose(d, "A-2", today)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Faults {
		if f.Pos.File == "adr/3-other.md" {
			t.Errorf("A-2 is blamed for %s", f)
		}
	}
}
