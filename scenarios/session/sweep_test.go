package session

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// keys are the names of a struct's fields in ginkgo.yml.
func keys(of any) []string {
	var out []string
	t := reflect.TypeOf(of)
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("yaml"); name != "-" {
			out = append(out, name)
		}
	}
	return out
}

func TestEveryKeyOfAProfileIsExplainedInGinkgoYml(t *testing.T) {
	text, err := os.ReadFile("../../ginkgo.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range append(keys(Profile{}), keys(Sweep{})...) {
		explained := regexp.MustCompile(`(?m)^ +` + key + `: *[^#\n]*# .+$`)
		if key != "doc" && !explained.Match(text) {
			t.Errorf("%s: no line of ginkgo.yml explains it", key)
		}
	}
}

func TestASweepIsReadStrictly(t *testing.T) {
	for _, c := range []struct{ given, refused string }{
		{"sweep: {pairs: 3, least: 95}", ""},
		{"sweep: {pair: 3}", "pair"},
		{"sweep: {pairs: -1}", "pairs"},
		{"sweep: {least: 101}", "percent"},
		{"sweep: {}\n    seeds: 2", "-seed"},
	} {
		text := "profiles:\n  p:\n    doc: d\n    flaws: none\n    explore: 0\n    " + c.given + "\n"
		if !strings.Contains(c.given, "seeds") {
			text += "    seeds: 1\n"
		}
		_, err := parseProfiles("ginkgo.yml", []byte(text))
		if c.refused == "" && err != nil || c.refused != "" && (err == nil || !strings.Contains(err.Error(), c.refused)) {
			t.Errorf("%s: %v", c.given, err)
		}
	}
}
