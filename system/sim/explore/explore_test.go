package explore

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tahanuji/system/check"
	"tahanuji/system/check/checkers"
	"tahanuji/system/contract"
	"tahanuji/system/history"
	"tahanuji/system/sim/model"
	"tahanuji/system/sim/roles"
)

const sensorDoc = "../../sensor/architecture.yaml"

// bench is a document with the reference's roles and all checkers.
type bench struct {
	doc     *contract.Document
	cast    *roles.Cast
	clauses []contract.Clause
	all     []check.Checker
}

func open(t testing.TB, file string) bench {
	t.Helper()
	doc, err := contract.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	cast, err := roles.New(doc)
	if err != nil {
		t.Fatal(err)
	}
	return bench{doc, cast, contract.Clauses(doc), checkers.All()}
}

// judge judges the clauses that are looked for, nil for all.
func (b bench) judge(only []contract.ID) Judge {
	clauses := b.clauses
	if only != nil {
		clauses = slices.DeleteFunc(slices.Clone(clauses), func(c contract.Clause) bool { return !slices.Contains(only, c.ID) })
	}
	return func(ctx context.Context, h *history.History) []check.Verdict {
		return check.Judge(ctx, clauses, &check.Input{Doc: b.doc, History: h, Lacks: model.Lacks()}, b.all)
	}
}

func (b bench) explorer(t testing.TB, flaw string, c Config) *Explorer {
	t.Helper()
	c.Doc, c.Judge = b.doc, b.judge(c.Clauses)
	c.Roles = func() ([]model.Role, error) { return b.cast.Roles(flaw) }
	e, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestThePlanOfASeedIsAlwaysTheSame(t *testing.T) {
	b := open(t, sensorDoc)
	one, two := b.explorer(t, "", Config{Seed: 5}), b.explorer(t, "", Config{Seed: 5})
	for n := range 30 {
		p, err := one.Draw(n)
		if err != nil {
			t.Fatal(err)
		}
		if q, _ := two.Draw(n); !reflect.DeepEqual(p, q) {
			t.Fatalf("plan %d is %+v and %+v", n, p, q)
		}
	}
}

func TestAPlanIsReadAsItWasSaved(t *testing.T) {
	b := open(t, sensorDoc)
	e := b.explorer(t, "", Config{Seed: 1 << 63})
	path := filepath.Join(t.TempDir(), "plan.json")
	for n := range 20 {
		p, err := e.Draw(n)
		if err != nil {
			t.Fatal(err)
		}
		if p.Keep = []string{"event:1"}; p.Steps == nil {
			continue
		}
		if err := Save(path, p); err != nil {
			t.Fatal(err)
		}
		q, err := Open(path)
		if err != nil || !reflect.DeepEqual(p, q) {
			t.Fatalf("saved %+v, read %+v, %v", p, q, err)
		}
	}
}

func TestAPlanFileWithAnUnknownNameIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(path, []byte(`{"seed":"1","loadSeed":"1","events":1,"steps":[],"stpes":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "stpes") {
		t.Fatalf("got %v", err)
	}
}

func TestTheReferenceIsNotBlamed(t *testing.T) {
	b := open(t, sensorDoc)
	e := b.explorer(t, "", Config{Seed: 2, Replay: 0, Clauses: except(b, "schema.valid-only")})
	f, err := e.Search(t.Context(), 200)
	if err != nil {
		t.Fatal(err)
	}
	if f != nil {
		t.Fatalf("plan %d: %s: %s\n%s", f.Number, f.Verdict.Clause, f.Verdict.Why, text(f.Plan))
	}
}

func TestCommitBeforeStoreIsFoundAndMinimal(t *testing.T) {
	b := open(t, sensorDoc)
	e := b.explorer(t, "commit-before-store", Config{Seed: 1, Clauses: []contract.ID{"delivery.no-loss", "commit.after-store", "count.once"}})
	f, err := e.Search(t.Context(), 500)
	if err != nil {
		t.Fatal(err)
	}
	if f == nil {
		t.Fatal("it was not found")
	}
	t.Logf("plan %d of %d runs: %s: %s\n%s", f.Number, e.Runs(), f.Verdict.Clause, f.Verdict.Why, text(f.Plan))
	if len(f.Plan.Steps) > 2 || f.Plan.Sent() > 3 {
		t.Errorf("the plan has %d steps and %d events", len(f.Plan.Steps), f.Plan.Sent())
	}
	broken, err := e.Try(t.Context(), f.Plan)
	if err != nil || len(broken) == 0 {
		t.Errorf("played again it breaks nothing: %v", err)
	}
}

// except are all clauses but some.
func except(b bench, not ...contract.ID) []contract.ID {
	var out []contract.ID
	for _, c := range b.clauses {
		if !slices.Contains(not, c.ID) {
			out = append(out, c.ID)
		}
	}
	return out
}

func text(p Plan) string {
	b, err := p.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	return string(b)
}
