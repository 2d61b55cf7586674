package faults_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"tahanuji/faults"
	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/target"
)

// everything is a plan with one use of every fault.
func everything(t *testing.T, path string) (faults.Plan, *contract.Document) {
	t.Helper()
	doc, l := document(t, path)
	p := faults.Plan{Seed: 1<<63 + 12345}
	for _, f := range faults.All() {
		for _, kind := range []contract.Kind{contract.Recorder, contract.Summarizer, contract.Display} {
			steps, err := f.Aim(seed.Rand(3, f.Name), faults.Aim{Doc: doc, Load: l, Kind: kind})
			if err == nil {
				p.Steps = append(p.Steps, steps...)
				break
			}
		}
	}
	if err := p.Validate(doc, l); err != nil {
		t.Fatal(err)
	}
	return p, doc
}

func TestAPlanComesBackFromItsFileUnchanged(t *testing.T) {
	for _, path := range documents {
		p, _ := everything(t, path)
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), `"seed":"9223372036854788153"`) {
			t.Errorf("the seed is no decimal string: %.80s", text)
		}
		var back faults.Plan
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p, back) {
			t.Errorf("%v came back as %v", p, back)
		}
	}
}

func TestAPlanIsReadStrictly(t *testing.T) {
	for _, bad := range []string{
		`{"seed":"1","steps":[],"more":1}`,
		`{"seed":1,"steps":[]}`,
		`{"seed":"x","steps":[]}`,
		`{"seed":"1","steps":[{"name":"a","when":{}}]}`,
		`{"seed":"1","steps":[{"name":"a","at":{"carrys":"event:1"}}]}`,
	} {
		var p faults.Plan
		if err := json.Unmarshal([]byte(bad), &p); err == nil {
			t.Errorf("%s was read as %v", bad, p)
		}
	}
	var p faults.Plan
	if err := json.Unmarshal([]byte(`{"seed":"7","steps":[]}`), &p); err != nil || p.Seed != 7 {
		t.Errorf("a plan without steps: %v, %v", p, err)
	}
}

func TestAnInvalidPlanSaysEverythingThatIsWrong(t *testing.T) {
	doc, l := document(t, documents[0])
	recorder := l.Role
	e := l.Valid()[40].Label
	good := target.Step{Name: "s", Fault: "produce-held", At: target.Moment{API: "Produce", Role: recorder, Carries: e}, Do: target.Action{Do: target.Hold, For: time.Second}}
	if err := (faults.Plan{Steps: []target.Step{good}}).Validate(doc, l); err != nil {
		t.Fatal(err)
	}
	broken := ""
	for _, ev := range l.Events {
		if !ev.Valid() {
			broken = ev.Label
		}
	}
	for want, change := range map[string]func(*target.Step){
		"faults.All":         func(s *target.Step) { s.Fault = "produce-eaten" },
		"stands twice":       func(s *target.Step) { s.Name = "" },
		"not in the":         func(s *target.Step) { s.At.Role = "cook" },
		"names no record":    func(s *target.Step) { s.At.Carries = "event:100000" },
		"no record of":       func(s *target.Step) { s.At.Carries = broken },
		"neither a record":   func(s *target.Step) { s.At.After = "lunch" },
		"moment is empty":    func(s *target.Step) { s.At = target.Moment{} },
		"names no API":       func(s *target.Step) { s.At = target.Moment{After: e} },
		"carries and passes": func(s *target.Step) { s.At = target.Moment{After: e, Passes: e} },
		"not negative":       func(s *target.Step) { s.Budget = -1 },
		"not known":          func(s *target.Step) { s.Do.Do = "sing" },
		"no broker answers":  func(s *target.Step) { s.Do = target.Action{Do: target.NotApplied, Code: 16} },
		"known are":          func(s *target.Step) { s.Do = target.Action{Do: target.CutBefore, How: "silence"} },
		"no valid event":     func(s *target.Step) { s.At = target.Moment{After: "rest"}; s.Do = target.Action{Do: target.Late} },
		"does not act at":    func(s *target.Step) { s.Do = target.Action{Do: target.Join, Role: recorder} },
		"topic": func(s *target.Step) {
			s.At = target.Moment{After: e}
			s.Do = target.Action{Do: target.Poison, Of: "soup"}
		},
		"names no role": func(s *target.Step) { s.At = target.Moment{After: e}; s.Do = target.Action{Do: target.Kill} },
	} {
		s := good
		change(&s)
		err := (faults.Plan{Steps: []target.Step{s}}).Validate(doc, l)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want a complaint with %q about %+v, got %v", want, s, err)
		}
	}
	if err := (faults.Plan{Steps: []target.Step{good, good}}).Validate(doc, l); err == nil {
		t.Error("two steps of one name pass")
	}
}

// size falls with every shrinking, so that shrinking ends.
func size(p faults.Plan) (n time.Duration) {
	for _, s := range p.Steps {
		n += time.Hour + time.Duration(s.Budget+s.Do.Count)*time.Minute + s.Do.For
	}
	return n
}

func TestShrinkingGivesSmallerValidPlansAndEnds(t *testing.T) {
	p, doc := everything(t, documents[0])
	_, l := document(t, documents[0])
	for steps := 0; ; steps++ {
		all := p.Shrink()
		if len(all) == 0 {
			break
		}
		for _, q := range all {
			if size(q) >= size(p) {
				t.Fatalf("%v is no smaller than %v", q.Steps, p.Steps)
			}
			if q.Seed != p.Seed {
				t.Fatalf("the seed became %d", q.Seed)
			}
		}
		if err := all[0].Validate(doc, l); err != nil {
			t.Fatal(err)
		}
		p = all[len(all)-1]
		if steps > 2000 {
			t.Fatal("shrinking does not end")
		}
	}
	if len(p.Steps) != 1 {
		t.Errorf("%d steps are left that nothing makes smaller", len(p.Steps))
	}
}

func TestShrinkingFindsTheOneStepThatMatters(t *testing.T) {
	p, _ := everything(t, documents[0])
	guilty := p.Steps[len(p.Steps)/2].Name
	has := func(p faults.Plan) bool {
		for _, s := range p.Steps {
			if s.Name == guilty {
				return true
			}
		}
		return false
	}
	tried := 0
	for again := true; again; {
		again = false
		for _, q := range p.Shrink() {
			tried++
			if has(q) {
				p, again = q, true
				break
			}
		}
	}
	if len(p.Steps) != 1 || p.Steps[0].Name != guilty {
		t.Errorf("left: %v", p.Steps)
	}
	if tried > 200 {
		t.Errorf("it took %d tries", tried)
	}
}

func TestClausesNameOnlyFaultsThatAreThere(t *testing.T) {
	for _, path := range documents {
		doc, _ := document(t, path)
		named := map[string]bool{}
		for _, c := range contract.Clauses(doc) {
			if len(c.Faults) == 0 {
				t.Errorf("%s names no fault and would have no cell", c.ID)
			}
			for _, name := range c.Faults {
				named[name] = true
				if _, ok := faults.Named(name); !ok && name != faults.None && name != faults.Replayed {
					t.Errorf("%s: clause %s names %q, which is not in faults.All", doc.ID, c.ID, name)
				}
			}
		}
		for _, name := range faults.Names() {
			if !named[name] {
				t.Errorf("%s: no clause names %s", doc.ID, name)
			}
		}
	}
}
