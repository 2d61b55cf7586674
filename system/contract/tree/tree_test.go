package tree_test

import (
	"strings"
	"testing"

	"tahanuji/system/contract/tree"
)

const text = `# a comment
a: {b: [1, 2.50, "x/y"]}
"c/d": true
n:
t: 2026-01-01
s: |
  line
`

func TestValuesKeepTheirOrderTheirDigitsAndTheirPlaces(t *testing.T) {
	n, troubles := tree.ParseYAML("f.yaml", []byte(text), 10)
	if len(troubles) > 0 {
		t.Fatal(troubles)
	}
	if got, want := string(n.JSON()), `{"a":{"b":[1,2.50,"x/y"]},"c/d":true,"n":null,"t":"2026-01-01","s":"line\n"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	places := map[string]tree.Place{}
	n.Pointers(func(pointer string, at *tree.Node) { places[pointer] = at.Place })
	for pointer, want := range map[string]tree.Place{
		"": {"f.yaml", 12, 1}, "/a/b/1": {"f.yaml", 12, 12}, "/c~1d": {"f.yaml", 13, 8}, "/s": {"f.yaml", 16, 4},
	} {
		if places[pointer] != want {
			t.Errorf("%s stands at %+v, want %+v", pointer, places[pointer], want)
		}
	}
}

func TestJSONTakesThePlacesOfWhatItReplaces(t *testing.T) {
	old, _ := tree.ParseYAML("f.yaml", []byte(text), 0)
	fresh := func(pointer string) (tree.Place, bool) { return tree.Place{File: "patch", Line: 7}, pointer == "/new" }
	n, err := tree.ParseJSON([]byte(`{"a":{"b":[9]},"new":{"x":1},"c/d":false}`), old, fresh)
	if err != nil {
		t.Fatal(err)
	}
	for way, want := range map[string]int{"a b 0": 2, "c/d": 3, "new": 7, "new x": 7} {
		if at, ok := n.At(strings.Fields(way)); !ok || at.Place.Line != want {
			t.Errorf("%s stands at %+v, want line %d", way, at.Place, want)
		}
	}
	if _, err := tree.ParseJSON([]byte(`{"a":1e5000}`), nil, fresh); err == nil {
		t.Error("a number that can't be handled was read")
	}
}

func TestANumberIsOneAsJSONWritesIt(t *testing.T) {
	for _, good := range []string{"0", "-0", "1", "10.50", "1e5", "1E-999", "-12.0e+3"} {
		if !tree.JSONNumber(good) {
			t.Errorf("%s is a number", good)
		}
	}
	for _, bad := range []string{"", "-", "+1", "01", "1.", ".5", "1e", "1e1000", "0x1", "1_000", "NaN", ".inf", strings.Repeat("9", 401)} {
		if tree.JSONNumber(bad) {
			t.Errorf("%.10s is no number", bad)
		}
	}
}
