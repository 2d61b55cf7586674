package topics

import (
	"tahanuji/system/check"
	"tahanuji/system/contract"
)

// lint are the document's own capacity faults, each in a sentence.
func lint(in *check.Input) []string {
	var texts []string
	for _, f := range contract.LintCapacity(in.Doc) {
		if f.Severity == contract.Error {
			texts = append(texts, f.Text)
		}
	}
	return texts
}
