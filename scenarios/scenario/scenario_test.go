package scenario_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tahanuji/faults"
	"tahanuji/scenarios/catalog"
	"tahanuji/scenarios/scenario"
	"tahanuji/system/contract"
	"tahanuji/system/target"
	"tahanuji/system/workload"
)

// loads are workloads of the sensor's document and of one of another domain.
func loads(t *testing.T) map[*contract.Document]*workload.Load {
	t.Helper()
	out := map[*contract.Document]*workload.Load{}
	for _, path := range []string{"sensor/architecture.yaml", "contract/testdata/toko/architecture.yaml"} {
		doc, err := contract.Load(filepath.Join("..", "..", "system", filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		load, err := workload.Make(doc, workload.Options{Seed: 3, Base: time.Date(2026, time.November, 7, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		out[doc] = load
	}
	return out
}

func TestEveryScenarioIsAimedAtEveryDocumentWithNamedAndValidSteps(t *testing.T) {
	for doc, load := range loads(t) {
		for _, sc := range catalog.All() {
			steps, err := sc.Steps(doc, load, 5)
			if err != nil {
				t.Errorf("%s: %s: %v", doc.ID, sc.Name, err)
				continue
			}
			names := map[string]bool{}
			for _, s := range steps {
				if names[s.Name] || s.Name == "" {
					t.Errorf("%s: %s: the name %q stands twice or is empty", doc.ID, sc.Name, s.Name)
				}
				names[s.Name] = true
				if !slices.Contains(sc.Faults(), s.Fault) {
					t.Errorf("%s: %s: step %s is of %s, which is not in the plan", doc.ID, sc.Name, s.Name, s.Fault)
				}
			}
			for _, name := range sc.Faults() {
				if name != faults.Replayed && !slices.ContainsFunc(steps, func(s target.Step) bool { return s.Fault == name }) {
					t.Errorf("%s: %s: %s has no step", doc.ID, sc.Name, name)
				}
			}
		}
	}
}

func TestAPlanIsTheSameForTheSameSeedAndNoStepHangsOnAnother(t *testing.T) {
	first := scenario.Use{Fault: "role-killed", On: contract.Summarizer}
	second := scenario.Use{Fault: "produce-cut", On: contract.Recorder, Times: 3}
	both := scenario.Scenario{Name: "x", Plan: []scenario.Use{first, second}}
	for doc, load := range loads(t) {
		steps := func(s scenario.Scenario, seed uint64) []target.Step {
			t.Helper()
			out, err := s.Steps(doc, load, seed)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		of := func(all []target.Step, fault string) []target.Step {
			return slices.DeleteFunc(slices.Clone(all), func(s target.Step) bool { return s.Fault != fault })
		}
		if !slices.Equal(steps(both, 7), steps(both, 7)) {
			t.Errorf("%s: one seed, two plans", doc.ID)
		}
		if slices.Equal(steps(both, 7), steps(both, 8)) {
			t.Errorf("%s: two seeds, one plan", doc.ID)
		}
		alone := scenario.Scenario{Name: "x", Plan: []scenario.Use{first}}
		if !slices.Equal(of(steps(both, 7), "role-killed"), of(steps(alone, 7), "role-killed")) {
			t.Errorf("%s: a fault taken out of the plan moves another", doc.ID)
		}
		fewer := scenario.Scenario{Name: "x", Plan: []scenario.Use{first, {Fault: "produce-cut", On: contract.Recorder, Times: 2}}}
		more, less := of(steps(both, 7), "produce-cut"), of(steps(fewer, 7), "produce-cut")
		if len(less) == 0 || !slices.Equal(more[:len(less)], less) {
			t.Errorf("%s: one more time moves the others", doc.ID)
		}
	}
}

func TestAFaultThatDoesNotExistIsNamed(t *testing.T) {
	for doc, load := range loads(t) {
		_, err := scenario.Scenario{Name: "x", Plan: []scenario.Use{{Fault: "produce-lost"}}}.Steps(doc, load, 1)
		if err == nil || !strings.Contains(err.Error(), "produce-lost") {
			t.Errorf("the error is %v", err)
		}
	}
}
