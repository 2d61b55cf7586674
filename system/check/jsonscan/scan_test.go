package jsonscan

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

func TestPlacesAreRead(t *testing.T) {
	p := Compile("/a", "/b/c", "", "/d/1", "/e~1f", "/missing")
	out := make([]Value, p.Len())
	text := `{"a":1.50,"b":{"c":"x\u0041"},"d":[null,true],"e\/f":[] ,"a":2}`
	if err := p.Scan(text, out); err != nil {
		t.Fatal(err)
	}
	want := []Value{{Number, "2"}, {String, `"x\u0041"`}, {Object, text}, {Bool, "true"}, {Array, "[]"}, {}}
	for i := range want {
		if out[i] != want[i] {
			t.Errorf("place %d: %v, want %v", i, out[i], want[i])
		}
	}
	if got := out[1].Text(); got != "xA" {
		t.Errorf("text %q", got)
	}
}

func TestALaterMemberOfTheSameNameHidesAllOfTheEarlierOne(t *testing.T) {
	p := Compile("/a/b")
	out := make([]Value, 1)
	if err := p.Scan(`{"a":{"b":1},"a":{}}`, out); err != nil {
		t.Fatal(err)
	}
	if out[0].Kind != Missing {
		t.Errorf("%v", out[0])
	}
}

func TestAcceptsWhatEncodingJSONAccepts(t *testing.T) {
	p := Compile("/a")
	out := make([]Value, 1)
	check := func(t interface{ Errorf(string, ...any) }, text string) {
		if got, want := p.Scan(text, out) == nil, json.Valid([]byte(text)); got != want {
			t.Errorf("%q: accepted %v, encoding/json %v", text, got, want)
		}
	}
	for _, text := range []string{``, ` `, `{`, `{}`, `{"a"}`, `{"a":01}`, `-`, `-0.`, `1e`, `1e+5`, `"\u12g4"`, `"\x"`, "\"\n\"", `[1,]`, `nul`, `{} {}`, `"\u123`, `[[]]`, `{"a":1,}`} {
		check(t, text)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune(`{}[]":,\u0123e.+-tfn arulse`)), 0, 24, -1).Draw(t, "text")
		check(t, text)
	})
}
