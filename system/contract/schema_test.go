package contract

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tahanuji/system/contract/tree"
)

func compiledForm(t testing.TB, part string) *jsonschema.Schema {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(FormSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("form:///v1.json", value); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("form:///v1.json" + part)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func instance(t testing.TB, file string, text []byte) any {
	t.Helper()
	n, _ := tree.ParseYAML(file, text, 0)
	if n == nil {
		return nil
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(n.JSON()))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestTheFormSchemaKnowsTheNamesThatTheLoaderKnows(t *testing.T) {
	var schema struct {
		Defs map[string]struct {
			Properties           map[string]json.RawMessage `json:"properties"`
			Required             []string                   `json:"required"`
			AdditionalProperties any                        `json:"additionalProperties"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(FormSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	for name, f := range forms {
		def, ok := schema.Defs[name]
		if !ok {
			t.Errorf("the schema has no %s", name)
			continue
		}
		if got, want := slices.Sorted(maps.Keys(def.Properties)), slices.Sorted(slices.Values(slices.Concat(f.required, f.optional))); !slices.Equal(got, want) {
			t.Errorf("%s: the schema has %q, the loader %q", name, got, want)
		}
		if !slices.Equal(slices.Sorted(slices.Values(def.Required)), slices.Sorted(slices.Values(f.required))) {
			t.Errorf("%s: the schema requires %q, the loader %q", name, def.Required, f.required)
		}
		if def.AdditionalProperties != false {
			t.Errorf("%s: the schema lets unknown names through", name)
		}
	}
	for name := range schema.Defs {
		if _, ok := forms[name]; !ok && name != "pointer" && name != "duration" {
			t.Errorf("the loader has no %s", name)
		}
	}
}

func TestTheFormSchemaTakesEveryDocumentThatTheLoaderTakes(t *testing.T) {
	s, adr := compiledForm(t, ""), compiledForm(t, "#/$defs/adr")
	for _, file := range []string{"../sensor/architecture.yaml", shop, "testdata/broken/base/architecture.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(instance(t, file, text)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for _, a := range mustLoad(t, file).src.adrs {
			front, _, _ := frontMatter(a.text)
			if err := adr.Validate(instance(t, a.name, front)); err != nil {
				t.Errorf("%s: %v", a.name, err)
			}
		}
	}
}

// beyondSchema are the broken documents of form whose fault a JSON Schema can't say: what YAML itself holds against them, and rules
// that compute or look elsewhere.
var beyondSchema = map[string]bool{
	"duplicate-key": true, "duplicate-key-schema": true, "type-hexadecimal": true, "type-merge": true, "type-not-a-number": true,
	"schema-type": true, "schema-other-file": true, "schema-draft": true,
	"value-window-size": true, "value-window-week": true, "value-window-date": true, "value-window-zone": true, "value-window-local": true,
	"value-aggregate-window": true, "value-workload": true, "value-workload-outside": true, "value-adrs-outside": true,
	"duration-zero": true, "reference-adrs": true,
}

func TestTheFormSchemaRefusesWhatTheLoaderRefusesForItsForm(t *testing.T) {
	s, adr := compiledForm(t, ""), compiledForm(t, "#/$defs/adr")
	stage := map[string]Stage{}
	for _, r := range AllRules() {
		stage[r.ID] = r.Stage
	}
	for _, c := range cases(t) {
		inDocument, inForm := false, false
		for _, f := range found(t, c.files) {
			inForm = inForm || stage[f.Rule] == Form && f.Rule != "syntax" && f.Rule != "patch"
			inDocument = inDocument || f.Pos.File == "architecture.yaml"
		}
		if !inForm {
			continue
		}
		refused := false
		if inDocument {
			refused = s.Validate(instance(t, c.name, c.files["architecture.yaml"].Data)) != nil
		} else {
			for name, f := range c.files {
				if front, _, ok := frontMatter(f.Data); ok && name != "architecture.yaml" {
					refused = refused || adr.Validate(instance(t, name, front)) != nil
				}
			}
		}
		known := beyondSchema[c.name] || c.name == "value-adr-id" || c.name == "value-change-of-accepted"
		if refused == known {
			t.Errorf("%s: refused by the schema: %v, listed as beyond it: %v", c.name, refused, known)
		}
	}
}
