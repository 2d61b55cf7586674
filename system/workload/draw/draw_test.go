package draw_test

import (
	"encoding/json"
	"math/big"
	"math/rand"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tahanuji/system/contract"
	"tahanuji/system/seed"
	"tahanuji/system/workload/draw"
)

// schemas hold what the package promises to draw from.
var schemas = map[string]string{
	"types": `{"type":"object","required":["a","b","c","d","e"],"properties":{"a":{"type":"integer"},"b":{"type":"number"},"c":{"type":"boolean"},"d":{"type":"null"},"e":{"type":["null","string"]}}}`,
	"ranges": `{"type":"object","required":["a","b","c","d"],"properties":{"a":{"type":"integer","minimum":-3,"maximum":3},"b":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1},
		"c":{"type":"number","maximum":-5},"d":{"type":"integer","minimum":1000000000000}}}`,
	"steps": `{"type":"object","required":["a","b","c","d"],"properties":{"a":{"type":"number","multipleOf":0.25,"minimum":0.1,"maximum":0.3},"b":{"type":"integer","multipleOf":7,"minimum":1},
		"c":{"type":"integer","multipleOf":0.5},"d":{"type":"number","multipleOf":1e-3,"minimum":-0.001,"exclusiveMaximum":0}}}`,
	"texts": `{"type":"object","required":["a","b","c","d"],"properties":{"a":{"type":"string","minLength":30},"b":{"type":"string","maxLength":2},"c":{"type":"string","minLength":3,"maxLength":3},
		"d":{"type":"string","pattern":"^[A-Z]+$","minLength":4,"maxLength":5}}}`,
	"formats": `{"type":"object","required":["a","b","c","d","e","f","g","h","i","j"],"properties":{"a":{"type":"string","format":"uuid"},"b":{"type":"string","format":"date-time"},"c":{"type":"string","format":"date"},
		"d":{"type":"string","format":"time"},"e":{"type":"string","format":"email"},"f":{"type":"string","format":"hostname"},"g":{"type":"string","format":"ipv4"},"h":{"type":"string","format":"ipv6"},
		"i":{"type":"string","format":"uri"},"j":{"type":"string","format":"duration"}}}`,
	"values": `{"type":"object","required":["a","b"],"properties":{"a":{"const":{"x":[1,2.50,"y"]}},"b":{"enum":["p",7,null,{"q":true}]}},"additionalProperties":false}`,
	"lists": `{"type":"object","required":["a","b","c"],"properties":{"a":{"type":"array","minItems":2,"maxItems":4,"items":{"type":"integer","minimum":0,"maximum":9},"uniqueItems":true},
		"b":{"type":"array","prefixItems":[{"const":1},{"type":"string"}],"items":false,"minItems":2},"c":{"type":"array","items":{"type":"object","required":["z"],"properties":{"z":{"type":"boolean"}}}}}}`,
	"references": `{"$ref":"#/$defs/top","$defs":{"top":{"type":"object","required":["a","b"],"properties":{"a":{"$ref":"#/$defs/small","maximum":5},"b":{"$ref":"#name"}}},
		"small":{"type":"integer","minimum":3},"n":{"$anchor":"name","type":"string","minLength":1}}}`,
	"branches": `{"type":"object","required":["a","b"],"allOf":[{"properties":{"a":{"type":"integer","minimum":2}}},{"properties":{"a":{"maximum":4}},"required":["c"]}],
		"properties":{"b":{"oneOf":[{"type":"string","const":"first"},{"type":"integer"}]},"c":{"anyOf":[{"type":"boolean"},{"type":"null"}]}}}`,
	"untyped":   `{"required":["a","b"],"properties":{"a":{"minimum":1,"maximum":2},"b":{"pattern":"^x$"},"c":{}}}`,
	"no-schema": `{"type":"object","required":["a","b"],"additionalProperties":{"type":"integer"}}`,
}

