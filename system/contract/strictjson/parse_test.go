package strictjson_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"tahanuji/system/contract/strictjson"
)

// value draws a JSON value of the kinds that Parse makes.
func value(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 6
		if depth == 0 {
			kinds = 4
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "truth")
		case 2:
			return json.Number(rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number"))
		case 3:
			return rapid.String().Draw(t, "text")
		case 4:
			return append([]any{}, rapid.SliceOfN(value(depth-1), 0, 4).Draw(t, "list")...)
		}
		return rapid.MapOfN(rapid.String(), value(depth-1), 0, 4).Draw(t, "object")
	})
}

func TestWhatEncodingJSONWritesIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := value(3).Draw(t, "value")
		text, err := json.MarshalIndent(want, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		got, flaws, ok := strictjson.Parse(text)
		if !ok || len(flaws) > 0 || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: read as %#v, %v", text, got, flaws)
		}
	})
}

func TestFlawsAreToldWithTheirPlaces(t *testing.T) {
	got, flaws, ok := strictjson.Parse([]byte(`{"a":[1,NaN],"b/c":{"d":1,"d":2},"e":1e1000}`))
	want := []strictjson.Flaw{
		{Pointer: "/a/1", Why: "NaN is no number"},
		{Pointer: "/b~1c/d", Why: "the name is given twice", Twice: true},
		{Pointer: "/e", Why: "a number of more than 400 characters, or with an exponent of more than three digits"},
	}
	if !ok || !reflect.DeepEqual(flaws, want) {
		t.Errorf("got %+v", flaws)
	}
	if !reflect.DeepEqual(got, map[string]any{"a": []any{json.Number("1"), nil}, "b/c": map[string]any{"d": json.Number("2")}, "e": nil}) {
		t.Errorf("got %#v", got)
	}
}

func FuzzParseLetsThroughWhatEncodingJSONDoes(f *testing.F) {
	for _, text := range []string{`{"a":[1,2.5e3,null,true,"\u00e9\\"]}`, `"\ud800"`, `[]`, " {}\n", `{"a":1,"a":2}`, `-0`, `1E+2`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, flaws, ok := strictjson.Parse(text)
		if ok && len(flaws) == 0 && !json.Valid(text) {
			t.Fatalf("%q is no JSON, and was read", text)
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var want any
		if ok && len(flaws) == 0 && d.Decode(&want) == nil && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q was read as %#v, encoding/json reads %#v", text, got, want)
		}
	})
}
