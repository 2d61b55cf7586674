package payload_test

import (
	"fmt"
	"strings"
	"testing"

	"tahanuji/reference/sensor/payload"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"
)

const schema = `{
  "type": "object", "required": ["id", "type", "at", "data"],
  "properties": {
    "id": {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
    "type": {"type": "string", "pattern": "^[a-z]+(\\.[a-z]+)+$", "const": "suhu.terbaca"},
    "at": {"type": "string", "format": "date-time"},
    "kind": {"enum": ["a", "b"]},
    "data": {
      "type": "object", "required": ["device", "floor", "value"],
      "properties": {
        "device": {"type": "string", "pattern": "^sensor-[0-9]{2}$"},
        "floor": {"type": "integer", "minimum": 1, "maximum": 10},
        "value": {"type": "number", "minimum": -40, "maximum": 60.5},
        "price": {"type": "number", "multipleOf": 0.01},
        "name": {"type": "string", "minLength": 2},
        "flag": {"type": "boolean"}
      }
    }
  }
}`

func checker(t testing.TB, text string) *payload.Checker {
	t.Helper()
	k, err := payload.NewChecker(payload.Config{Schema: []byte(text), UniqueNames: true,
		Time: &payload.TimeRule{At: "/at", Zone: "Z"}})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// record is a valid record with one part replaced.
func record(old, with string) string {
	const valid = `{"id":"a3f8e1d2-7b4c-4e2a-9c1d-5e6f7a8b9c0d","type":"suhu.terbaca","at":"2026-11-07T08:30:00Z",` +
		`"data":{"device":"sensor-07","floor":3,"value":24.5}}`
	return strings.Replace(valid, old, with, 1)
}

func TestEveryWrongFieldIsNamed(t *testing.T) {
	for _, c := range []struct{ name, record, want string }{
		{"a valid record", record("", ""), ""},
		{"one field", record("24.5", "60.51"), "/data/value"},
		{"several fields", record(`"floor":3,"value":24.5`, `"floor":0,"value":"warm"`), "/data/floor /data/value"},
		{"a missing field", record(`"floor":3,`, ``), "/data/floor"},
		{"two missing fields", record(`"data":{"device":"sensor-07",`, `"data":{`), "/data/device"},
		{"no data", `{"id":"x"}`, "/at /data /id /type"},
		{"a date without a time", record("2026-11-07T08:30:00Z", "2026-11-07"), "/at /at"},
		{"another zone", record("08:30:00Z", "08:30:00+07:00"), "/at"},
		{"no zone", record("08:30:00Z", "08:30:00"), "/at /at"},
		{"a name that stands twice", record(`"floor":3`, `"floor":3,"floor":4`), "/data/floor"},
		{"true is no integer", record(`"floor":3`, `"floor":true`), "/data/floor"},
		{"an integer may be written as 3.0", record(`"floor":3`, `"floor":3.0`), ""},
		{"NaN is no JSON", record("24.5", "NaN"), ""},
		{"capital letters in an id", record("a3f8", "A3F8"), "/id"},
		{"a type of another kind", record("suhu.terbaca", "suhu.lain"), "/type"},
		{"a number beyond all memory", record("24.5", "1e99999999999"), "/data/value"},
		{"a number just above its bound", record("24.5", "60.50000000000000000001"), "/data/value"},
		{"a name with a slash", record(`"floor":3`, `"floor":3,"a/b":1,"a/b":2`), "/data/a~1b"},
		{"a leap second", record("08:30:00Z", "23:59:60Z"), ""},
		{"names that nobody listed are fine", record(`"floor":3`, `"floor":3,"more":[{"x":null}]`), ""},
		{"a pattern is held against the whole text", record("sensor-07", "sensor-07\\n"), "/data/device"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var fields []string
			refused := checker(t, schema).Check([]byte(c.record))
			for _, r := range refused {
				if r.Why == "" {
					t.Errorf("%s: no reason is given", r.Field)
				}
				if r.Field != "" {
					fields = append(fields, string(r.Field))
				}
			}
			if got := strings.Join(fields, " "); got != c.want {
				t.Errorf("named %q, want %q (%v)", got, c.want, refused)
			}
			if got, want := checker(t, schema).Valid([]byte(c.record)), len(refused) == 0; got != want {
				t.Errorf("Valid says %v, Check %v", got, want)
			}
		})
	}
}

func TestTextThatIsNoJSONIsRefusedAsAWhole(t *testing.T) {
	for _, raw := range []string{"", "{", `{"a":1}x`, "\xff", `{"id":NaN}`, `{"a":"` + "\xc3" + `"}`} {
		if got := checker(t, schema).Check([]byte(raw)); len(got) != 1 || got[0].Field != "" {
			t.Errorf("%q: %v", raw, got)
		}
	}
}