func TestWhatIsDrawnKeepsTheSchema(t *testing.T) {
	for name, text := range schemas {
		d, err := draw.New(json.RawMessage(text))
		if err != nil {
			t.Fatal(err)
		}
		payload := &contract.Payload{Name: name, Schema: json.RawMessage(text)}
		for n := range uint64(60) {
			rng := seed.Rand(n, name)
			v, err := d.Value(rng, draw.Wish{Near: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if problems := payload.Validate(v.Bytes()); len(problems) > 0 {
				t.Fatalf("%s: %s breaks the schema: %v", name, v.Bytes(), problems)
			}
		}
	}
}

func TestWhatCannotBeDrawnIsAnErrorAndNoHang(t *testing.T) {
	for name, text := range map[string]string{
		"an empty range":     `{"type":"integer","minimum":3,"maximum":2}`,
		"no step in range":   `{"type":"number","multipleOf":10,"minimum":1,"maximum":9}`,
		"endless recursion":  `{"$ref":"#"}`,
		"a nested recursion": `{"type":"object","required":["a"],"properties":{"a":{"$ref":"#"}}}`,
		"another file":       `{"$ref":"other.json"}`,
		"a missing part":     `{"$ref":"#/$defs/nowhere"}`,
		"a broken pattern":   `{"type":"string","pattern":"(?=x)"}`,
		"a pattern too long": `{"type":"string","pattern":"^x{10}$","maxLength":3}`,
	} {
		d, err := draw.New(json.RawMessage(text))
		if err != nil {
			t.Fatal(err)
		}
		if v, err := d.Value(seed.Rand(1), draw.Wish{}); err == nil {
			t.Errorf("%s: drew %s", name, v.Bytes())
		}
	}
}

func TestWishesAreKept(t *testing.T) {
	text := `{"type":"object","properties":{"data":{"type":"object","properties":{"key":{"type":"string"},"n":{"type":"number"},"m":{"type":"integer","minimum":0}}},"more":{"type":"object","properties":{"x":{"type":"boolean"}}}}}`
	d, err := draw.New(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(50) {
		v, err := d.Value(seed.Rand(n), draw.Wish{
			Given:  map[contract.Pointer]*draw.Node{"/data/key": draw.Text("k")},
			Needed: []contract.Pointer{"/data/n", "/data/m"},
			Numbers: func(at contract.Pointer) draw.Digits {
				return draw.Digits{Places: 3, Large: at == "/data/m"}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if v.At("/data/key").String() != "k" || v.At("/data/n") == nil {
			t.Fatalf("%s", v.Bytes())
		}
		large, ok := new(big.Int).SetString(v.At("/data/m").Text, 10)
		if limit := big.NewInt(1<<53 - 1); !ok || large.Cmp(limit) > 0 || large.Cmp(big.NewInt(1<<52)) < 0 {
			t.Fatalf("a large number is %s", v.At("/data/m").Text)
		}
	}
}

func TestPatternsAreMatched(t *testing.T) {
	for _, p := range []string{`^sensor-[0-9]{2}$`, `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`, `^(a|bc|d?e+)*$`, `x.y`, `^\d+\.\d{2,}$`, `^[^/]+$`, `^\p{Lu}\p{Ll}+$`, `(?i)^ab$`, `^[ -~]{3}$`, `^\S\w*$`, ``} {
		re := regexp.MustCompile(p)
		for n := range uint64(50) {
			text, err := draw.Pattern(seed.Rand(n, p), p)
			if err != nil {
				t.Fatal(err)
			}
			if !re.MatchString(text) {
				t.Fatalf("%q does not match %q", text, p)
			}
		}
	}
}

func TestAPatternOfUUIDsGetsRealOnes(t *testing.T) {
	schema := `{"type":"string","pattern":"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"}`
	d, err := draw.New(json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	real := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for n := range uint64(20) {
		v, err := d.Value(seed.Rand(n), draw.Wish{})
		if err != nil {
			t.Fatal(err)
		}
		if seen[v.String()] || !real.MatchString(v.String()) {
			t.Errorf("drew %s", v.String())
		}
		seen[v.String()] = true
	}
}

func TestTreesKeepOrderDigitsAndRepeatedNames(t *testing.T) {
	for _, text := range []string{`{"b":1.50,"a":[1e3,null,true],"b":"x<y"}`, `[]`, `{}`, `"a\"b"`, `-0.0`, `{"a":{"b":{}}}`, `"\u2028"`} {
		n, err := draw.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(n.Bytes()); got != text && !strings.Contains(text, "u2028") {
			t.Errorf("%s came back as %s", text, got)
		}
	}
	for _, bad := range []string{"", "{", `{"a":1}x`, `{"a"}`, "[1,]", "NaN"} {
		if n, err := draw.Parse([]byte(bad)); err == nil {
			t.Errorf("%q was read as %s", bad, n.Bytes())
		}
	}
}

func TestPointersGetSetAndRemove(t *testing.T) {
	n, err := draw.Parse([]byte(`{"a/b":{"c":[1,2]},"d":3}`))
	if err != nil {
		t.Fatal(err)
	}
	if n.At("/a~1b/c/1").Text != "2" || n.At("/a~1b/c/2") != nil || n.At("/d/e") != nil {
		t.Error("a pointer leads elsewhere")
	}
	c := n.Clone()
	if !c.Set("/x/y", draw.Text("z")) || !c.Set("/a~1b/c/0", draw.Literal("9")) || c.Set("/d/e", draw.Literal("1")) || !c.Remove("/d") || c.Remove("/q") {
		t.Error("a change went wrong")
	}
	if got := string(c.Bytes()); got != `{"a/b":{"c":[9,2]},"x":{"y":"z"}}` {
		t.Errorf("got %s", got)
	}
	if got := string(n.Bytes()); got != `{"a/b":{"c":[1,2]},"d":3}` {
		t.Errorf("the clone's change changed the original: %s", got)
	}
}

func TestEqualNumbersArePlainlyEqual(t *testing.T) {
	for text, want := range map[string]string{"24.50": "24.5", "2.45e1": "24.5", "-0": "0", "1e3": "1000", "1e-3": "0.001", `"24.50"`: `"24.50"`, "true": "true", "1e999999": "1e999999"} {
		if got := draw.Plain(text); got != want {
			t.Errorf("%s is plainly %s, want %s", text, got, want)
		}
	}
}

func TestNumbersStayInsideAnyRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.IntRange(-1000, 1000).Draw(t, "low")
		high := low + rapid.IntRange(1, 50).Draw(t, "width")
		kind := rapid.SampledFrom([]string{"integer", "number"}).Draw(t, "type")
		schema, err := json.Marshal(map[string]any{"type": kind, "exclusiveMinimum": low - 1, "maximum": high})
		if err != nil {
			t.Fatal(err)
		}
		d, err := draw.New(schema)
		if err != nil {
			t.Fatal(err)
		}
		places := rapid.IntRange(0, 12).Draw(t, "places")
		wish := draw.Wish{Numbers: func(contract.Pointer) draw.Digits { return draw.Digits{Places: places} }}
		v, err := d.Value(rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed"))), wish)
		if err != nil {
			t.Fatal(err)
		}
		p := &contract.Payload{Name: "n", Schema: schema}
		if problems := p.Validate(v.Bytes()); len(problems) > 0 {
			t.Fatalf("%s: %v", v.Bytes(), problems)
		}
	})
}
