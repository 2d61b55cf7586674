package contract

import (
	"reflect"
	"strings"
	"testing"
)

// LintCapacity says what Lint says of the claims, and nothing else, for a sound document and for every broken one that can be read.
func TestTheCapacityPartOfLintSaysTheSameOfTheClaims(t *testing.T) {
	wrong := 0
	for _, c := range cases(t) {
		d, err := Parse("architecture.yaml", c.files["architecture.yaml"].Data, c.files)
		if err != nil {
			continue
		}
		var want Faults
		for _, f := range Lint(d, today) {
			if strings.HasPrefix(f.Rule, "capacity-") {
				want = append(want, f)
			}
		}
		if got := LintCapacity(d); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
		wrong += len(want)
	}
	if wrong < 2 {
		t.Errorf("%d faults of claims in all cases, want one of the rate and one of the volume at least", wrong)
	}
}
