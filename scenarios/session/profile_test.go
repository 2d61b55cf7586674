package session_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tahanuji/scenarios/session"
)

func TestTheProfilesThatShipAreSmokeAndFullAtLeast(t *testing.T) {
	known, err := session.LoadProfiles(filepath.Join("..", "..", "ginkgo.yml"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]session.Profile{}
	for _, p := range known {
		found[p.Name] = p
		if p.Doc == "" {
			t.Errorf("%s does not say what it does", p.Name)
		}
	}
	smoke, full := found["smoke"], found["full"]
	if smoke.Seeds != 1 || smoke.Flaws != "model" || smoke.Explore == 0 {
		t.Errorf("smoke is %+v", smoke)
	}
	if full.Seeds <= smoke.Seeds || full.Flaws != "broker" || full.Explore <= smoke.Explore {
		t.Errorf("full is %+v, no more than smoke", full)
	}
}

func TestProfilesAreReadStrictly(t *testing.T) {
	const sound = "profiles:\n  smoke:\n    doc: x\n    seeds: 1\n    flaws: model\n    explore: 0\n"
	path := filepath.Join(t.TempDir(), "ginkgo.yml")
	load := func(text string) error {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := session.LoadProfiles(path)
		return err
	}
	if err := load(sound); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ was, is, says string }{
		"an unknown key":           {"seeds: 1", "seed: 1", "seed"},
		"a doubled key":            {"seeds: 1", "seeds: 1\n    seeds: 2", "seeds"},
		"a doubled profile":        {"", "  smoke:\n    seeds: 1\n    flaws: none\n", "smoke"},
		"a wrong type":             {"seeds: 1", "seeds: one", "4:12"},
		"no seed":                  {"seeds: 1", "seeds: 0", "at least 1"},
		"an unknown lane of flaws": {"flaws: model", "flaws: all", "none, model or broker"},
		"less than nothing":        {"explore: 0", "explore: -1", "negative"},
		"an unknown part":          {"profiles:", "profile:", "profile"},
		"no YAML":                  {"profiles:", "profiles: [", "ginkgo.yml"},
	} {
		text := strings.Replace(sound, c.was, c.is, 1)
		if c.was == "" {
			text = sound + c.is
		}
		err := load(text)
		var refusal session.Refusal
		if !errors.As(err, &refusal) {
			t.Errorf("%s is not refused: %v", name, err)
			continue
		}
		if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: the refusal says neither %q nor the file: %v", name, c.says, err)
		}
	}
}

func TestVariablesAreReadLikeFlagsAndAFlagWins(t *testing.T) {
	environment := map[string]string{
		"TAHANUJI_SYSTEM": "s", "TAHANUJI_ARCH": "a", "TAHANUJI_SUT": "u", "TAHANUJI_PROFILE": "p", "TAHANUJI_BROKER": "b",
		"TAHANUJI_NODES": "5", "TAHANUJI_BOOTSTRAP": "h", "TAHANUJI_SEED": "7", "TAHANUJI_SCENARIO": "c", "TAHANUJI_CLAUSE": "l",
		"TAHANUJI_FAULT": "f", "TAHANUJI_FLAW": "w", "TAHANUJI_SHARD": "1/2", "TAHANUJI_OUT": "o", "TAHANUJI_INPUT": "i",
		"TAHANUJI_ALLOW_FAULTS": "true",
	}
	asked := map[string]bool{}
	lookup := func(name string) (string, bool) {
		asked[name] = true
		v, ok := environment[name]
		return v, ok
	}
	set := flag.NewFlagSet("test", flag.ContinueOnError)
	o := session.Register(set, lookup)
	want := session.Options{
		System: "s", Arch: "a", Sut: "u", Profile: "p", Broker: "b", Nodes: 5, Bootstrap: "h", Seed: "7", Scenario: "c", Clause: "l",
		Fault: "f", Flaw: "w", Shard: "1/2", Out: "o", Input: "i", AllowFaults: true,
	}
	same := func(want session.Options) {
		t.Helper()
		if got := shown(t, *o); got != shown(t, want) {
			t.Errorf("options are %s\nwant        %s", got, shown(t, want))
		}
	}
	same(want)
	set.VisitAll(func(f *flag.Flag) {
		name := session.Prefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		if !asked[name] {
			t.Errorf("-%s has no variable %s", f.Name, name)
		}
	})
	if err := set.Parse([]string{"-nodes", "3", "-allow-faults=false", "-seed", "9", "-flaw", ""}); err != nil {
		t.Fatal(err)
	}
	want.Nodes, want.AllowFaults, want.Seed, want.Flaw = 3, false, "9", ""
	same(want)
}

// shown are options as they are kept.
func shown(t *testing.T, o session.Options) string {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
