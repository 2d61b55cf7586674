package payload_test

import (
	"encoding/json"
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
