package payload_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"tahanuji/reference/sensor/payload"
)

func TestCheckersThatShareASchemaWatchApart(t *testing.T) {
	config := payload.Config{Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`)}
	first, err := payload.NewChecker(config)
	if err != nil {
		t.Fatal(err)
	}
	config.Shared = first
	second, err := payload.NewChecker(config)
	if err != nil {
		t.Fatal(err)
	}
	watch := func(k *payload.Checker, p payload.Pointer) int {
		path, err := payload.Compile(p)
		if err != nil {
			t.Fatal(err)
		}
		return k.Watch(path)
	}
	a, b, none := watch(first, "/a"), watch(second, "/b"), watch(second, "/none")
	for _, of := range []struct {
		check *payload.Checker
		at    int
		want  string
		all   int
	}{{first, a, `"x"`, 1}, {second, b, "7", 2}} {
		ok, found := of.check.Read([]byte(`{"a":"x","b":7}`), nil)
		if !ok || len(found) != of.all || found[of.at].Raw != of.want {
			t.Errorf("read %v, %d values, %q, want %d and %q", ok, len(found), found[of.at].Raw, of.all, of.want)
		}
	}
	if _, found := second.Read([]byte(`{"b":7}`), nil); found[none].Exists() {
		t.Errorf("found %q at a place that the record lacks", found[none].Raw)
	}
}

// What was wrong with a record is remembered: the second answer, of another checker of the same schema too, is the first one's, and the
// watched values are found all the same. More records than are remembered are still refused.
func TestARecordThatComesAgainIsRefusedAlike(t *testing.T) {
	config := payload.Config{Schema: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"b":{"maximum":9}},"required":["a"]}`)}
	first, err := payload.NewChecker(config)
	if err != nil {
		t.Fatal(err)
	}
	config.Shared = first
	second, err := payload.NewChecker(config)
	if err != nil {
		t.Fatal(err)
	}
	path, err := payload.Compile("/b")
	if err != nil {
		t.Fatal(err)
	}
	at := second.Watch(path)
	for n := range 5000 {
		raw := fmt.Appendf(nil, `{"b":%d}`, 10+n%3000)
		want := first.Check(raw)
		for _, k := range []*payload.Checker{first, second} {
			got, found := k.Judge(raw, nil)
			if len(got) != 2 || !slices.Equal(got, want) {
				t.Fatalf("%s: %v, want %v", raw, got, want)
			}
			if k == second && found[at].Raw != fmt.Sprint(10+n%3000) {
				t.Fatalf("%s: found %q", raw, found[at].Raw)
			}
		}
	}
}