// What the quick way accepts, the full check accepts, and the other way round, for records near the valid one.
func TestTheQuickWayAndTheFullCheckAgree(t *testing.T) {
	quick := checker(t, schema)
	rapid.Check(t, func(rt *rapid.T) {
		pick := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(rt, label) }
		raw := fmt.Sprintf(`{%s"type":%s,"at":%s,%s"data":{"device":%s,"floor":%s,"value":%s%s}%s}`,
			pick("id", `"id":"a3f8e1d2-7b4c-4e2a-9c1d-5e6f7a8b9c0d",`, `"id":"a3f8e1d2-7b4c-4e2a-9c1d-5e6f7a8b9c0",`, ``, `"id":null,`, `"id":"\u0061\u0033f8e1d2-7b4c-4e2a-9c1d-5e6f7a8b9c0d",`),
			pick("type", `"suhu.terbaca"`, `"suhu.terbaca"`, `"x.y"`, `7`),
			pick("at", `"2026-11-07T08:30:00Z"`, `"2026-11-07T08:30:00.25Z"`, `"2026-11-07t08:30:00z"`, `"2026-11-07 08:30:00Z"`, `"2026-02-30T08:30:00Z"`, `"2026-11-07T08:30:00,5Z"`, `"2026-11-07T24:00:00Z"`, `"2026-11-07T08:30:00+00:00"`),
			pick("kind", ``, ``, `"kind":"a",`, `"kind":"c",`, `"kind":1,`),
			pick("device", `"sensor-07"`, `"sensor-7"`, `"sensor-077"`, `"sénsor-07"`, `{}`),
			pick("floor", `3`, `3.0`, `3.5`, `1e0`, `0`, `11`, `-1`, `true`, `"3"`, `10.000000000000000000001`),
			pick("value", `24.5`, `60.5`, `60.6`, `-40`, `-40.1`, `2e1`, `2e9`, `1e5000`, `null`, `[1]`, `-0`, `60.500000000000001`),
			pick("more", ``, ``, `,"price":0.01`, `,"price":0.001`, `,"price":3.100`, `,"price":1e-2`, `,"name":"é"`, `,"name":"éé"`, `,"flag":true`, `,"flag":1`, `,"x":1`, `,"floor":3`, `,"x":1,"x":2`),
			pick("end", ``, ``, `,"extra":{}`, `,"type":"suhu.terbaca"`))
		if got, want := quick.Valid([]byte(raw)), len(quick.Check([]byte(raw))) == 0; got != want {
			rt.Fatalf("%s: Valid says %v, Check says %v", raw, got, want)
		}
	})
}

func TestATimeThatMayBeMissingBreaksNoRule(t *testing.T) {
	k := checker(t, `{"type":"object","properties":{"at":{"type":"string","format":"date-time"}}}`)
	for raw, want := range map[string]bool{`{}`: true, `{"at":"2026-11-07T08:30:00Z"}`: true, `{"at":"2026-11-07T08:30:00+00:00"}`: false} {
		if got := k.Valid([]byte(raw)); got != want {
			t.Errorf("%s: %v", raw, got)
		}
	}
}

func TestSchemasThatOnlyTheFullCheckUnderstandsWorkToo(t *testing.T) {
	k := checker(t, `{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{"multipleOf":0.1}}}`)
	for raw, want := range map[string]bool{`{"a":0.3}`: true, `{"a":0.35}`: false, `{"a":1,"b":1}`: false, `{}`: false, `{"b":1}`: true} {
		if got := k.Valid([]byte(raw)); got != want {
			t.Errorf("%s: %v", raw, got)
		}
	}
}

func TestWatchedValuesAreThoseOfTheirPointers(t *testing.T) {
	for _, text := range []string{schema, `{"oneOf":[true]}`} {
		k := checker(t, text)
		at := map[string]int{}
		for _, p := range []payload.Pointer{"/data/value", "/at", "/data/value", "/more/0", "/id", ""} {
			path, err := payload.Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			at[string(p)] = k.Watch(path)
		}
		raw := record(`"floor":3`, `"floor":3`)
		raw = raw[:len(raw)-1] + `,"more":[7]}`
		ok, found := k.Read([]byte(raw), make([]gjson.Result, 0))
		if !ok {
			t.Fatalf("%s is refused: %v", raw, k.Check([]byte(raw)))
		}
		for p, want := range map[string]string{"/data/value": "24.5", "/at": `"2026-11-07T08:30:00Z"`, "/more/0": "7", "": raw} {
			if got := found[at[p]].Raw; got != want {
				t.Errorf("%q: %s, want %s", p, got, want)
			}
		}
	}
}

func TestPointersAreRFC6901(t *testing.T) {
	raw := []byte(`{"a/b":{"m~n":[1,{"x.y":2}]},"":3,"*":4}`)
	for p, want := range map[payload.Pointer]string{"/a~1b/m~0n/0": "1", "/a~1b/m~0n/1/x.y": "2", "/*": "4", "/missing": ""} {
		path, err := payload.Compile(p)
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if got := path.Get(raw).Raw; got != want {
			t.Errorf("%s: %q, want %q", p, got, want)
		}
	}
	for _, p := range []payload.Pointer{"/", "a", "data/x"} {
		if _, err := payload.Compile(p); err == nil {
			t.Errorf("%q is taken", p)
		}
	}
}
