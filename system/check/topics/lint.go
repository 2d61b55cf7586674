package topics

import (
	"strings"
	"time"

	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// lint are the document's own capacity faults, each in a sentence.
func lint(in *check.Input) []string {
	var texts []string
	for _, f := range contract.Lint(in.Doc, time.Time{}) {
		if f.Severity == contract.Error && strings.HasPrefix(f.Rule, "capacity-") {
			texts = append(texts, f.Text)
		}
	}
	return texts
}
